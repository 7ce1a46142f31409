//go:build !purego

package jsonedit

// unclear returns the first of n bytes from p on that is a quote, a backslash, a control
// character or not ASCII, n for none. n is a multiple of turn. The characters are given
// eight times.
//
//go:noescape
func unclear(p *byte, n int, quote, slash, blank uint64) int

// plainHead returns how many bytes text begins with that stand for themselves, or fewer.
func plainHead(text []byte) int {
	n := len(text) &^ (turn - 1)
	if n == 0 {
		return 0
	}
	return unclear(&text[0], n, '"'*eights, '\\'*eights, ' '*eights)
}
