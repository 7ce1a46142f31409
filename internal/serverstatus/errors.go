package serverstatus

import (
	"fmt"
	"io/fs"
)

// Old is the error of tables of an older version that are not to be upgraded.
type Old struct {
	// Where, Database and Schema say where they are.
	Where, Database, Schema string
	// Version is theirs, Wants that of the store.
	Version, Wants int64
	// Err is what the error is.
	Err error
}

// Error says which version is there.
func (e *Old) Error() string {
	return fmt.Sprintf("%v: schema %q has version %d, this program wants %d", e.Err, e.Schema, e.Version, e.Wants)
}

// Unwrap returns Err.
func (e *Old) Unwrap() error { return e.Err }

// Missing is the error of a server without a store, where none is to be made.
type Missing struct{ Where string }

// Error says where nothing is.
func (e *Missing) Error() string { return "there is no store yet in " + e.Where }

// Unwrap returns fs.ErrNotExist.
func (e *Missing) Unwrap() error { return fs.ErrNotExist }
