package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// jsonOperation is something that was done to a session, or taken back.
type jsonOperation struct {
	Op   string `json:"op"`
	ID   string `json:"undoId"`
	Path string `json:"path"`
	At   string `json:"at"`
}

// journal returns the record of what is done to sessions: those on the disk, or
// those in the shared store, whose trash is in it.
func (a *app) journal() *state.Journal { return a.journalOn(nil) }

// journalOn is journal with the sessions on the disk reached through a file system;
// nil means that of the machine.
func (a *app) journalOn(fsys vfs.FS) *state.Journal {
	o := state.Options{
		FS:  fsys,
		Dir: layout.Own(a.env).State, Now: a.Now, Random: a.Random,
		Sidecar: a.sidecar,
		Report: func(path string, err error) {
			a.note(path, err.Error())
		},
	}
	if a.shared != nil {
		o.Dir = a.storeState()
		o.Shared = &state.Shared{
			Store: a.shared.Store, FS: storefs.NewWritable(a.ctx, a.shared.Store),
			Trash: path.Join(layout.Own(a.storeEnv()).State, "trash"),
		}
	}
	return state.New(o)
}

// sidecar returns the lock file that omp wants to see beside its sessions.
func (a *app) sidecar(path string) string {
	if a.agent != dialect.Omp && layout.Owner(path, a.env) != string(dialect.Omp) {
		return ""
	}
	dir, base := filepath.Split(path)
	return dir + "." + base + ".lock"
}

// operation prints one line about an operation: its id, kind, time, and where
// the session is, or was.
func (a *app) operation(o state.Operation, path string) error {
	if a.flags.json {
		return a.emit(jsonOperation{Op: string(o.Op), ID: o.ID, Path: path, At: isoTime(o.At)})
	}
	kind := string(o.Op)
	if kind == "" {
		kind = "?"
	}
	_, err := fmt.Fprintf(a.out, "%s  %-8s  %-10s  %s\n", term.Line(o.ID), term.Line(kind), when(o.At, a.Now()), term.Line(path))
	return err
}

// when is ago for a time that may be unknown.
func when(t, now time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return ago(t, now)
}
