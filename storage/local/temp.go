package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// temp is a temporary file beside a log, to be renamed to it.
type temp struct {
	fs   vfs.FS
	path string
	h    *handle
	buf  []byte
	size int64 // with what is in buf
}

// newTemp creates the temporary file.
func (l *log) newTemp(fsys vfs.FS, name string) (*temp, error) {
	dir, base := filepath.Split(name)
	unique := strings.ToLower(rand.Text())
	path := filepath.Join(dir, fmt.Sprintf(".%s.cambium-tmp-%d-%s", base, os.Getpid(), unique))
	f, err := fsys.Open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return &temp{fs: fsys, path: path, h: newHandle(f)}, nil
}

// discard closes and removes it.
func (t *temp) discard() error {
	return errors.Join(t.h.drop(), t.fs.Remove(t.path))
}

// writeLine adds a line.
func (t *temp) writeLine(line []byte) error {
	t.buf = append(append(t.buf, line...), '\n')
	t.size += int64(len(line)) + 1
	if len(t.buf) < 256<<10 {
		return nil
	}
	return t.flush()
}

func (t *temp) flush() error {
	_, err := vfs.WriteAll(t.h, t.buf)
	t.buf = t.buf[:0]
	return err
}

// finish writes what is left, gives the file the mode and owner of another,
// and makes it durable. The owner comes first, since a change of owner may
// take bits of the mode away; the mode last, so that at no time somebody may
// read it who could not read the other.
func (t *temp) finish(like vfs.Info) error {
	if err := t.flush(); err != nil {
		return err
	}
	info, err := t.h.Stat()
	if err != nil {
		return err
	}
	if info.UID != like.UID || info.GID != like.GID {
		if err := t.h.Chown(like.UID, like.GID); err != nil {
			return err
		}
	}
	if err := t.h.Chmod(like.Mode.Perm()); err != nil {
		return err
	}
	return t.h.Sync()
}

// copyFrom makes it a copy of another file.
func (t *temp) copyFrom(h *handle, info vfs.Info) error {
	buf := make([]byte, 256<<10)
	for at := int64(0); at < info.Size; {
		n, err := h.ReadAt(buf[:min(int64(len(buf)), info.Size-at)], at)
		if n == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if _, err := vfs.WriteAll(t.h, buf[:n]); err != nil {
			return err
		}
		at += int64(n)
	}
	t.size = info.Size
	return t.finish(info)
}

// fill writes lines into it.
func (t *temp) fill(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && bytes.IndexByte(line, '\n') >= 0 {
			err = errors.New("rewritten line has a line feed in it")
		}
		if err != nil {
			return err
		}
		if err := t.writeLine(line); err != nil {
			return err
		}
	}
	return nil
}
