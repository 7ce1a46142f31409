//go:build !purego

package jsonl

// WithoutBlocks runs f as on a machine that lacks what blocks needs.
func WithoutBlocks(f func()) {
	defer func(was bool) { vector = was }(vector)
	vector = false
	f()
}
