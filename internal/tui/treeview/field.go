package treeview

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
)

// fieldMost is how many characters a field takes.
const fieldMost = 500

// A field is one line that a person types.
type field struct {
	text []rune
	at   int // where the cursor stands, in front of text[at]
}

// set replaces the text; the cursor goes behind it.
func (f *field) set(s string) {
	f.text = nil
	f.at = 0
	f.insert(s)
}

// String returns the text.
func (f *field) String() string { return string(f.text) }

// insert types text, of which what is no character of a line is left out.
func (f *field) insert(s string) bool {
	var typed []rune
	for _, r := range term.Line(s) {
		if unicode.IsPrint(r) {
			typed = append(typed, r)
		}
	}
	typed = typed[:min(len(typed), max(fieldMost-len(f.text), 0))]
	if len(typed) == 0 {
		return false
	}
	f.text = append(f.text[:f.at:f.at], append(typed, f.text[f.at:]...)...)
	f.at += len(typed)
	return true
}

// erase takes away n characters in front of the cursor.
func (f *field) erase(n int) bool {
	n = min(n, f.at)
	f.text = append(f.text[:f.at-n:f.at-n], f.text[f.at:]...)
	f.at -= n
	return n > 0
}

// word returns how many characters in front of the cursor are a word.
func (f *field) word() int {
	n := f.at
	for n > 0 && f.text[n-1] == ' ' {
		n--
	}
	for n > 0 && f.text[n-1] != ' ' {
		n--
	}
	return f.at - n
}

// typed takes a key that writes and reports whether the text changed.
func (f *field) typed(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "backspace", "shift+backspace":
		return f.erase(1)
	case "alt+backspace", "ctrl+backspace":
		return f.erase(f.word())
	}
	return k.Text != "" && f.insert(k.Text)
}

// moved takes a key that moves the cursor or takes away, which only the field of
// a label has.
func (f *field) moved(k tea.KeyPressMsg) {
	switch k.String() {
	case "left":
		f.at = max(f.at-1, 0)
	case "right":
		f.at = min(f.at+1, len(f.text))
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.text)
	case "delete":
		if f.at < len(f.text) {
			f.at++
			f.erase(1)
		}
	case "ctrl+u":
		f.erase(f.at)
	case "ctrl+w":
		f.erase(f.word())
	}
}

// view returns the text in so many cells, the cursor drawn by mark.
func (f *field) view(cells int, mark func(string) string) string {
	before, under, after := string(f.text[:f.at]), " ", ""
	if f.at < len(f.text) {
		under, after = string(f.text[f.at]), string(f.text[f.at+1:])
	}
	before = term.CutLeft(before, max(cells-term.Width(under), 0))
	after = term.Cut(after, max(cells-term.Width(before)-term.Width(under), 0))
	return strings.TrimSuffix(before, "\n") + mark(under) + after
}
