package work

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cambium-dev/cambium/internal/places"
)

// A Step is a part of what is asked for.
type Step int

// The steps that may fail.
const (
	// Opening a session.
	Opening Step = iota
	// Saving what was changed in a session, or a file of Cambium's own.
	Saving
	// Recording what is done to a session, and taking it back.
	Recording
	// Reaching a shared store.
	Reaching
	// Placing a new session where it is to be.
	Placing
	// Listing sessions.
	Listing
)

// An Error says which step failed, and for which path; "" for none.
type Error struct {
	Step Step
	Path string
	Err  error
}

// Error returns the text of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// opening returns the error of opening a session.
func opening(path string, err error) error { return &Error{Opening, path, err} }

// saving returns the error of changing a session.
func saving(path string, err error) error { return &Error{Saving, path, err} }

// RecordError is the error of recording what is done to the session at a path, or of
// taking it back.
func (l *Library) RecordError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || Full(err) {
		err = fmt.Errorf("%w (the records are in %q)", err, places.Own(l.Env).State)
	}
	return &Error{Recording, path, err}
}

// An Empty error is for a session that is to be there, and whose file is empty.
type Empty struct{ Path string }

// Error says where it is.
func (e *Empty) Error() string { return fmt.Sprintf("open session %q: the file is empty", e.Path) }

// A ReadOnly error is for a session that cannot be written to.
type ReadOnly struct{ Path, Reason string }

// Error says why.
func (e *ReadOnly) Error() string {
	return fmt.Sprintf("write session %q: it is read-only: %s", e.Path, e.Reason)
}

// Cause returns what is wrong with a path without the path.
func Cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
