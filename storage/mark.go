package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// Mark says which log, and up to where. It is opaque: only its store knows
// what is in it, and only its equality means anything to a caller. Marks may
// be compared, used as map keys and kept as text. The zero Mark is "no log
// yet" when writing and "from the start" when reading.
type Mark struct{ words [4]uint64 }

// MakeMark is for stores: it makes a mark of four words of the store's
// choosing, not all zero. The local store uses device, inode, size and time of
// change; a store of rows the log's identity and the number of its head.
func MakeMark(words [4]uint64) Mark { return Mark{words: words} }

// Words is for stores: it returns what MakeMark was given.
func (m Mark) Words() [4]uint64 { return m.words }

// IsZero reports whether m is the zero Mark.
func (m Mark) IsZero() bool { return m == Mark{} }

// String returns the mark as text without spaces, which ParseMark reads; "-"
// for the zero Mark.
func (m Mark) String() string {
	if m.IsZero() {
		return "-"
	}
	w := m.words
	return fmt.Sprintf("%x.%x.%x.%x", w[0], w[1], w[2], w[3])
}

// ParseMark reads what String wrote.
func ParseMark(text string) (Mark, error) {
	if text == "-" {
		return Mark{}, nil
	}
	var m Mark
	parts := strings.Split(text, ".")
	if len(parts) != len(m.words) {
		return Mark{}, fmt.Errorf("parse mark %q: want %d parts", text, len(m.words))
	}
	for i, part := range parts {
		word, err := strconv.ParseUint(part, 16, 64)
		if err != nil {
			return Mark{}, fmt.Errorf("parse mark %q: part %d is not a number", text, i+1)
		}
		m.words[i] = word
	}
	return m, nil
}
