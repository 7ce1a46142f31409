package entry

import (
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// ID names an entry within its session: 8 hexadecimal digits as the programs
// write it, any string as they read it.
type ID = string

// An Entry is one line of a session: its bytes and its envelope. The body is
// decoded on request, by [Entry.Body]. An Entry is a value and safe for
// concurrent use as long as its bytes are not changed.
type Entry struct {
	// Kind is Unknown for a type that no dialect here knows.
	Kind Kind
	// Type is the type as written.
	Type string
	// ID is "" when the line has none.
	ID ID
	// ParentID is "" with HasParent false when the entry is a root: parentId
	// is null, absent or not a string.
	ParentID  ID
	HasParent bool
	// Role is the role of a message entry.
	Role Role
	// Time is the timestamp in milliseconds since 1970, or NoTime.
	Time int64

	raw     []byte
	message jsonl.Span
}

// Parse reads one line, without its newline, as an entry. It keeps line, which
// must not be changed afterwards. The error is a [jsonl.SyntaxError] or
// [jsonl.ErrNotObject].
func Parse(line []byte) (Entry, error) {
	var e Envelope
	if err := e.Scan(line); err != nil {
		return Entry{}, err
	}
	return Entry{
		Kind: e.Kind, Type: string(e.Type),
		ID: string(e.ID), ParentID: string(e.Parent), HasParent: e.Parent != nil,
		Role: e.Role, Time: e.Time,
		raw: line, message: e.Body,
	}, nil
}

// Raw returns the line as it is stored, without its newline. It must not be
// changed.
func (e Entry) Raw() []byte { return e.raw }

// Message returns the raw JSON of the message of a message entry, nil where
// there is none or it is not an object. It must not be changed.
func (e Entry) Message() []byte {
	if e.message.End == 0 {
		return nil
	}
	return e.raw[e.message.Start:e.message.End]
}
