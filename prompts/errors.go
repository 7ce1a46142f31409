package prompts

import (
	"errors"
	"fmt"
	"io/fs"

	"zombiezen.com/go/sqlite"
)

// ErrUnsaved is wrapped by the error of Flush and Close when prompts could not
// be written.
var ErrUnsaved = errors.New("prompts are not saved")

// ErrForeign is the cause for a database that holds something else than prompts.
var ErrForeign = errors.New("it is a database, but not of prompts")

// ErrClosed is the cause when a prompt is added after Close.
var ErrClosed = errors.New("the history is closed")

// A fileError says what is wrong with a database, and what comes of it.
type fileError struct {
	// path is the file.
	path string
	// act is what was tried: "read prompts", "keep prompts".
	act string
	// err is the cause.
	err error
	// then is what was done about it, "" for nothing.
	then string
}

// Error returns act, path, cause and consequence on one line.
func (e *fileError) Error() string {
	text := fmt.Sprintf("%s %q: %s", e.act, e.path, plain(e.err))
	if e.then != "" {
		text += "; " + e.then
	}
	return text
}

// Unwrap returns the cause.
func (e *fileError) Unwrap() error { return e.err }

// plain says in plain words what is wrong with a file, without its path.
func plain(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultNotADB:
		return "not an SQLite database"
	case sqlite.ResultCorrupt, sqlite.ResultConstraint:
		return "it is damaged"
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return "another program has it locked"
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultAuth:
		return "it may not be written"
	case sqlite.ResultCantOpen:
		return "it cannot be opened"
	case sqlite.ResultTooBig:
		return "a value in it is longer than 16 MiB"
	case sqlite.ResultFull:
		return "no space is left"
	}
	return err.Error()
}

// unusable reports whether err says that a file is no database of prompts, one that
// is not safe to write to, or a damaged one: a broken index may come out as a constraint, of which the tables
// have none that a prompt could violate.
func unusable(err error) bool {
	if err == nil || errors.Is(err, ErrForeign) || errors.Is(err, errStrange) {
		return err != nil
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultConstraint:
		return true
	}
	return false
}

// busy reports whether err says that somebody else is writing.
func busy(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return err != nil && (code == sqlite.ResultBusy || code == sqlite.ResultLocked)
}
