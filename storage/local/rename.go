package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Rename renames a file, under its lock so that nobody is replacing it, and
// syncs both directories. Missing directories of the new name are made. A
// symbolic link in old is resolved: the link stays, and then leads nowhere.
// Second names of old inodes go along.
func (s *diskStore) Rename(ctx context.Context, old, new string) error {
	if err := s.rename(ctx, old, new); err != nil {
		return fmt.Errorf("rename log %q to %q: %w", old, new, err)
	}
	return nil
}

func (s *diskStore) rename(ctx context.Context, old, new string) error {
	l, at, err := s.openLocked(ctx, old)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // nothing was written
	defer l.unlock(at)
	if !filepath.IsAbs(new) {
		return fmt.Errorf("%q: not an absolute path", new)
	}
	return l.rename(at, new)
}

// Move renames the file that is open, as Rename does, and no other one: a
// link or a file that took its place is left alone.
func (l *log) Move(ctx context.Context, after storage.Mark, new string) error {
	if err := l.moveTo(ctx, after, new); err != nil {
		return fmt.Errorf("rename log %q to %q: %w", l.path(), new, err)
	}
	return nil
}

func (l *log) moveTo(ctx context.Context, after storage.Mark, new string) error {
	if err := l.await(ctx); err != nil {
		return err
	}
	at, err := l.lockFile(ctx, storage.Mark{})
	defer func() { l.unlock(at) }()
	if err != nil {
		return err
	}
	if !sameFile(after, at.info) {
		return &storage.Changed{Kind: storage.Replaced, Now: markOf(at.info)}
	}
	if !filepath.IsAbs(new) {
		return fmt.Errorf("%q: not an absolute path", new)
	}
	return l.rename(at, new)
}

// rename gives the file under lock another name. What is renamed is looked at
// before and after, in directories that stay what they are: another file is put
// back.
func (l *log) rename(at locked, new string) error {
	from, to := l.path(), filepath.Clean(new)
	dirs, err := vfs.MkdirAll(l.store.opt.fs, filepath.Dir(to))
	if err != nil {
		return err
	}
	// A new directory must not be less durable than the name that moves there.
	for _, dir := range dirs {
		if err := l.store.opt.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	fsys, release := vfs.Hold(l.store.opt.fs, filepath.Dir(from), filepath.Dir(to))
	defer release()
	if err := sure(fsys, from, at.info); err != nil {
		return err
	}
	left, err := l.oldNames(fsys, from)
	if err != nil {
		return err
	}
	if err := fsys.RenameNew(from, to); err != nil {
		return err
	}
	if err := sure(fsys, to, at.info); err != nil {
		return errors.Join(err, fsys.RenameNew(to, from))
	}
	l.called(to)
	for _, o := range left {
		was := o.path
		o.base = oldBase(to)
		if err := o.name(func(path string) error { return fsys.RenameNew(was, path) }); err != nil {
			l.store.opt.Report(new, fmt.Errorf("rename old inode %q: %w", was, err))
		}
	}
	// The new name first: a crash in between leaves both, not none.
	return errors.Join(fsys.SyncDir(filepath.Dir(to)), fsys.SyncDir(filepath.Dir(from)))
}

// sure fails when a name is not that of the file that info describes.
func sure(fsys vfs.FS, name string, info vfs.Info) error {
	now, err := fsys.Lstat(name)
	if err == nil && !now.SameFile(info) {
		err = &storage.Changed{Kind: storage.Replaced, Now: markOf(now)}
	}
	return err
}

// called notes the name that we gave the file.
func (l *log) called(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name, l.moved = name, true
}

// Remove removes a file, under its lock, and the second names of its old
// inodes.
func (s *diskStore) Remove(ctx context.Context, name string) error {
	if err := s.remove(ctx, name); err != nil {
		return fmt.Errorf("remove log %q: %w", name, err)
	}
	return nil
}

func (s *diskStore) remove(ctx context.Context, name string) error {
	l, at, err := s.openLocked(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // nothing was written
	defer l.unlock(at)
	path := l.path()
	fsys, release := vfs.Hold(s.opt.fs, filepath.Dir(path))
	defer release()
	if err := sure(fsys, path, at.info); err != nil {
		return err
	}
	left, err := l.oldNames(fsys, path)
	if err != nil {
		return err
	}
	if err := fsys.Remove(path); err != nil {
		return err
	}
	for _, o := range left {
		err = errors.Join(err, o.unlink(fsys))
	}
	return errors.Join(err, fsys.SyncDir(filepath.Dir(path)))
}

// openLocked opens a log for writing and locks it.
func (s *diskStore) openLocked(ctx context.Context, name string) (*log, locked, error) {
	l, err := s.open(ctx, name, storage.Write)
	if err != nil {
		return nil, locked{}, err
	}
	if err := l.begin(ctx); err != nil {
		return nil, locked{}, errors.Join(err, l.Close())
	}
	at, err := l.lockFile(ctx, storage.Mark{})
	if err != nil {
		l.unlock(at)
		return nil, locked{}, errors.Join(err, l.Close())
	}
	if path, err := s.resolve(name); err != nil || path != l.path() {
		// Somebody renamed it while we waited: what was asked for is gone, and
		// the file is theirs under the new name.
		l.unlock(at)
		return nil, locked{}, errors.Join(cmp.Or(err, error(storage.ErrNotExist)), l.Close())
	}
	return l, at, nil
}
