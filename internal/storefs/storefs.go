// Package storefs shows the logs of a store as the files of a file system, to
// who moves files about and keeps small ones beside them, or looks whether they
// are there. Who only looks for sessions uses package source.
package storefs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// files is a store as a file system.
type files struct {
	ctx    context.Context
	store  storage.Store
	writes bool
}

var (
	_ vfs.FS       = (*files)(nil)
	_ vfs.Linkless = (*files)(nil)
)

// New returns the logs of a store as files, for as long as ctx lasts: a file
// system knows none. A file is read once from its beginning and held in memory,
// as far as it was read, until it is closed. What would change something fails
// with fs.ErrPermission. It is safe for concurrent use.
func New(ctx context.Context, store storage.Store) vfs.FS { return &files{ctx: ctx, store: store} }

// Under returns f: there are no links in a store.
func (f *files) Under(...string) vfs.FS { return f }

// Hold returns f.
func (f *files) Hold(...string) (vfs.FS, func()) { return f, func() {} }

// Linkless says that there are none.
func (f *files) Linkless() {}

// NewWritable is New for who changes something, too: files are made, removed and
// renamed to what is free; lines are added to them. Directories are there as long
// as something is in them: making one does nothing. What a store cannot do fails
// with fs.ErrPermission: writing anywhere but at the end, replacing by a rename,
// second names. What was written counts from Sync or Close on, or when it makes
// much; a last line without line feed is given one then.
func NewWritable(ctx context.Context, store storage.Store) vfs.FS {
	return &files{ctx: ctx, store: store, writes: true}
}

// describe is what a file system says of a log: which one it is by what its mark
// says of that. It belongs to who looks at it, so that its copies do, too.
func describe(info storage.Info) vfs.Info {
	is := source.StateOf(info)
	uid, gid := vfs.Own()
	return vfs.Info{
		UID: uid, GID: gid,
		Name: path.Base(info.Name), Dev: is.Dev, Ino: is.Ino, Nlink: 1,
		Size: info.Size, Mode: info.Mode, ModTime: info.ModTime,
	}
}

// Open opens a log: to read it, or to add to it.
func (f *files) Open(name string, flag int) (vfs.File, error) {
	if flag != os.O_RDONLY {
		return f.openWrite(name, flag)
	}
	log, err := f.store.Open(f.ctx, name, storage.Read)
	if err != nil {
		return nil, source.Fail("open", name, err)
	}
	return f.newFile(name, log), nil
}

// Stat describes a log or a directory; there are no links.
func (f *files) Stat(name string) (vfs.Info, error) {
	info, err := f.store.Stat(f.ctx, name)
	if errors.Is(err, storage.ErrNotExist) && path.Clean(name) == "/" {
		return vfs.Info{Name: "/", Mode: fs.ModeDir | vfs.DirMode}, nil // whatever is in it
	}
	if err != nil {
		return vfs.Info{}, source.Fail("stat", name, err)
	}
	return describe(info), nil
}

// Lstat is Stat.
func (f *files) Lstat(name string) (vfs.Info, error) { return f.Stat(name) }

// ReadDir describes what is in a directory.
func (f *files) ReadDir(name string) ([]vfs.Info, error) {
	var all []vfs.Info
	for info, err := range f.store.List(f.ctx, name) {
		if err != nil {
			return nil, source.Fail("open", name, err)
		}
		all = append(all, describe(info))
	}
	return all, nil
}

// Names returns what ReadDir describes.
func (f *files) Names(dir string) ([]string, error) {
	all, err := f.ReadDir(dir)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names, err
}

// Readlink fails: there are no links.
func (f *files) Readlink(name string) (string, error) {
	return "", source.Fail("readlink", name, fs.ErrInvalid)
}

// InUse is not known.
func (f *files) InUse(vfs.Info) (bool, error) { return false, errors.ErrUnsupported }

// may fails where nothing may be changed.
func (f *files) may(op, name string) error {
	if !f.writes {
		return source.Fail(op, name, fs.ErrPermission)
	}
	return nil
}

// Mkdir has nothing to do.
func (f *files) Mkdir(name string) error { return f.may("mkdir", name) }

// Rename fails: it would replace.
func (f *files) Rename(old, _ string) error { return source.Fail("rename", old, fs.ErrPermission) }

// RenameNew gives a log another name, or all that are in a directory: one after
// the other, and all or none.
func (f *files) RenameNew(old, now string) error {
	if err := f.may("rename", old); err != nil {
		return err
	}
	err := f.store.Rename(f.ctx, old, now)
	if errors.Is(err, storage.ErrNotExist) {
		if info, no := f.store.Stat(f.ctx, old); no == nil && info.Mode.IsDir() {
			err = f.renameTree(old, now)
		}
	}
	if err != nil {
		return source.Fail("rename", old, err)
	}
	return nil
}

// Link fails.
func (f *files) Link(old, _ string) error { return source.Fail("link", old, fs.ErrPermission) }

// Remove ends a log.
func (f *files) Remove(name string) error {
	if err := f.may("remove", name); err != nil {
		return err
	}
	if err := f.store.Remove(f.ctx, name); err != nil {
		return source.Fail("remove", name, err)
	}
	return nil
}

// Chmod fails.
func (f *files) Chmod(name string, _ fs.FileMode) error {
	return source.Fail("chmod", name, fs.ErrPermission)
}

// SyncDir has nothing to do.
func (f *files) SyncDir(string) error { return nil }

// file is a log, read as far as somebody wanted it.
type file struct {
	*files
	*source.Lines
	name string
	log  storage.Log
}

// newFile returns an open log as a file.
func (f *files) newFile(name string, log storage.Log) *file {
	return &file{files: f, Lines: source.NewLines(f.ctx, name, log), name: name, log: log}
}

// Close lets the log go.
func (f *file) Close() error {
	f.Forget()
	return f.log.Close()
}

// Name returns the name that it was opened with.
func (f *file) Name() string { return f.name }

// Path returns the name that the log has now.
func (f *file) Path() (string, error) {
	info, err := f.log.Stat(f.ctx)
	if err != nil {
		return f.name, source.Fail("stat", f.name, err)
	}
	return info.Name, nil
}

// Stat describes the log as it is now.
func (f *file) Stat() (vfs.Info, error) {
	info, err := f.log.Stat(f.ctx)
	if err != nil {
		return vfs.Info{}, source.Fail("stat", f.name, err)
	}
	return describe(info), nil
}

// Write fails, as all do that would change something.
func (f *file) Write([]byte) (int, error) { return 0, source.Fail("write", f.name, fs.ErrPermission) }

// WriteAt fails.
func (f *file) WriteAt([]byte, int64) (int, error) {
	return 0, source.Fail("write", f.name, fs.ErrPermission)
}

// Truncate fails.
func (f *file) Truncate(int64) error { return source.Fail("truncate", f.name, fs.ErrPermission) }

// Chmod fails.
func (f *file) Chmod(fs.FileMode) error { return source.Fail("chmod", f.name, fs.ErrPermission) }

// Chown fails.
func (f *file) Chown(uint32, uint32) error { return source.Fail("chown", f.name, fs.ErrPermission) }

// Sync has nothing to do.
func (f *file) Sync() error { return nil }

// SyncData has nothing to do.
func (f *file) SyncData() error { return nil }

// Lock does nothing: nobody writes through it.
func (f *file) Lock(context.Context) error { return nil }

// TryLock does nothing.
func (f *file) TryLock() (bool, error) { return true, nil }

// Unlock does nothing.
func (f *file) Unlock() error { return nil }
