package state

import (
	"time"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// trashes reports whether a change is a move to the trash.
func trashes(o Op) bool { return o == Remove || o == Discard }

// keeps reports whether the bytes of the file are kept before a change.
func keeps(o Op) bool { return o == Migrate || o == Reinitialize || o == Rewrite || o == Repair }

// A record is an operation with what it takes to take it back.
type record struct {
	Operation
	// print is that of the file after the change, where bytes were kept.
	print fingerprint
	// open is the size of a file without a last newline, to which a Rename or a Move
	// adds one; 0 for any other.
	open int64
	// from is the status before Undoing, back where it is brought to, "" for where
	// it was.
	from Status
	back string
	// line is that of the journal in which it was begun, since that from which on it
	// counts: where its taking back was begun, if that was.
	line, since int
}

// interrupted reports whether it is not known to have been made.
func (o record) interrupted() bool {
	return o.Status == Begun || o.Status == Undoing && o.from == Begun
}

// A fingerprint tells whether a file is as it was left.
type fingerprint struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum"` // SHA-256, hex
}

// version is that of the lines.
const version = 1

// line is a line of the journal, and the record of what is in the trash.
type line struct {
	Version int          `json:"v"`
	ID      string       `json:"id"`
	Status  Status       `json:"state"`
	At      string       `json:"at"`
	Op      Op           `json:"op,omitzero"`
	Path    name         `json:"path,omitzero"`
	To      name         `json:"to,omitzero"`
	Session name         `json:"session,omitzero"`
	Agent   string       `json:"agent,omitzero"`
	Group   string       `json:"group,omitzero"`
	Was     *Title       `json:"was,omitzero"`
	Title   *Title       `json:"title,omitzero"`
	Before  []byte       `json:"before,omitzero"`
	After   []byte       `json:"after,omitzero"`
	Open    int64        `json:"open,omitzero"`
	Print   *fingerprint `json:"print,omitzero"`
	Cause   string       `json:"cause,omitzero"`
}

// name is text that need not be UTF-8.
type name string

// MarshalJSON writes text as a string, other bytes as {"bytes":BASE64}.
func (n name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(struct {
		Bytes []byte `json:"bytes"`
	}{[]byte(n)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *name) UnmarshalJSON(b []byte) error {
	if jsontext.Value(b).Kind() == '"' {
		return json.Unmarshal(b, (*string)(n))
	}
	var raw struct {
		Bytes []byte `json:"bytes"`
	}
	err := json.Unmarshal(b, &raw)
	*n = name(raw.Bytes)
	return err
}

// encode returns an object as one line without line feed.
func encode(l line) ([]byte, error) {
	return json.Marshal(l, jsontext.AllowInvalidUTF8(true))
}

// begun returns the first line of an operation.
func (o record) begun() line {
	l := line{
		Version: version, ID: o.ID, Status: Begun, At: jsonedit.FormatTime(o.At.UnixMilli()), Op: o.Op,
		Path: name(o.Path), To: name(o.To), Session: name(o.Session), Agent: o.Agent, Group: o.Group,
		Before: o.Before, After: o.After, Open: o.open,
	}
	if o.Op == Rename {
		l.Was, l.Title = &o.Was, &o.Title
	}
	return l
}

// decode reads a line, and reports false for one that is none of ours.
func decode(raw []byte) (line, bool) {
	var l line
	err := json.Unmarshal(raw, &l, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return l, err == nil && l.Version == version && isID(l.ID) && l.Status != ""
}

// operation returns what a first line says.
func (l line) operation() record {
	o := record{open: l.Open, Operation: Operation{ID: l.ID, Status: l.Status, Change: Change{
		Op: l.Op, Path: string(l.Path), To: string(l.To), Session: string(l.Session), Agent: l.Agent, Group: l.Group,
		Before: l.Before, After: l.After,
	}}}
	if ms, ok := jsonedit.ParseTime(l.At); ok {
		o.At = time.UnixMilli(ms).UTC()
	}
	if l.Was != nil {
		o.Was = *l.Was
	}
	if l.Title != nil {
		o.Title = *l.Title
	}
	return o
}
