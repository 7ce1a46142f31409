package state

import "github.com/cambium-dev/cambium/undo"

// Op is that of package undo.
type Op = undo.Op

// Title is that of package undo.
type Title = undo.Title

// File is that of package undo.
type File = undo.File

// Change is that of package undo.
type Change = undo.Change

// Status is that of package undo.
type Status = undo.Status

// Operation is that of package undo.
type Operation = undo.Operation

// Trashed is that of package undo.
type Trashed = undo.Trashed

// Restored is that of package undo.
type Restored = undo.Restored

// Reverter is that of package undo.
type Reverter = undo.Reverter

// Ambiguous is that of package undo.
type Ambiguous = undo.Ambiguous

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

// What goes wrong, as package undo says.
var (
	ErrUnknown  = undo.ErrUnknown
	ErrUndone   = undo.ErrUndone
	ErrConflict = undo.ErrConflict
	ErrBusy     = undo.ErrBusy
)
