package crashfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// file is an open file of an FS.
type file struct {
	fs     *FS
	node   *node
	name   string
	flag   int
	path   string // the name it has now; guarded by fs.mu, as all below
	gone   bool   // path is what it was last
	pos    int64
	closed bool
	locked bool
}

var _ vfs.File = (*file)(nil)

// begin takes the file system's lock, which the caller gives back, and checks
// that the file is open, and for writing if need be.
func (f *file) begin(op string, write bool) error {
	f.fs.mu.Lock()
	if f.closed {
		return pathError(op, f.name, fs.ErrClosed)
	}
	if write && f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return pathError(op, f.name, fs.ErrPermission)
	}
	return nil
}

func (f *file) Name() string { return f.name }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	err := f.begin("read", false)
	defer f.fs.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	err := f.begin("write", true)
	defer f.fs.mu.Unlock()
	if err != nil {
		return 0, err
	}
	at := f.pos
	if f.flag&os.O_APPEND != 0 {
		at = int64(len(f.node.data))
	}
	f.node.write(write{at, bytes.Clone(p)}, f.fs.tick())
	f.pos = at + int64(len(p))
	return len(p), nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	err := f.begin("write", true)
	defer f.fs.mu.Unlock()
	if err == nil && f.flag&os.O_APPEND != 0 {
		err = pathError("write", f.name, errors.ErrUnsupported)
	}
	if err != nil {
		return 0, err
	}
	f.node.write(write{off, bytes.Clone(p)}, f.fs.tick())
	return len(p), nil
}

func (f *file) Truncate(size int64) error {
	err := f.begin("truncate", true)
	defer f.fs.mu.Unlock()
	if err == nil {
		f.node.resize(size, f.fs.tick())
	}
	return err
}

func (f *file) Stat() (vfs.Info, error) {
	err := f.begin("stat", false)
	defer f.fs.mu.Unlock()
	if err != nil {
		return vfs.Info{}, err
	}
	return f.node.info(f.name), nil
}

// Path answers as Linux does: the name that the file was opened by is followed
// when it is renamed, other names of the file are not known.
func (f *file) Path() (string, error) {
	err := f.begin("locate", false)
	defer f.fs.mu.Unlock()
	if err == nil && f.gone {
		err = pathError("locate", f.name, fs.ErrNotExist)
	}
	return f.path, err
}

func (f *file) Chmod(mode fs.FileMode) error {
	err := f.begin("chmod", false)
	defer f.fs.mu.Unlock()
	if err == nil {
		f.node.mode = f.node.mode.Type() | mode.Perm()
	}
	return err
}

func (f *file) Chown(uid, gid uint32) error {
	err := f.begin("chown", false)
	defer f.fs.mu.Unlock()
	if err == nil {
		f.node.uid, f.node.gid = uid, gid
	}
	return err
}

func (f *file) Sync() error {
	err := f.begin("sync", false)
	defer f.fs.mu.Unlock()
	if err == nil {
		for _, w := range f.node.writes {
			f.node.synced = w.apply(f.node.synced)
		}
		f.node.writes = nil
	}
	return err
}

func (f *file) SyncData() error { return f.Sync() }

func (f *file) Lock(ctx context.Context) error {
	ok, err := f.TryLock()
	if ok || err != nil {
		return err
	}
	return vfs.Await(ctx, f.name, func(ctx context.Context) error {
		select {
		case f.node.lock <- struct{}{}:
			return f.setLocked(true)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func (f *file) TryLock() (bool, error) {
	err := f.begin("lock", false)
	locked := f.locked
	f.fs.mu.Unlock()
	if err != nil || locked {
		return locked, err
	}
	select {
	case f.node.lock <- struct{}{}:
		return true, f.setLocked(true)
	default:
		return false, nil
	}
}

func (f *file) setLocked(locked bool) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.locked = locked
	return nil
}

func (f *file) Unlock() error {
	err := f.begin("unlock", false)
	defer f.fs.mu.Unlock()
	if err == nil && f.locked {
		f.locked = false
		<-f.node.lock
	}
	return err
}

func (f *file) Close() error {
	err := f.begin("close", false)
	defer f.fs.mu.Unlock()
	if err != nil {
		return err
	}
	f.closed = true
	delete(f.fs.open, f)
	if f.locked {
		f.locked = false
		<-f.node.lock
	}
	return nil
}
