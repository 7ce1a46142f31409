//go:build !amd64 || purego

package jsonl

// WithoutBlocks runs f: there are none.
func WithoutBlocks(f func()) { f() }
