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

// The kinds of change, as package undo says.
const (
	Remove       = undo.Remove
	Discard      = undo.Discard
	Move         = undo.Move
	Rename       = undo.Rename
	Migrate      = undo.Migrate
	Reinitialize = undo.Reinitialize
	Rewrite      = undo.Rewrite
	Repair       = undo.Repair
)

// The states of an operation, as package undo says.
const (
	Begun   = undo.Begun
	Done    = undo.Done
	Failed  = undo.Failed
	Undoing = undo.Undoing
	Undone  = undo.Undone
	Emptied = undo.Emptied
)

// What goes wrong, as package undo says.
var (
	ErrUnknown  = undo.ErrUnknown
	ErrUndone   = undo.ErrUndone
	ErrConflict = undo.ErrConflict
	ErrBusy     = undo.ErrBusy
)
