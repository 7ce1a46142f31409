package errorfs

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
)

const createFlag = os.O_CREATE

// file is an open file of a wrapped FS.
type file struct {
	f    vfs.File
	w    *wrapped
	name string
}

func (f *file) do(kind Kind, call func() error) error {
	return f.w.do(Op{Kind: kind, Name: f.name}, call)
}

// transfer is do for what moves bytes: a fault may let a part of them pass.
func (f *file) transfer(kind Kind, p []byte, call func([]byte) (int, error)) (int, error) {
	op := Op{Kind: kind, Name: f.name, Len: len(p)}
	fault := f.w.inject(op)
	if fault == nil {
		return call(p)
	}
	part := min(fault.Short, len(p))
	if fault.After {
		part = len(p)
	}
	n := 0
	if part > 0 {
		var err error
		if n, err = call(p[:part]); err != nil {
			return n, err
		}
	}
	return n, fault.as(op)
}

func (f *file) Name() string { return f.f.Name() }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.transfer(ReadAt, p, func(p []byte) (int, error) { return f.f.ReadAt(p, off) })
}

// Data is no operation that fails: who is not told reads on.
func (f *file) Data(off int64) (from, to int64, err error) {
	if s, ok := f.f.(vfs.Sparse); ok {
		return s.Data(off)
	}
	return 0, 0, errors.ErrUnsupported
}

func (f *file) Write(p []byte) (int, error) { return f.transfer(Write, p, f.f.Write) }

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	return f.transfer(WriteAt, p, func(p []byte) (int, error) { return f.f.WriteAt(p, off) })
}

func (f *file) Path() (path string, err error) {
	err = f.do(Path, func() (err error) {
		path, err = f.f.Path()
		return err
	})
	return path, err
}

func (f *file) Stat() (info vfs.Info, err error) {
	err = f.do(FileStat, func() (err error) {
		info, err = f.f.Stat()
		return err
	})
	return info, err
}

func (f *file) Truncate(size int64) error {
	return f.do(Truncate, func() error { return f.f.Truncate(size) })
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.do(FileChmod, func() error { return f.f.Chmod(mode) })
}

func (f *file) Chown(uid, gid uint32) error {
	return f.do(Chown, func() error { return f.f.Chown(uid, gid) })
}

func (f *file) Sync() error { return f.do(Sync, f.f.Sync) }

func (f *file) SyncData() error { return f.do(SyncData, f.f.SyncData) }

func (f *file) Lock(ctx context.Context) error {
	return f.do(Lock, func() error { return f.f.Lock(ctx) })
}

func (f *file) TryLock() (ok bool, err error) {
	err = f.do(Lock, func() (err error) {
		ok, err = f.f.TryLock()
		return err
	})
	return ok && err == nil, err
}

func (f *file) Unlock() error { return f.do(Unlock, f.f.Unlock) }

// Close closes the file even when it is to fail: a descriptor is gone then,
// too.
func (f *file) Close() error {
	fault := f.w.inject(Op{Kind: Close, Name: f.name})
	err := f.f.Close()
	if err == nil && fault != nil {
		err = fault.as(Op{Kind: Close, Name: f.name})
	}
	return err
}
