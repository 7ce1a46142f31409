package storage

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// What goes wrong in every store. Each error of a store that means one of
// these wraps it.
var (
	// ErrNotExist: there is nothing of that name. It is fs.ErrNotExist.
	ErrNotExist = fs.ErrNotExist
	// ErrExist: the name is taken. Choose another; nothing was changed. It is
	// fs.ErrExist.
	ErrExist = fs.ErrExist
	// ErrLocked: somebody held the lock until the context ended, or for a few
	// seconds. Try again; nothing was changed. A [*Locked] says who it is, where
	// that can be known.
	ErrLocked = errors.New("locked by another writer")
	// ErrNotRegular: the name is there, but it is not a log: a directory, a
	// FIFO, a device. Leave it alone.
	ErrNotRegular error = vfs.ErrNotRegular
	// ErrLost: lines that were appended are no longer in the log after a sync
	// failed. Append them again.
	ErrLost = errors.New("appended lines are lost")
)

// Change is what became of a log since a mark.
type Change int

// Changes.
const (
	// Grown: others appended. Read from the old mark to see what.
	Grown Change = iota + 1
	// Replaced: another log has the name now. All of it is unread; what the
	// log was before can still be had through a Salvager.
	Replaced
	// Moved: the log has another name now, Changed.Name if it is known, and is
	// otherwise as it was. This Log follows it.
	Moved
	// Truncated: the log is shorter than it was. What is left of it may be
	// other bytes, too.
	Truncated
	// Gone: the log has no name any more, and the name no log. The mark to go
	// on with is the zero Mark: an Append begins the log anew. A Salvager can
	// put back what was.
	Gone
	// Touched: same log, same size, yet written to or touched since. Some
	// bytes may be other ones, of a first line with room for changes above
	// all. Read it again if that matters.
	Touched
)

// String returns the kind as a word in lower case.
func (c Change) String() string {
	switch c {
	case Grown:
		return "grown"
	case Replaced:
		return "replaced"
	case Moved:
		return "moved"
	case Truncated:
		return "truncated"
	case Gone:
		return "gone"
	case Touched:
		return "touched"
	}
	return "unchanged"
}

// Changed is the answer to a mark that is stale. Nothing was written. The
// caller makes itself familiar with what is there and goes on with Now.
type Changed struct {
	// Kind is what happened.
	Kind Change
	// Now is the mark of the log as it is; zero if there is none.
	Now Mark
	// Name is the log's new name when it moved, if that is known. What was
	// replaced can have moved before.
	Name string
}

// Error says what became of the log.
func (c *Changed) Error() string {
	if c.Name != "" {
		return fmt.Sprintf("log has changed: %s to %q", c.Kind, c.Name)
	}
	return fmt.Sprintf("log has changed: %s", c.Kind)
}

// Partial is the error of an Append that stopped between lines: the first
// Lines lines are in place, whole, and nothing of the next. The cause is Err.
type Partial struct {
	// Lines counts the lines in place.
	Lines int
	// Err is why the others are not.
	Err error
}

// Error says how far it went and why it stopped.
func (p *Partial) Error() string {
	return fmt.Sprintf("append: %d lines in place: %v", p.Lines, p.Err)
}

// Unwrap returns the cause.
func (p *Partial) Unwrap() error { return p.Err }

// Locked is the error of a call that waited for the lock of a log in vain.
// It is ErrLocked.
type Locked struct {
	// PID and Program are the process that holds the lock; 0 and "" when they
	// are not known.
	PID     int
	Program string
	// Stopped says that this process does not run at present.
	Stopped bool
	// Todo says what can be done about it.
	Todo string
	// Err is the whole of it, with why the waiting ended.
	Err error
}

// Error says who holds the lock.
func (l *Locked) Error() string { return fmt.Sprintf("%v: %v", ErrLocked, l.Err) }

// Is makes it ErrLocked.
func (l *Locked) Is(target error) bool { return target == ErrLocked }

// Unwrap returns the whole of it.
func (l *Locked) Unwrap() error { return l.Err }

// AsLocked returns an error of waiting for a lock as a [*Locked], any other one as
// it is.
func AsLocked(err error) error {
	if err == nil {
		return nil
	}
	var held *vfs.Held
	if !errors.As(err, &held) {
		return err
	}
	by := held.By
	return &Locked{PID: by.PID, Program: by.Program, Stopped: by.Stopped, Todo: by.Todo(), Err: err}
}
