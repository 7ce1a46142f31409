package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

const (
	// maxTries is how often a repair begins anew because others wrote.
	maxTries = 5
	// maxGrowths is how often others may append while the file is replaced: what they
	// append is kept behind what was planned.
	maxGrowths = 1000
	// maxRounds is how often what a repair left is looked at again: a report
	// of damaged lines names so many of them only.
	maxRounds = 100
)

// sideName is the file for damaged bytes beside a session.
func sideName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".cambium-damaged")
}

// mend repairs a session file, and the blobs that it lacks.
func (d *Doctor) mend(ctx context.Context, r *Report, path string, blobs []lostBlob) (string, error) {
	if err := d.mendBlobs(ctx, r, blobs); err != nil {
		return "", err
	}
	d, release := d.below(filepath.Dir(path))
	defer release()
	for range maxTries {
		undo, err := d.mendFile(ctx, path)
		var changed *storage.Changed
		if !errors.As(err, &changed) {
			return undo, err
		}
	}
	return "", fmt.Errorf("others wrote to it at each of %d tries", maxTries)
}

// mendFile repairs the lines of a session file as it is now, all or nothing. A
// [*storage.Changed] says that somebody wrote to it before anything was done.
func (d *Doctor) mendFile(ctx context.Context, path string) (string, error) {
	log, err := d.store.Open(ctx, path, storage.Write)
	if err != nil {
		return "", err
	}
	defer func() { _ = log.Close() }() // what was written is synced
	info, err := log.Stat(ctx)
	if err != nil {
		return "", err
	}
	x, err := d.look(ctx, &Report{Path: path}, path)
	if err != nil {
		return "", err
	}
	before, err := shoot(ctx, x.s)
	h := x.s.Header()
	c := state.Change{Op: state.Repair, Path: path, Session: h.ID, Agent: string(x.s.Dialect())}
	if at, err := d.fs.Lstat(path); err == nil && d.opt.Store == nil {
		c.File = state.File{Dev: at.Dev, Ino: at.Ino}
	}
	if err := errors.Join(err, x.s.Close()); err != nil {
		return "", err
	}
	if x.plan.nothing() {
		return "", nil
	}
	// The bytes that are kept must be those that are replaced: the mark is
	// older than the copy.
	undo, err := d.opt.Keeper.Begin(ctx, c)
	if err != nil {
		return "", err
	}
	side := &sideFile{fs: d.fs, path: sideName(path)}
	wrote := int64(-1)
	if x.old() {
		err = d.migrate(ctx, path)
	} else {
		wrote, err = d.replace(ctx, log, info.Mark, x.plan.first(), side)
	}
	if err != nil {
		return "", errors.Join(err, side.undo(), d.opt.Keeper.End(context.WithoutCancel(ctx), undo, err))
	}
	return undo, d.conclude(context.WithoutCancel(ctx), &replaced{path, undo, before, side, wrote})
}

// replaced is a file that was replaced once.
type replaced struct {
	path   string
	undo   string // what it was is kept under
	before *snapshot
	side   *sideFile
	size   int64 // what was written, in bytes; -1 when that is not known
}

// conclude repairs what is left of a file that was replaced once, and sees that
// it is good. Otherwise it is put back.
func (d *Doctor) conclude(ctx context.Context, r *replaced) error {
	err := d.further(ctx, r)
	if err == nil {
		err = d.verify(ctx, r.path, r.before)
	}
	ended := d.opt.Keeper.EndAt(ctx, r.undo, r.size)
	if err == nil {
		err = ended
	}
	if err == nil {
		return nil
	}
	was, undoErr := d.opt.Keeper.Undo(ctx, r.undo, nil)
	if undoErr != nil {
		return fmt.Errorf("%w; `cambium undo %s` puts it back, which did not work now: %w", err, r.undo, undoErr)
	}
	if sideErr := r.side.undo(); sideErr != nil {
		return fmt.Errorf("%w; it is as it was, at %q, and what was moved aside is still there: %w", err, was.Now, sideErr)
	}
	return fmt.Errorf("%w; it is as it was, at %q", err, was.Now)
}

// old reports whether the session is of an older version. Its entries get ids
// that are made of the numbers of their lines: it is migrated before a line
// comes or goes.
func (x *exam) old() bool {
	return !x.harm.HeaderRebuilt && !x.harm.WrongVersion && spelling.Old(x.s.Header().Version)
}

