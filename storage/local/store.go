package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Options says how a Store works.
type Options struct {
	// Sidecar returns the name of a lock file that another program wants to
	// see beside a log while it is written to, "" for none; nil means none for
	// any. The lock file is waited for half a second at most and then done
	// without; one that stays as it is, is waited for once.
	Sidecar func(name string) string
	// Report is told of what went wrong without stopping anything: a lock file
	// that stayed taken, an old inode that could not be dealt with. It is
	// called under locks and must not use the store; nil means nobody is told.
	Report func(name string, err error)

	// fs is the file system; nil means that of the machine.
	fs vfs.FS
}

var _ = vfs.Taken(func(o *Options) *vfs.FS { return &o.fs }, nil)

// A diskStore keeps logs in the file system. It is safe for concurrent use.
type diskStore struct {
	opt   Options
	stuck stuckLocks
}

var (
	_ storage.Store = (*diskStore)(nil)
)

// Is reports whether a store is the local disk: one that New made.
func Is(store storage.Store) bool {
	_, local := store.(*diskStore)
	return local
}

// New returns a store of all files of a file system. It holds nothing open.
func New(opt Options) storage.Store {
	if opt.fs == nil {
		opt.fs = vfs.OS()
	}
	if opt.Sidecar == nil {
		opt.Sidecar = func(string) string { return "" }
	}
	if opt.Report == nil {
		opt.Report = func(string, error) {}
	}
	return &diskStore{opt: opt}
}

// resolve returns the file that name leads to.
func (s *diskStore) resolve(name string) (string, error) {
	if !filepath.IsAbs(name) {
		return "", fmt.Errorf("%q: not an absolute path", name)
	}
	return vfs.Resolve(s.opt.fs, filepath.Clean(name))
}

// Open opens the file of a log. Opening for writing takes care of what an
// earlier Replace left behind; a failure of that is reported, not returned.
func (s *diskStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := s.open(ctx, name, mode)
	if err != nil {
		return nil, fmt.Errorf("open log %q: %w", name, err)
	}
	return log, nil
}

func (s *diskStore) open(ctx context.Context, name string, mode storage.Mode) (*log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := s.resolve(name)
	if err != nil {
		return nil, err
	}
	l := &log{store: s, mode: mode, turn: make(chan struct{}, 1), syncing: make(chan struct{}, 1), name: path}
	if mode == storage.Create {
		_, err := s.opt.fs.Lstat(path)
		if err == nil {
			return nil, storage.ErrExist
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return l, nil
	}
	l.begun = true
	l.h, err = s.openFile(path, mode)
	if err != nil {
		return nil, err
	}
	if mode == storage.Write {
		l.pickUp(ctx)
	}
	return l, nil
}

// openFile opens the file of a log as the mode wants it.
func (s *diskStore) openFile(path string, mode storage.Mode) (*handle, error) {
	flag := os.O_RDWR | os.O_APPEND
	if mode == storage.Read {
		flag = os.O_RDONLY
	}
	f, err := s.opt.fs.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return newHandle(f), nil
}

// List describes the files in a directory.
func (s *diskStore) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		list, err := s.opt.fs.ReadDir(dir)
		if err != nil {
			yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, err))
			return
		}
		for _, info := range list {
			if err := ctx.Err(); err != nil {
				yield(storage.Info{}, err)
				return
			}
			if !yield(s.describe(filepath.Join(dir, info.Name), info), nil) {
				return
			}
		}
	}
}

// Stat describes one file.
func (s *diskStore) Stat(ctx context.Context, name string) (storage.Info, error) {
	if err := ctx.Err(); err != nil {
		return storage.Info{}, err
	}
	info, err := s.opt.fs.Lstat(name)
	if err != nil {
		return storage.Info{}, fmt.Errorf("stat log %q: %w", name, err)
	}
	return s.describe(name, info), nil
}

func (s *diskStore) describe(name string, info vfs.Info) storage.Info {
	out := storage.Info{Name: name, Size: info.Size, ModTime: info.ModTime, Mode: info.Mode}
	if info.Regular() {
		out.Mark = markOf(info)
	}
	if info.Mode&fs.ModeSymlink != 0 {
		// A link that leads nowhere has no target to name.
		out.Target, _ = vfs.Resolve(s.opt.fs, name)
	}
	return out
}

// ReadPrefix returns the first n bytes of a file.
func (s *diskStore) ReadPrefix(ctx context.Context, name string, n int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, nil
	}
	path, err := s.resolve(name)
	if err != nil {
		return nil, fmt.Errorf("read log %q: %w", name, err)
	}
	data, err := vfs.ReadFile(s.opt.fs, path, int64(n))
	if err != nil {
		return nil, fmt.Errorf("read log %q: %w", name, err)
	}
	return data, nil
}

// markOf is the mark of a whole file. The inode numbers of the systems we know
// are not 0, so it is never the zero Mark.
func markOf(info vfs.Info) storage.Mark {
	return storage.MakeMark([4]uint64{info.Dev, info.Ino, uint64(info.Size), uint64(info.ModTime)})
}

// markAt is the mark of the first size bytes of a file.
func markAt(info vfs.Info, size int64) storage.Mark {
	info.Size = size
	return markOf(info)
}

// sameFile reports whether a mark is of that file.
func sameFile(m storage.Mark, info vfs.Info) bool {
	w := m.Words()
	return w[0] == info.Dev && w[1] == info.Ino
}

// sizeOf returns the size that a mark stands for.
func sizeOf(m storage.Mark) int64 { return int64(m.Words()[2]) }
