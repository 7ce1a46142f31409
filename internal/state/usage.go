package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Usage is what one kind of thing that Cambium keeps takes on the disk.
type Usage struct {
	// Kind is the kind, Dir where it is.
	Kind, Dir string
	// Files and Bytes are what is there.
	Files int
	Bytes int64
	// Waste are the parts of it that are of no more use.
	Waste []Waste
	// Policy says what is kept, and for how long.
	Policy string
}

// A Waste is something that may go.
type Waste struct {
	// Path is the file or directory, Why says why it may go.
	Path, Why string
	Bytes     int64
	remove    func(ctx context.Context) error
}

// NewWaste returns what may go of what lies elsewhere.
func NewWaste(path, why string, size int64, remove func(ctx context.Context) error) Waste {
	return Waste{Path: path, Why: why, Bytes: size, remove: remove}
}

// Remove takes it away.
func (w *Waste) Remove(ctx context.Context) error {
	if err := w.remove(ctx); err != nil {
		return fmt.Errorf("remove %q: %w", w.Path, err)
	}
	return nil
}

// Usage says what the state directory takes, and what of it is of no more use: what is
// done with, and what can be taken back but is older than before.
func (j *Journal) Usage(ctx context.Context, before time.Time) ([]Usage, error) {
	ops, err := j.List(ctx)
	if err != nil {
		return nil, err
	}
	all := []Usage{
		{Kind: "presence", Policy: "who has which session open; what processes left that are gone goes by itself"},
		{Kind: "pending", Policy: "what is under way; the next command settles what was interrupted"},
		{Kind: "kept", Policy: "bytes that an operation replaced; what was taken back or never made goes at once, what is older only when it is cleaned"},
		{Kind: "drafts", Policy: "prompts without an answer; those whose session holds them, and older ones, go to the trash when it is cleaned"},
		{Kind: "trash", Policy: "removed sessions; what is older goes when it is cleaned"},
		{Kind: "operations", Policy: fmt.Sprintf("the record of what can be taken back; above %d MiB the older half goes", maxRecord>>20)},
	}
	for i := range all {
		u := &all[i]
		u.Dir = j.path(u.Kind)
		if u.Files, u.Bytes, err = measure(j.own, u.Dir); err != nil {
			return nil, fmt.Errorf("look at %q: %w", u.Dir, err)
		}
		switch u.Kind {
		case "presence":
			u.Waste = j.oldPresence()
		case "kept":
			u.Waste = j.oldKept(ops, before)
		case "drafts":
			u.Waste, err = j.oldDrafts(ctx, before)
		case "trash":
			u.Waste, err = j.oldTrash(ctx, before)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// measure counts what is below a path.
func measure(fsys vfs.FS, path string) (files int, size int64, err error) {
	info, err := fsys.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if !info.Mode.IsDir() {
		return 1, info.Size, nil
	}
	infos, err := fsys.ReadDir(path)
	for _, info := range infos {
		f, s, inner := 1, info.Size, error(nil)
		if info.Mode.IsDir() {
			f, s, inner = measure(fsys, filepath.Join(path, info.Name))
		}
		files, size, err = files+f, size+s, errors.Join(err, inner)
	}
	return files, size, err
}

// oldPresence are the presence files of processes that are gone.
func (j *Journal) oldPresence() (all []Waste) {
	p := NewPresence(PresenceOptions{Dir: j.opt.Dir, FS: j.own, Now: j.opt.Now})
	shards, _ := j.own.Names(p.dir()) // without them there is nothing to find
	for _, shard := range shards {
		dir := filepath.Join(p.dir(), shard)
		infos, err := j.own.ReadDir(dir)
		if err != nil {
			if info, err := j.own.Lstat(dir); err == nil { // a file, as they lay here before
				info.Name = ""
				infos = append(infos, info)
			}
		}
		for _, info := range infos {
			path := filepath.Join(dir, info.Name)
			if !info.Regular() || p.recent(info.ModTime) || !j.unlocked(path) {
				continue
			}
			all = append(all, Waste{path, "its process is gone", info.Size, func(context.Context) error {
				p.look(path) // takes it away, if it still is so
				return nil
			}})
		}
	}
	return all
}

// unlocked reports whether nobody holds the lock of a file.
func (j *Journal) unlocked(path string) bool {
	f, err := j.own.Open(path, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	ok, err := f.TryLock()
	return ok && err == nil
}

// oldKept are the bytes that no operation can put back any more, or an old one.
func (j *Journal) oldKept(ops []Operation, before time.Time) (all []Waste) {
	names, _ := j.own.Names(j.path("kept")) // without them there is nothing to find
	for _, id := range names {
		why := "what can be taken back does not go back so far"
		i := slices.IndexFunc(ops, func(o Operation) bool { return o.ID == id })
		switch {
		case i >= 0 && !ops[i].Undoable():
			why = fmt.Sprintf("the %s is %s", ops[i].Op, ops[i].Status)
		case i >= 0 && ops[i].Status == Done && ops[i].At.Before(before):
			why = fmt.Sprintf("the %s was on %s", ops[i].Op, ops[i].At.Format(time.DateOnly))
		case i >= 0:
			continue
		}
		dir := j.path("kept", id)
		_, size, err := measure(j.own, dir)
		if info, stat := j.own.Lstat(dir); err != nil || stat != nil || i < 0 && time.Unix(0, info.ModTime).After(j.opt.Now().Add(-time.Hour)) {
			continue // it may be on its way to the record
		}
		all = append(all, Waste{dir, why, size, func(ctx context.Context) error {
			if i >= 0 && ops[i].Undoable() {
				if err := j.mark(ctx, line{ID: id, Status: Emptied}); err != nil {
					return err
				}
			}
			return j.drop(dir)
		}})
	}
	return all
}

// drop deletes a directory of the state directory.
func (j *Journal) drop(dir string) error {
	k := *j
	k.fs = j.own
	return errors.Join(k.removeTree(dir), j.own.SyncDir(filepath.Dir(dir)))
}

// oldDrafts are those that nobody writes and whose session holds them, or that are old.
func (j *Journal) oldDrafts(ctx context.Context, before time.Time) (all []Waste, err error) {
	if j.opt.Shared != nil {
		return nil, nil
	}
	drafts, err := j.Drafts(ctx)
	for _, k := range drafts {
		if k.Busy || !k.Saved && !k.Modified.Before(before) {
			continue
		}
		why := "its session holds it"
		if !k.Saved {
			why = "it was last written on " + k.Modified.Format(time.DateOnly) + "; it goes to the trash"
		}
		info, err := j.own.Lstat(k.File)
		if err != nil {
			continue // taken away meanwhile
		}
		all = append(all, Waste{k.File, why, info.Size, func(ctx context.Context) error {
			_, err := j.Trash(ctx, Change{Op: Discard, Path: k.File, Session: k.ID, Agent: k.Agent, File: File{Dev: info.Dev, Ino: info.Ino}})
			return err
		}})
	}
	return all, err
}

// oldTrash is what was removed long ago.
func (j *Journal) oldTrash(ctx context.Context, before time.Time) (all []Waste, err error) {
	if j.opt.Shared != nil {
		return nil, nil // other machines have it, too
	}
	trashed, err := j.Trashed(ctx)
	for _, t := range trashed {
		if t.At.IsZero() || !t.At.Before(before) {
			continue
		}
		_, size, err := measure(j.fs, t.Dir)
		if err != nil {
			continue
		}
		all = append(all, Waste{t.Dir, "removed on " + t.At.Format(time.DateOnly) + ": " + strings.ToValidUTF8(t.Path, "?"), size, func(ctx context.Context) error {
			_, err := j.Empty(ctx, t.ID)
			return err
		}})
	}
	return all, err
}
