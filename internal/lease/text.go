package lease

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostSaid is how much of what a server says is told, in bytes.
const mostSaid = 400

// OneLine is what a server says, fit to be told to a person: one line of at most
// 400 bytes, in which only what can be seen is left as it is; of a longer text a
// mark stands for the rest.
func OneLine(text string) string {
	rest := ""
	if len(text) > 4*mostSaid {
		text, rest = text[:4*mostSaid], "…"
	}
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r != ' ' && !unicode.IsSpace(r) && !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostSaid {
		text, rest = strings.ToValidUTF8(text[:mostSaid], ""), "…"
	}
	return text + rest
}

// Sound reports whether a name that a server gives can be that of something
// directly in a directory, which is clean.
func Sound(name, dir string) bool {
	return strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) && path.Clean(name) == name && path.Dir(name) == dir && name != dir
}

// Told is an error of a server, or of the client's library, in words that are fit
// to be told: which server it is, and one line. It wraps err.
func Told(where string, err error) error {
	text := OneLine(err.Error())
	if !strings.Contains(text, where) {
		text = where + ": " + text
	}
	if text == err.Error() {
		return err
	}
	return &told{text, err}
}

type told struct {
	text string
	err  error
}

// Error returns the line.
func (t *told) Error() string { return t.text }

// Unwrap returns what it is told of.
func (t *told) Unwrap() error { return t.err }
