package work

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// readFile reads the beginning of a regular file that a person names or has, which
// may be a link of theirs.
func readFile(path string, most int64) ([]byte, error) {
	real, err := vfs.Resolve(vfs.OS(), path)
	if err != nil {
		return nil, err
	}
	return vfs.ReadFile(vfs.OS(), real, most)
}

// unreadable reports whether a file is there that may not be read.
func unreadable(path string) bool {
	_, err := readFile(path, 1)
	return errors.Is(err, fs.ErrPermission)
}

// Full reports whether there was no room for what was to be written.
func Full(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, io.ErrShortWrite} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// replaceFile writes a small file of Cambium's own so that at any time the old
// or the new one is there, whole.
func replaceFile(path string, data []byte) error {
	if _, err := vfs.MkdirAll(vfs.OS(), filepath.Dir(path)); err != nil {
		return err
	}
	return vfs.ReplaceFile(vfs.OS(), path, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-"+rand.Text()[:10]), data)
}

// Raw writes the file of a session as it is; of one in the shared store the file that it
// would be. What is appended meanwhile is not part of it.
func Raw(ctx context.Context, l *Library, s *session.Session, w io.Writer) (err error) {
	if l.Shared != nil {
		return rawThere(ctx, l, s.Path(), w)
	}
	path, err := vfs.Resolve(vfs.OS(), s.Path())
	if err != nil {
		return opening(s.Path(), err)
	}
	f, err := vfs.OS().Open(path, os.O_RDONLY)
	if err != nil {
		return opening(s.Path(), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, contextReader{ctx, io.NewSectionReader(f, 0, info.Size)})
	return err
}

// rawThere writes a log of the shared store.
func rawThere(ctx context.Context, l *Library, path string, w io.Writer) (err error) {
	log, err := l.Shared.Open(ctx, path, storage.Read)
	if err != nil {
		return opening(path, err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return opening(path, err)
		}
		if _, err := w.Write(line.Bytes); err != nil {
			return err
		}
		if _, err := w.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return nil
}

// A contextReader ends when its context does. It lives as long as one call.
type contextReader struct {
	ctx context.Context
	io.Reader
}

// Read reads.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
