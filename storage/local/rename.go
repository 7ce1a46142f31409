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
func (s *Store) Rename(ctx context.Context, old, new string) error {
	if err := s.rename(ctx, old, new); err != nil {
		return fmt.Errorf("rename log %q to %q: %w", old, new, err)
	}
	return nil
}

func (s *Store) rename(ctx context.Context, old, new string) error {
	l, at, err := s.openLocked(ctx, old)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // nothing was written
	defer l.unlock(at)
	if !filepath.IsAbs(new) {
		return fmt.Errorf("%q: not an absolute path", new)
	}
	from, to := l.path(), filepath.Clean(new)
	dirs, err := vfs.MkdirAll(s.opt.FS, filepath.Dir(to))
	if err != nil {
		return err
	}
	// A new directory must not be less durable than the name that moves there.
	for _, dir := range dirs {
		if err := s.opt.FS.SyncDir(dir); err != nil {
			return err
		}
	}
	left, err := l.oldNames(from)
	if err != nil {
		return err
	}
	if err := s.opt.FS.RenameNew(from, to); err != nil {
		return err
	}
	for _, o := range left {
		was := o.path
		o.base = oldBase(to)
		if err := o.name(func(path string) error { return s.opt.FS.RenameNew(was, path) }); err != nil {
			s.opt.Report(new, fmt.Errorf("rename old inode %q: %w", was, err))
		}
	}
	// The new name first: a crash in between leaves both, not none.
	return errors.Join(s.opt.FS.SyncDir(filepath.Dir(to)), s.opt.FS.SyncDir(filepath.Dir(from)))
}

// Remove removes a file, under its lock, and the second names of its old
// inodes.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := s.remove(ctx, name); err != nil {
		return fmt.Errorf("remove log %q: %w", name, err)
	}
	return nil
}

func (s *Store) remove(ctx context.Context, name string) error {
	l, at, err := s.openLocked(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // nothing was written
	defer l.unlock(at)
	path := l.path()
	left, err := l.oldNames(path)
	if err != nil {
		return err
	}
	if err := s.opt.FS.Remove(path); err != nil {
		return err
	}
	for _, o := range left {
		err = errors.Join(err, o.unlink(s.opt.FS))
	}
	return errors.Join(err, s.opt.FS.SyncDir(filepath.Dir(path)))
}

// openLocked opens a log for writing and locks it.
func (s *Store) openLocked(ctx context.Context, name string) (*Log, locked, error) {
	l, err := s.open(ctx, name, storage.Write)
	if err != nil {
		return nil, locked{}, err
	}
	if err := l.begin(ctx); err != nil {
		return nil, locked{}, errors.Join(err, l.Close())
	}
	l.takeSidecar(ctx)
	at, err := l.lockFile(ctx, storage.Mark{})
	if err == errHanded {
		return nil, locked{}, errors.Join(lockedError(ctx), l.Close())
	}
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
