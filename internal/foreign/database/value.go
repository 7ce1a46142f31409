package database

import (
	"encoding/json"
	"hash/fnv"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
)

// A Field is one column of a row, or one member of an object.
type Field struct {
	// Name is that of the column.
	Name string

	kind   byte // '0' for number, '"' for text, '{' for JSON that is in text, 0 for nothing
	number float64
	text   string
}

// Value returns the field as JSON, nil for nothing. A text that is an object or an array is
// taken for one.
func (f Field) Value() []byte {
	switch f.kind {
	case '0':
		return jsonedit.NumberValue(f.number)
	case '{':
		return []byte(f.text)
	case '"':
		if begins := strings.TrimLeft(f.text, " \t\r\n"); begins != "" && (begins[0] == '{' || begins[0] == '[') {
			if v, ok := Whole([]byte(f.text)); ok {
				return v
			}
		}
		return jsonedit.Quoted(f.text)
	}
	return nil
}

// Text returns a text, "" for anything else.
func (f Field) Text() string {
	if f.kind == '"' {
		return f.text
	}
	return ""
}

// Time returns a time in milliseconds since 1970, 0 for anything else.
func (f Field) Time() int64 {
	if f.kind == '0' && f.number > 0 && f.number <= MaxTime {
		return int64(f.number)
	}
	return 0
}

// Of returns a member of an object as a field.
func Of(name string, value []byte) Field {
	f := Field{Name: name}
	if text, ok := jsonedit.String(value); ok {
		f.kind, f.text = '"', text
	} else if n, ok := jsonedit.Number(value); ok {
		f.kind, f.number = '0', n
	} else if !jsonedit.IsNull(value) {
		f.kind, f.text = '{', string(value)
	}
	return f
}

// MaxTime is the latest time that a date can be.
const MaxTime = 8_640_000_000_000_000

// Bytes returns a value as it is stored, and whether it is text.
func Bytes(s *sqlite.Stmt, n int) (data []byte, text bool) {
	if s.ColumnType(n) == sqlite.TypeText {
		return []byte(s.ColumnText(n)), true
	}
	data = make([]byte, s.ColumnLen(n))
	return data[:s.ColumnBytes(n, data)], false
}

// Column returns one column of a row.
func Column(s *sqlite.Stmt, n int) Field {
	f := Field{Name: s.ColumnName(n)}
	switch s.ColumnType(n) {
	case sqlite.TypeInteger:
		f.number, f.kind = float64(s.ColumnInt64(n)), '0'
	case sqlite.TypeFloat:
		f.number, f.kind = s.ColumnFloat(n), '0'
	case sqlite.TypeText, sqlite.TypeBlob:
		data, _ := Bytes(s, n)
		f.text, f.kind = string(data), '"'
	}
	return f
}

// Valid reports whether an id can stand in a name.
func Valid(id string) bool {
	if len(id) == 0 || len(id) > 128 {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}

// Whole returns a JSON text without line breaks, and false for what is none.
func Whole(text []byte) ([]byte, bool) {
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

// Split returns the directory of a session and its id, which is "" for a name that no session
// has.
func Split(name string) (dir, id string) {
	dir, base := filepath.Split(name)
	id, ok := strings.CutSuffix(base, Ext)
	if !ok || !Valid(id) {
		id = ""
	}
	return filepath.Clean(dir), id
}

// Ext ends the names of sessions.
const Ext = ".jsonl"

// Found returns what a survey tells of a session in a database.
func Found(db vfs.Info, s State) vfs.Found {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.ID)) // it does not fail
	updated := max(0, min(s.Updated, MaxTime))
	if updated > 1<<63/1_000_000-1 {
		updated = 1<<63/1_000_000 - 1
	}
	return vfs.Found{Dev: db.Dev, Ino: db.Ino ^ h.Sum64(), Size: s.Count, ModTime: updated * 1_000_000}
}

// A State is what changes with a session.
type State struct {
	ID string
	// Count is of messages and parts.
	Count int64
	// Updated is in milliseconds since 1970.
	Updated int64
}