// migrate brings a session up to date: opening it to write does.
func (d *Doctor) migrate(ctx context.Context, path string) error {
	o := d.sessionOptions()
	o.ReadOnly = false
	s, err := session.Open(ctx, path, o)
	if err != nil {
		return err
	}
	return s.Close()
}

// replace does what a plan says, if the log is still that of the mark, and
// returns how many bytes it wrote: what others append comes behind. What is in
// none of the new lines is on the disk before the old ones go.
func (d *Doctor) replace(ctx context.Context, log storage.Log, mark storage.Mark, p plan, side *sideFile) (int64, error) {
	var away [][]byte
	size := int64(0)
	pass := p.rewrite(func(raw []byte) error {
		away = append(away, bytes.Clone(raw))
		return nil
	})
	for line, err := range pass(p.own(log.Read(ctx, storage.Mark{}))) {
		if err != nil {
			return 0, err
		}
		size += int64(len(line)) + 1
	}
	if err := side.add(away); err != nil {
		return 0, err
	}
	put := p.rewrite(func([]byte) error { return nil })
	for n := 0; ; n++ {
		_, err := log.Replace(ctx, mark, func(all iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
			return put(p.checked(all))
		})
		var changed *storage.Changed
		if !errors.As(err, &changed) || errors.Is(err, errOther) || n == maxGrowths {
			return size, err
		}
		info, statErr := log.Stat(ctx)
		if statErr != nil {
			return 0, errors.Join(err, statErr)
		}
		mark = info.Mark
	}
}

// further repairs what only shows, or is only reported, when the first is done.
func (d *Doctor) further(ctx context.Context, r *replaced) error {
	log, err := d.store.Open(ctx, r.path, storage.Write)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // what was written is synced
	for range maxRounds {
		info, err := log.Stat(ctx)
		if err != nil {
			return err
		}
		x, err := d.look(ctx, &Report{Path: r.path}, r.path)
		if err != nil {
			return err
		}
		if err := x.s.Close(); err != nil {
			return err
		}
		if x.plan.nothing() {
			return nil
		}
		size, err := d.replace(ctx, log, info.Mark, x.plan.first(), r.side)
		var changed *storage.Changed
		switch {
		case err == nil && r.size < info.Size && r.size >= 0:
			// Lines of others are among what was replaced: it is no longer
			// only ours to take back.
			r.size = 0
		case err == nil:
			r.size = size
		case !errors.As(err, &changed):
			return err
		}
	}
	return errors.New("there is always more to repair")
}

// verify reads a file again and compares it with what it was.
func (d *Doctor) verify(ctx context.Context, path string, before *snapshot) error {
	x, err := d.look(ctx, &Report{Path: path}, path)
	if err != nil {
		return fmt.Errorf("read it again: %w", err)
	}
	after, err := before.again(ctx, x.s)
	if err := errors.Join(err, x.s.Close()); err != nil {
		return fmt.Errorf("read it again: %w", err)
	}
	return before.within(after)
}

// A sideFile takes damaged bytes, as lines.
type sideFile struct {
	fs   vfs.FS
	path string
	made bool
	size int64 // before; -1 when nothing was added
	used bool
}

// add appends what is not there yet and makes it durable.
func (s *sideFile) add(pieces [][]byte) error {
	if len(pieces) == 0 {
		return nil
	}
	have, err := vfs.ReadFile(s.fs, s.path, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	flag := os.O_RDWR | os.O_APPEND
	if err != nil {
		flag |= os.O_CREATE | os.O_EXCL
		s.made = true
	}
	if !s.used {
		s.used, s.size = true, int64(len(have))
	}
	lines := append([]byte{'\n'}, have...)
	var add []byte
	for _, p := range pieces {
		line := append(bytes.Clone(p), '\n')
		if !bytes.Contains(lines, append([]byte{'\n'}, line...)) {
			add = append(add, line...)
		}
	}
	if len(have) > 0 && have[len(have)-1] != '\n' {
		add = append([]byte{'\n'}, add...)
	}
	f, err := s.fs.Open(s.path, flag)
	if err != nil {
		return err
	}
	_, err = vfs.WriteAll(f, add)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %q: %w", s.path, err)
	}
	if !s.made {
		return nil
	}
	return s.fs.SyncDir(filepath.Dir(s.path))
}

// undo takes away what was added. The session still holds it.
func (s *sideFile) undo() error {
	if !s.used {
		return nil
	}
	if s.made {
		err := s.fs.Remove(s.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	f, err := s.fs.Open(s.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(s.size), f.Close())
}
