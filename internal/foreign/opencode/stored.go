package opencode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A stored session is what OpenCode keeps of one, as it keeps it.
type stored struct {
	id       string
	fields   map[string]field // of the session, by column
	messages []row
	parts    []row
	todos    [][]field
	wrong    []string // what could not be read
}

// A row is a message or a part.
type row struct {
	id, message string // message is "" for a message
	data        []byte
	blob        bool // it is stored as bytes, not as text
	created     int64
}

// A field is one column of a row, or one member of an object.
type field struct {
	name   string
	kind   byte // '0' for number, '"' for text, '{' for JSON that is in text, 0 for nothing
	number float64
	text   string
}

// value returns the field as JSON, nil for nothing. A text that is an object or an array is
// taken for one.
func (f field) value() []byte {
	switch f.kind {
	case '0':
		return jsonedit.NumberValue(f.number)
	case '{':
		return []byte(f.text)
	case '"':
		if begins := strings.TrimLeft(f.text, " \t\r\n"); begins != "" && (begins[0] == '{' || begins[0] == '[') {
			if v, ok := whole([]byte(f.text)); ok {
				return v
			}
		}
		return jsonedit.Quoted(f.text)
	}
	return nil
}

// string returns a text, "" for anything else.
func (s *stored) string(column string) string {
	if f := s.fields[column]; f.kind == '"' {
		return f.text
	}
	return ""
}

// time returns a time in milliseconds, 0 for none.
func (s *stored) time(column string) int64 {
	if f := s.fields[column]; f.kind == '0' && f.number > 0 && f.number <= maxTime {
		return int64(f.number)
	}
	return 0
}

// maxTime is the latest time that a date can be.
const maxTime = 8_640_000_000_000_000

// sort puts messages and parts in order, as OpenCode does.
func (s *stored) sort() {
	slices.SortStableFunc(s.messages, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	slices.SortStableFunc(s.parts, func(a, b row) int { return cmp.Compare(a.id, b.id) })
}

// whole returns a JSON text without line breaks, and false for what is none.
func whole(text []byte) ([]byte, bool) {
	if !utf8.Valid(text) || !json.Valid(text) || deep(text) {
		return nil, false
	}
	for _, c := range text {
		if c == '\n' || c == '\r' {
			return jsonedit.Compact(text), true
		}
	}
	return trimmed(text), true
}

// maxDepth is how deep values may be nested that go into an entry.
const maxDepth = 5000

// deep reports whether values are nested too deep.
func deep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func trimmed(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}
