//go:build !purego

package jsonedit

import "bytes"

const (
	turn   = 32                 // how many places pair looks at in one turn
	eights = 0x0101010101010101 // times a byte is eight of it
)

// pair returns the first of n places from p on at which first is, with last gap bytes
// behind it, n for none. n is a multiple of turn, n+gap bytes are there, and both bytes
// are given eight times.
//
//go:noescape
func pair(p *byte, n, gap int, first, last uint64) int

// Mentions reports whether text has the word in it, which is not empty. It is made for
// long texts that hardly ever have it, and words whose ends are seldom so far apart.
func Mentions(text []byte, word string) bool {
	gap := len(word) - 1
	first, last := eights*uint64(word[0]), eights*uint64(word[gap])
	for i := 0; ; i++ {
		places := (len(text) - i - gap) &^ (turn - 1)
		if places <= 0 {
			return bytes.Contains(text[i:], []byte(word))
		}
		at := pair(&text[i], places, gap, first, last)
		if i += at; at == places {
			return bytes.Contains(text[i:], []byte(word))
		}
		if string(text[i:i+len(word)]) == word {
			return true
		}
	}
}
