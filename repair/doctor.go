package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/undo"
)

// A Keeper keeps what a repair replaces, so that it can be taken back.
type Keeper interface {
	// Begin keeps the file of a change before it is made, and names it.
	Begin(ctx context.Context, c undo.Change) (id string, err error)
	// End records how the change ended.
	End(ctx context.Context, id string, failed error) error
	// EndAt records that it is done and made the first size bytes of the file.
	EndAt(ctx context.Context, id string, size int64) error
	// Trash takes a file away.
	Trash(ctx context.Context, c undo.Change) (undo.Operation, error)
	// Undo takes a change back.
	Undo(ctx context.Context, id string, revert undo.Reverter) (undo.Restored, error)
}

var _ Keeper = (*state.Journal)(nil)

// Options say where to look and what to use of the machine.
type Options struct {
	// Env is what is known of the machine.
	Env layout.Env
	// Agents are the dialects whose homes are looked into; nil means all. One
	// alone is the dialect of the sessions that are named, too.
	Agents []dialect.Name
	// AgentDir overrides the agent directory; it needs one dialect in Agents.
	AgentDir string
	// SessionDir is the one directory to look into, instead of the homes.
	SessionDir string
	// Store holds the sessions, when the disk does not. Blobs holds then what is
	// too large for a line, and Spare are directories on the disk in which blobs
	// are looked for that it lacks.
	Store storage.Store
	Blobs blob.Store
	Spare []string
	// Keeper keeps what is replaced; without one nothing is repaired.
	Keeper Keeper
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Alive reports whether there is a process of that number; nil asks the
	// system.
	Alive func(pid int) bool
	// Progress, if not nil, is told how many of how many files were looked at.
	Progress func(done, total int)

	// fs is the file system; nil means the machine's. With a Store it shows that
	// as files that can be changed.
	fs vfs.FS
	// programs are those whose sessions are left as they are.
	programs foreign.Programs
}

var (
	_ = vfs.Taken(func(o *Options) *vfs.FS { return &o.fs }, nil)
	_ = foreign.Taken(func(o *Options) *foreign.Programs { return &o.programs })
)

// A Doctor looks for damage. It is not safe for concurrent use.
type Doctor struct {
	opt    Options
	fs     vfs.FS
	store  storage.Store
	locked map[string]bool     // files of omp, which wants its lock file
	named  map[string][]string // blob directory and hash to names that begin so
}

// New returns a doctor. It looks at nothing yet.
func New(o Options) *Doctor {
	switch {
	case o.fs != nil:
	case o.Store != nil:
		o.fs = storefs.NewWritable(context.Background(), o.Store)
	default:
		o.fs = vfs.OS()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alive == nil {
		o.Alive = vfs.Alive
	}
	d := &Doctor{opt: o, fs: o.fs, locked: map[string]bool{}}
	if d.store = o.Store; d.store == nil {
		d.store = d.local()
	}
	return d
}

// below returns the doctor for work on what lies in a directory, in which it
// follows no link: somebody else may put one there at any moment. The directory
// stays what it is now until release is called, which must be.
func (d *Doctor) below(dir string) (_ *Doctor, release func()) {
	if d.opt.Store != nil {
		return d, func() {}
	}
	o := d.opt
	o.fs, release = vfs.Hold(d.fs, dir)
	k := New(o)
	k.locked = d.locked
	return k, release
}

// local is the store of the disk, with the lock files that omp wants.
func (d *Doctor) local() storage.Store {
	return local.New(vfs.On(local.Options{Sidecar: func(name string) string {
		if !d.locked[name] {
			return ""
		}
		return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".lock")
	}}, d.fs))
}

