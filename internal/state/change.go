package state

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An Op is a kind of change.
type Op string

// The kinds of change that are recorded.
const (
	// Remove: a session went to the trash.
	Remove Op = "rm"
	// Discard: a draft went to the trash.
	Discard Op = "discard"
	// Move: a session became one of another directory.
	Move Op = "move"
	// Rename: a session got another title.
	Rename Op = "rename"
	// Migrate: a session file was rewritten in the present version.
	Migrate Op = "migrate"
	// Reinitialize: a new session was made of a file that was none.
	Reinitialize Op = "reinitialize"
	// Rewrite: entries were replaced where they stood (rewriteEntries).
	Rewrite Op = "rewrite"
	// Repair: damage in a session file was repaired (doctor --fix).
	Repair Op = "doctor"
)

// trashes reports whether the change is a move to the trash.
func (o Op) trashes() bool { return o == Remove || o == Discard }

// keeps reports whether the bytes of the file are kept before the change.
func (o Op) keeps() bool { return o == Migrate || o == Reinitialize || o == Rewrite || o == Repair }

// A Title is what a session is called and who said so.
type Title struct {
	Text   string `json:"text"`
	Source string `json:"source,omitzero"`
}

// A File tells files apart; the zero value is of none.
type File struct{ Dev, Ino uint64 }

// A Change is what is about to be done to a session.
type Change struct {
	// Op is the kind.
	Op Op
	// Path is where the session is before, To where it will be, "" for the
	// same place.
	Path, To string
	// File says which file is at Path, as far as known: another one is not taken
	// for it.
	File File
	// Session is the session's id, Agent its dialect, as far as known.
	Session, Agent string
	// Before is the header line as it is, After as it will be; nil where the
	// change does not touch it.
	Before, After []byte
	// Was is the title as it is, Title as it will be, for a Rename.
	Was, Title Title
	// Group is what the changes of one command have in common, "" for one alone.
	Group string
	// Again says that it was being taken back when that was interrupted: what is
	// taken back already is no conflict. It is not recorded.
	Again bool
}

// A Status says how far an operation got.
type Status string

// The states of an operation.
const (
	// Begun: it is under way, or was interrupted.
	Begun Status = "begun"
	// Done: it is in effect.
	Done Status = "done"
	// Failed: it did not happen.
	Failed Status = "failed"
	// Undoing: it is being taken back, or that was interrupted.
	Undoing Status = "undoing"
	// Undone: it was taken back.
	Undone Status = "undone"
	// Emptied: what it put into the trash is deleted.
	Emptied Status = "emptied"
)

// An Operation is a change as it was recorded.
type Operation struct {
	Change
	// ID names it.
	ID string
	// At is when it began.
	At time.Time
	// Status is the last that is known of it.
	Status Status
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

// Undoable reports whether there may be something to take back.
func (o Operation) Undoable() bool {
	return o.Status == Begun || o.Status == Done || o.Status == Undoing
}

// interrupted reports whether it is not known to have been made.
func (o Operation) interrupted() bool {
	return o.Status == Begun || o.Status == Undoing && o.from == Begun
}

// A fingerprint tells whether a file is as it was left.
type fingerprint struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum"` // SHA-256, hex
}

// What goes wrong here.
var (
	// ErrUnknown: there is no such operation or nothing of that id in the
	// trash, or nothing at all to take back.
	ErrUnknown = errors.New("nothing of that id")
	// ErrUndone: it was taken back already, never happened, or is emptied.
	ErrUndone = errors.New("nothing to take back")
	// ErrConflict: what was changed was changed again since, so that taking
	// it back would undo more. Take the later change back first.
	ErrConflict = errors.New("changed again since")
	// ErrBusy: another process has it open. Let it end first.
	ErrBusy = errors.New("in use by another process")
)

// An Ambiguous error is an id that begins several.
type Ambiguous struct {
	// ID is what was asked for, IDs what it may mean.
	ID  string
	IDs []string
}

// Error names the candidates.
func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%q begins %d ids: %q", e.ID, len(e.IDs), e.IDs)
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
func (o Operation) begun() line {
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
func (l line) operation() Operation {
	o := Operation{ID: l.ID, Status: l.Status, open: l.Open, Change: Change{
		Op: l.Op, Path: string(l.Path), To: string(l.To), Session: string(l.Session), Agent: l.Agent, Group: l.Group,
		Before: l.Before, After: l.After,
	}}
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
