//go:build !amd64 || purego

package jsonedit

import "bytes"

// Mentions reports whether text has the word in it.
func Mentions(text []byte, word string) bool { return bytes.Contains(text, []byte(word)) }