// Session returns what is wrong with the session file at path, and, as reports
// of their own, what lies about beside it. What is no session is a finding; the
// error is fs.ErrNotExist, wrapped, or that of a directory.
func (d *Doctor) Session(ctx context.Context, path string) ([]*Report, error) {
	if info, err := d.fs.Lstat(path); err != nil {
		return nil, fmt.Errorf("look at %q: %w", path, err)
	} else if info.Mode.IsDir() {
		return nil, &journal.ThingError{Thing: journal.Directory, Err: fmt.Errorf("look at %q: %w", path, vfs.ErrNotRegular)}
	}
	one, err := d.file(ctx, path)
	if err != nil {
		return nil, err
	}
	all := []*Report{one}
	target, err := vfs.Resolve(d.fs, path)
	if err != nil {
		return all, nil // a finding already
	}
	entries, err := d.fs.ReadDir(filepath.Dir(target))
	if err != nil {
		return all, nil // nobody asked about the directory
	}
	for _, e := range entries {
		l, ok := leftoverOf(e.Name)
		if !ok || l.of != filepath.Base(target) {
			continue
		}
		r, err := d.leftover(ctx, filepath.Dir(target), e, l)
		if err != nil {
			return all, err
		}
		if r != nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// Fix repairs what can be repaired of a report, and marks its findings. On an
// error the file is as it was before, or what the error says.
func (d *Doctor) Fix(ctx context.Context, r *Report) error {
	if !r.Fixable() || r.fix == nil {
		return nil
	}
	if d.opt.Keeper == nil {
		return fmt.Errorf("repair %q: there is nothing to keep a backup with", r.Path)
	}
	if d.opt.Store == nil {
		if err := d.opt.programs.Refusal(d.fs, r.Path, session.ErrReadOnly); err != nil {
			return fmt.Errorf("repair %q: %w", r.Path, err)
		}
	}
	undo, err := r.fix(ctx)
	if err != nil {
		return fmt.Errorf("repair %q: %w", r.Path, err)
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Fixable {
			f.Fixed = true
			if f.UndoID == "" {
				f.UndoID = undo
			}
		}
	}
	return nil
}

// sessionOptions say how a session is opened to look at it.
func (d *Doctor) sessionOptions() session.Options {
	o := session.Options{Env: d.opt.Env, AgentDir: d.opt.AgentDir, Dir: d.opt.SessionDir, Store: d.store, Blobs: d.opt.Blobs, ReadOnly: true, Now: d.opt.Now}
	if len(d.opt.Agents) == 1 {
		o.Dialect = d.opt.Agents[0]
	}
	return o
}

// file looks at what has the name of a session file.
func (d *Doctor) file(ctx context.Context, path string) (*Report, error) {
	r := &Report{Path: path}
	target, err := vfs.Resolve(d.fs, path)
	if err == nil && target != path {
		_, err = d.fs.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) {
			r.whole(Finding{Kind: kindSpecial, Detail: fmt.Sprintf("a link that leads nowhere, to %q", target),
				Plan: "it is left alone: what it leads to may come back"})
			return r, nil
		}
	}
	if err == nil {
		err = d.examine(ctx, r, target)
		d.beside(ctx, r, target)
	}
	wrong, failed := powers.Audit(ctx, d.store, path)
	if failed == nil && wrong != "" {
		r.whole(Finding{Kind: kindHead, Detail: wrong, Fixable: true,
			Plan: "what the store says of it is made to agree with the lines that are there; none is taken away, and the next look shows what they are"})
		r.fix = d.amending(path, r.fix)
		return r, nil
	}
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, session.ErrNotSession):
		r.whole(Finding{Kind: kindNotSession, Detail: "not a session: it holds no entry and no header",
			Plan: "it is left alone; nothing in it can be told from other bytes"})
	case errors.Is(err, vfs.ErrNotRegular):
		r.whole(Finding{Kind: kindSpecial, Detail: "not a regular file", Plan: "it is left alone, and no program should open it"})
	case errors.Is(err, syscall.ELOOP):
		r.whole(Finding{Kind: kindSpecial, Detail: "a link that leads to itself", Plan: "it is left alone; no program can open it"})
	case errors.Is(err, fs.ErrPermission):
		r.whole(Finding{Kind: Unreadable, Detail: "it may not be read", Plan: "make it readable and look again"})
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		r.whole(Finding{Kind: Unreadable, Detail: cause(err), Plan: "repair the disk, or copy the file to another one, and look again"})
	}
	return r, nil
}

// amending returns a repair that has the store say of a log what it holds, and
// then does what else is planned.
func (d *Doctor) amending(path string, then func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if err := powers.Amend(ctx, d.store, path); err != nil || then == nil {
			return "", err
		}
		return then(ctx)
	}
}

// cause returns what is wrong with a path without the path.
func cause(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
