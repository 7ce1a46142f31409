package local

import (
	"errors"
	"sync/atomic"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// handle is an open file with a count of its users: a Log may go on to another
// file while somebody still reads the one before. The last user closes it.
type handle struct {
	vfs.File
	refs atomic.Int32
	dev  uint64 // which file it is, for as long as it is open; set with ino by
	ino  uint64 // known
	// prompt says that the file's time of change goes by our clock; Log.mu
	// guards it.
	prompt bool
}

// is reports whether info describes this file, as known said.
func (h *handle) is(info vfs.Info) bool {
	return h.ino != 0 && info.Ino == h.ino && info.Dev == h.dev
}

// known notes which file this is.
func (h *handle) known(info vfs.Info) { h.dev, h.ino = info.Dev, info.Ino }

// newHandle returns a handle with one user.
func newHandle(f vfs.File) *handle {
	h := &handle{File: f}
	h.refs.Store(1)
	return h
}

// use adds a user.
func (h *handle) use() *handle {
	h.refs.Add(1)
	return h
}

// drop takes a user away. Of a nil handle there is none.
func (h *handle) drop() error {
	if h == nil || h.refs.Add(-1) > 0 {
		return nil
	}
	return h.File.Close()
}

// section is a handle for reading; closing it twice does no harm.
type section struct {
	h      *handle
	closed atomic.Bool
}

// ReadAt reads from the file.
func (s *section) ReadAt(p []byte, off int64) (int, error) { return s.h.ReadAt(p, off) }

// Data says where the file has bytes that are in no hole.
func (s *section) Data(off int64) (from, to int64, err error) {
	if f, ok := s.h.File.(vfs.Sparse); ok {
		return f.Data(off)
	}
	return 0, 0, errors.ErrUnsupported
}

// Close ends one use of the file.
func (s *section) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.h.drop()
}
