package shellword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Family is a family of shells that read a quoted word alike.
type Family struct {
	// quote writes a word that can be seen and is not plain.
	quote func(word string) string
}

// POSIX are sh, dash, bash, ksh and zsh, and fish, which reads the quotes that are
// written here as they do.
func POSIX() Family { return Family{quote: posix} }

// Quote returns a word as the shells read it. ok is false where it cannot be
// written: it has a character that cannot be seen or shown, so that who copies it
// from a screen would run another word; then the text is "".
func (f Family) Quote(word string) (text string, ok bool) {
	switch {
	case bare(word):
		return word, true
	case !Visible(word):
		return "", false
	}
	return f.quote(word), true
}

// Line returns a command line of words; ok as for [Family.Quote].
func (f Family) Line(words ...string) (text string, ok bool) {
	all := make([]string, len(words))
	for i, word := range words {
		if all[i], ok = f.Quote(word); !ok {
			return "", false
		}
	}
	return strings.Join(all, " "), true
}

// Visible reports whether each character of a text can be seen for what it is: it
// has no control characters, no marks of direction, nothing of no width, no blanks
// but the usual one, and is UTF-8.
func Visible(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// bare reports whether a word needs no quotes: no shell reads it as anything but
// itself. zsh looks for the command behind "=" at the beginning.
func bare(word string) bool {
	return word != "" && word[0] != '=' && strings.Trim(word, letters+"-_./:@+,=") == ""
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Plain reports whether a name may be offered where a shell completes words: it has
// letters and digits of ASCII and the signs . _ - / : @ + and begins with none of
// them but a dot or an underscore. A shell does nothing with such a word but take it,
// quoted or not.
func Plain(name string) bool {
	return name != "" && strings.ContainsRune(letters+"._", rune(name[0])) && strings.Trim(name, letters+"._-/:@+") == ""
}

// posix puts a word between single quotes, in which only they themselves and, for
// fish, the backslash mean something: these stand outside, behind a backslash.
func posix(word string) string {
	if word == "" {
		return "''"
	}
	var b strings.Builder
	for word != "" {
		n := strings.IndexAny(word, `'\`)
		switch {
		case n == 0:
			b.WriteByte('\\')
			b.WriteByte(word[0])
			word = word[1:]
			continue
		case n < 0:
			n = len(word)
		}
		b.WriteString("'" + word[:n] + "'")
		word = word[n:]
	}
	return b.String()
}
