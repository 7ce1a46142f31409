package session

import (
	"errors"
	"fmt"
	"io/fs"
)

// What goes wrong with sessions. The errors of this package wrap them.
var (
	// ErrNotFound: there is no such session, or no such entry in it. It is
	// fs.ErrNotExist.
	ErrNotFound = fs.ErrNotExist
	// ErrNotSession: something is there, but it is not a session: it holds no
	// entry, or, for writing, no valid header. Run `cambium doctor`, or open
	// it with Reinitialize. Nothing was changed.
	ErrNotSession = errors.New("not a session")
	// ErrNoHeader: it holds entries and no valid header, and is to be written. It is
	// ErrNotSession.
	ErrNoHeader = fmt.Errorf("%w: it has entries but no valid header; run `cambium doctor` on it", ErrNotSession)
	// ErrReadOnly: the session cannot be written: it was opened to read, its
	// version is newer, or its header had to be made up.
	ErrReadOnly = errors.New("session is read-only")
	// ErrUnsaved: entries are in memory and not on disk. They stay queued; call
	// Flush to try again. The cause is wrapped beside it.
	ErrUnsaved = errors.New("entries are not saved")
	// ErrClosed: the session was closed.
	ErrClosed = errors.New("session is closed")
)

// An Error carries a message that the programs publish, word for word, so that
// it stands without the name of the session.
type Error struct {
	// Text is the message: `Entry <id> not found`.
	Text string
	// ID is the entry it is about, as the caller gave it; "" for none.
	ID string
	// Err is the sentinel that it means, nil for none.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

func noEntry(id string) error {
	return &Error{ID: id, Text: "Entry " + id + " not found", Err: ErrNotFound}
}

// unsaved wraps what kept entries from the disk.
func unsaved(err error) error {
	if err == nil || errors.Is(err, ErrUnsaved) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnsaved, err)
}
