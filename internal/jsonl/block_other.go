//go:build !amd64 || purego

package jsonl

// vector says that [blocks] is of no use here.
const vector = false

func blocks(_ []byte, i int) (at int, stop bool) { return i, false }
