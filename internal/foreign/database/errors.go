package database

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// What keeps a database from being read.
var (
	// ErrBusy: another program does not stop writing to it, or has not finished. Later it
	// can be read.
	ErrBusy = errors.New("another program is writing to it")
	// ErrPartial: a table or a column is missing that every version of the program has.
	// The program may be changing it to a new form just now.
	ErrPartial = errors.New("it lacks a table or a column")
	// ErrNewer: it has the form of a later version of the program.
	ErrNewer = errors.New("a later version of the program wrote it")
	// ErrDamaged: it is no SQLite database, or a damaged one.
	ErrDamaged = errors.New("it is damaged, or no database")
	// ErrLarge: it takes too long to read, or what is read is too large.
	ErrLarge = errors.New("it is too large to read")
)

// An Error says what is wrong with a database.
type Error struct {
	// Path is its file.
	Path string
	// Err is the cause, one of the sentinels of this package where one fits.
	Err error
}

// Error returns path and cause on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("read sessions in %q: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// told returns err with the sentinel that says what it means.
func told(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return fmt.Errorf("%w: %v", ErrBusy, err)
	case sqlite.ResultNotADB, sqlite.ResultCorrupt, sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultFormat:
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	case sqlite.ResultTooBig, sqlite.ResultInterrupt, sqlite.ResultNoMem:
		return fmt.Errorf("%w: %v", ErrLarge, err)
	}
	return err
}

// Broken reports whether err says that pages of a database cannot be read.
func Broken(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultIOErr:
		return true
	}
	return false
}
