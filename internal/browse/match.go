package browse

import (
	"bytes"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// match reports whether every word, in lower case, is found in what an entry
// says, calls included, or in names, which are its id and its label.
func match(list *entry.List, i int, line []byte, names string, words []string) bool {
	var lower []byte
	for _, w := range words {
		if strings.Contains(names, w) || !plainWord(w) {
			continue
		}
		if lower == nil {
			lower = lowered(line)
		}
		if !bytes.Contains(lower, []byte(w)) {
			return false
		}
	}
	text := names + "\n" + strings.ToLower(transcript.Words(list.Kind(i), line))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// plainWord reports whether a word is spelt in JSON as it is.
func plainWord(w string) bool {
	for _, c := range []byte(w) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// lowered returns b with the capitals of ASCII as small letters.
func lowered(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if c-'A' < 26 {
			c |= 0x20
		}
		out[i] = c
	}
	return out
}
