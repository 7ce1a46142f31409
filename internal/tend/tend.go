// Package tend takes sessions away, brings them back and takes back what was done to
// them, for the engine and for the command alike: which record that goes on, what is
// removed and what is not, which drafts there are.
package tend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/undo"
)

// A Keep is where the record of what is done to sessions lies, and whose it is.
type Keep struct {
	// Env is the machine, Agent whose sessions they are, "" for any.
	Env   layout.Env
	Agent dialect.Name
	// Store holds the sessions, nil for the disk; Dir is then where this machine
	// keeps the record. Context is that of who uses the store.
	Store   storage.Store
	Dir     string
	Context context.Context
	// FS is the file system of the disk, nil for that of the machine.
	FS vfs.FS
	// Now is the clock, Random where ids come from.
	Now    func() time.Time
	Random io.Reader
	// Report is told of what went wrong without changing how an operation ended; nil
	// means nobody is.
	Report func(path string, err error)
}

// Journal returns the record of what is done to the sessions on the disk, or to those
// in a store, whose trash is in it.
func (k Keep) Journal() *state.Journal {
	o := state.Options{
		FS: k.FS, Dir: places.Own(k.Env).State, Now: k.Now, Random: k.Random, Sidecar: k.sidecar, Report: k.Report,
	}
	if k.Store != nil {
		o.Dir = k.Dir
		o.Shared = &state.Shared{
			Store: k.Store, FS: storefs.NewWritable(k.Context, k.Store),
			Trash: path.Join(places.Own(k.Env.InStore()).State, "trash"),
		}
	}
	return state.New(o)
}

// StoreDir returns where a machine keeps what is its own about a store, which is named
// by its key; "" for nowhere.
func StoreDir(env layout.Env, key string) string {
	own := places.Own(env).State
	if key == "" || !filepath.IsAbs(own) {
		return ""
	}
	return filepath.Join(own, "stores", fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:16])
}

// sidecar returns the lock file that omp wants to see beside its sessions.
func (k Keep) sidecar(name string) string {
	if k.Agent != dialect.Omp && places.Owner(name, k.Env) != string(dialect.Omp) {
		return ""
	}
	dir, base := filepath.Split(name)
	return dir + "." + base + ".lock"
}

// Options returns those with which a change that is on record is dealt with.
func Options(o session.Options, c undo.Change) session.Options {
	o.Dialect, o.AgentDir, o.Dir = dialect.Name(c.Agent), "", ""
	return o
}

// Reverter takes back a rename or a move of sessions that are opened so.
func Reverter(o session.Options) undo.Reverter {
	return func(ctx context.Context, c undo.Change) (string, string, error) {
		return session.Revert(ctx, c, Options(o, c))
	}
}

// An Own error is for a file that is Cambium's own, and no session to be removed.
type Own struct{ Path string }

// Error says what is not done.
func (e *Own) Error() string {
	return fmt.Sprintf("move %q to the trash: it is Cambium's own", e.Path)
}

// A Removal says what is to be removed.
type Removal struct {
	// Path is the session, Env the machine or the store it is on, Disk whether it is
	// a file of the disk.
	Path string
	Env  layout.Env
	Disk bool
	// Blank says that nothing is in it, Regular that it is a file.
	Blank, Regular bool
	// Group is what is brought back together, "" for this alone.
	Group string
	// Open opens it to look at it.
	Open func(ctx context.Context, path string) (*session.Session, error)
	// FS is the file system of the disk, Programs those whose sessions stay on it.
	FS       vfs.FS
	Programs foreign.Programs
}

// Change returns the change that the removal is. What is no session is refused, but for
// a file that holds nothing, or the beginning of a header. The error may be an [*Own].
func (r Removal) Change(ctx context.Context) (undo.Change, error) {
	c := undo.Change{Op: state.Remove, Path: r.Path, Group: r.Group}
	if own := places.Own(r.Env).State; strings.HasPrefix(r.Path, own+string(filepath.Separator)) {
		return c, &Own{r.Path}
	}
	if err := r.Programs.Refusal(r.FS, r.Path, session.ErrReadOnly); err != nil {
		return c, err
	}
	if at, err := r.FS.Stat(r.Path); err == nil && r.Disk {
		c.File = undo.File{Dev: at.Dev, Ino: at.Ino}
	}
	if r.Regular && r.Blank {
		return c, nil
	}
	s, err := r.Open(ctx, r.Path)
	switch {
	case err == nil:
		c.Session, c.Agent = s.ID(), string(s.Dialect())
		if slices.Contains(spelling.Foreign, s.Dialect()) {
			err = &foreign.OnlyReadError{Path: r.Path, Agent: s.Dialect(), Err: session.ErrReadOnly}
		}
		return c, errors.Join(err, s.Close())
	case errors.Is(err, session.ErrNotSession) && (!r.Disk || tornHeader(r.FS, r.Path)):
		return c, nil
	}
	return c, err
}

// Blank reports whether a file of so many bytes holds nothing but blank lines: a session
// is begun in it. A file that cannot be read does not.
func Blank(fsys vfs.FS, path string, size int64) bool {
	const most = 1 << 16 // what is longer than that and blank is no accident
	if size == 0 || size > most {
		return size == 0
	}
	path, err := vfs.Resolve(fsys, path)
	if err != nil {
		return false
	}
	data, err := vfs.ReadFile(fsys, path, most)
	return err == nil && len(bytes.TrimSpace(data)) == 0
}

// tornHeader reports whether a file holds the beginning of a session's header and
// nothing else.
func tornHeader(fsys vfs.FS, path string) bool {
	data, err := vfs.ReadFile(fsys, path, 1<<16)
	return err == nil && bytes.HasPrefix(data, []byte(`{"type":"session"`)) && !bytes.Contains(bytes.TrimSpace(data), []byte{'\n'})
}

// Undoable returns what can be taken back, the last first.
func Undoable(ctx context.Context, j *state.Journal) ([]undo.Operation, error) {
	all, err := j.List(ctx)
	slices.Reverse(all)
	return slices.DeleteFunc(all, func(o undo.Operation) bool { return !o.Undoable() }), err
}

// Trashed returns what is in the trash, the last first. Of one whose record is damaged
// the path is where it lies.
func Trashed(ctx context.Context, j *state.Journal) ([]undo.Trashed, error) {
	all, err := j.Trashed(ctx)
	slices.Reverse(all)
	for i, t := range all {
		if t.Path == "" {
			all[i].Path = filepath.Join(t.Dir, "session")
		}
	}
	return all, err
}

// isBusy reports whether another process has something open.
func isBusy(err error) bool { return errors.Is(err, undo.ErrBusy) }
