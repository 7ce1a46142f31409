// Package undo names what was done to sessions that appending cannot take back, and
// how it is taken back: what a [session.Recorder] is told, what a doctor replaces, what
// is in the trash.
package undo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An Op is a kind of change: "rm" and "discard" when a session or a draft went to the trash,
// "move", "rename", "migrate" when a file was rewritten in the present version,
// "reinitialize" when a session was made of a file that was none, "rewrite" when entries
// were replaced, "doctor" for a repair.
type Op string

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

// A Status says how far an operation got: "begun", "done", "failed" when it did not happen,
// "undoing", "undone", or "emptied" when what it put into the trash is deleted. What is
// begun or undoing is under way, or was interrupted.
type Status string

// An Operation is a change as it was recorded.
type Operation struct {
	Change
	// ID names it.
	ID string
	// At is when it began.
	At time.Time
	// Status is the last that is known of it.
	Status Status
}

// Undoable reports whether there may be something to take back.
func (o Operation) Undoable() bool {
	return o.Status == "begun" || o.Status == "done" || o.Status == "undoing"
}

// A Trashed is what is in the trash under one id.
type Trashed struct {
	// Operation is what put it there. Of one whose record cannot be read only
	// the ID is known.
	Operation
	// Dir is where it is: the session as "session", its artifacts as
	// "artifacts", each if there is one.
	Dir string
	// Size is that of the session in bytes; -1 when there is none.
	Size int64
}

// A Restored is what was brought back.
type Restored struct {
	Operation
	// Now is where it is. Note says what else there is to say, "" for nothing.
	Now, Note string
}

// A Reverter takes back a Rename or a Move, which only who knows sessions can.
// It returns where the session is then, and what else there is to say. It must
// not record itself. Its error wraps ErrConflict when the change does not stand
// any more.
type Reverter func(ctx context.Context, c Change) (now, note string, err error)

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
