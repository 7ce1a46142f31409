package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
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
	// Left is what is there and is nothing that Cambium put there: it stays.
	Left []Left
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
	own, release := vfs.Hold(j.own, j.opt.Dir)
	defer release()
	s, err := j.sieve(own)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", j.opt.Dir, err)
	}
	for i := range all {
		u := &all[i]
		u.Dir = j.path(u.Kind)
		if u.Files, u.Bytes, err = measure(j.own, u.Dir); err != nil {
			return nil, fmt.Errorf("look at %q: %w", u.Dir, err)
		}
		if u.Kind == "operations" || u.Files == 0 {
			continue
		}
		if err := s.dir(u.Dir); err != nil {
			u.Left = append(u.Left, leave(u.Dir, err))
			continue
		}
		switch u.Kind {
		case "presence":
			j.oldPresence(s, u)
		case "kept":
			j.oldKept(s, u, ops, before)
		case "drafts":
			err = j.oldDrafts(ctx, u, before)
		case "trash":
			err = j.oldTrash(ctx, s, u, before)
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
func (j *Journal) oldPresence(s sieve, u *Usage) {
	p := NewPresence(PresenceOptions{Dir: j.opt.Dir, FS: j.own, Now: j.opt.Now})
	infos, _ := s.fs.ReadDir(p.dir()) // without them there is nothing to find
	for _, info := range infos {
		path := filepath.Join(p.dir(), info.Name)
		if info.Regular() { // as they lay here before
			j.oldPresenceFile(p, u, path, info)
			continue
		}
		err := s.dir(path)
		if err == nil && !shardName.MatchString(info.Name) {
			err = ErrNotOurs
		}
		if err != nil {
			u.Left = append(u.Left, leave(path, err))
			continue
		}
		files, _ := s.fs.ReadDir(path)
		for _, info := range files {
			j.oldPresenceFile(p, u, filepath.Join(path, info.Name), info)
		}
	}
}

// oldPresenceFile looks at one of them.
func (j *Journal) oldPresenceFile(p *Presence, u *Usage, path string, info vfs.Info) {
	if !info.Regular() || !presenceName.MatchString(info.Name) {
		u.Left = append(u.Left, leave(path, ErrNotOurs))
		return
	}
	if p.recent(info.ModTime) || !j.unlocked(path) {
		return
	}
	u.Waste = append(u.Waste, Waste{path, "its process is gone", info.Size, func(context.Context) error {
		p.look(path, p.ours(filepath.Dir(path))) // takes it away, if it still is so
		return nil
	}})
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
func (j *Journal) oldKept(s sieve, u *Usage, ops []Operation, before time.Time) {
	names, _ := s.fs.Names(u.Dir) // without them there is nothing to find
	for _, id := range names {
		dir := filepath.Join(u.Dir, id)
		if err := s.item(dir, keptName); err != nil {
			u.Left = append(u.Left, leave(dir, err))
			continue
		}
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
		_, size, err := measure(j.own, dir)
		if info, stat := j.own.Lstat(dir); err != nil || stat != nil || i < 0 && time.Unix(0, info.ModTime).After(j.opt.Now().Add(-time.Hour)) {
			continue // it may be on its way to the record
		}
		u.Waste = append(u.Waste, Waste{dir, why, size, func(ctx context.Context) error {
			if err := j.cleanable(dir, keptName); err != nil {
				return err
			}
			if i >= 0 && ops[i].Undoable() {
				if err := j.mark(ctx, line{ID: id, Status: Emptied}); err != nil {
					return err
				}
			}
			return j.drop(dir)
		}})
	}
}

// cleanable fails for what is not as Cambium leaves it, looked at anew.
func (j *Journal) cleanable(dir string, names *regexp.Regexp) error {
	own, release := vfs.Hold(j.own, j.opt.Dir)
	defer release()
	s, err := j.sieve(own)
	if err != nil {
		return err
	}
	if err := s.dir(filepath.Dir(dir)); err != nil {
		return err
	}
	return s.item(dir, names)
}

// drop deletes a directory of the state directory.
func (j *Journal) drop(dir string) error {
	k := *j
	var release func()
	k.fs, release = vfs.Hold(j.own, j.opt.Dir)
	defer release()
	return errors.Join(k.removeTree(dir), k.fs.SyncDir(filepath.Dir(dir)))
}

// oldDrafts are those that nobody writes and whose session holds them, or that are old.
func (j *Journal) oldDrafts(ctx context.Context, u *Usage, before time.Time) error {
	if j.opt.Shared != nil {
		return nil
	}
	drafts, err := j.Drafts(ctx)
	for _, k := range drafts {
		if k.Busy || !k.Saved && !k.Modified.Before(before) {
			continue
		}
		if !draftName.MatchString(filepath.Base(k.File)) {
			u.Left = append(u.Left, leave(k.File, ErrNotOurs))
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
		u.Waste = append(u.Waste, Waste{k.File, why, info.Size, func(ctx context.Context) error {
			_, err := j.Trash(ctx, Change{Op: Discard, Path: k.File, Session: k.ID, Agent: k.Agent, File: File{Dev: info.Dev, Ino: info.Ino}})
			return err
		}})
	}
	return err
}

// oldTrash is what was removed long ago.
func (j *Journal) oldTrash(ctx context.Context, s sieve, u *Usage, before time.Time) error {
	if j.opt.Shared != nil {
		return nil // other machines have it, too
	}
	names, err := s.fs.Names(u.Dir)
	if err != nil {
		return err
	}
	strange := map[string]bool{}
	for _, name := range names {
		dir := filepath.Join(u.Dir, name)
		if err := s.item(dir, trashName); err != nil {
			strange[dir] = true
			u.Left = append(u.Left, leave(dir, err))
		}
	}
	trashed, err := j.Trashed(ctx)
	for _, t := range trashed {
		if strange[t.Dir] || t.At.IsZero() || !t.At.Before(before) {
			continue
		}
		_, size, err := measure(j.fs, t.Dir)
		if err != nil {
			continue
		}
		u.Waste = append(u.Waste, Waste{t.Dir, "removed on " + t.At.Format(time.DateOnly) + ": " + strings.ToValidUTF8(t.Path, "?"), size, func(ctx context.Context) error {
			_, err := j.Empty(ctx, t.ID)
			return err
		}})
	}
	return err
}
