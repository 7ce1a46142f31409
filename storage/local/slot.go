package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cambium-dev/cambium/storage"
)

// WriteSlot overwrites the start of the file in place, under the lock, through
// a descriptor of its own: the one for appending can only append.
func (l *log) WriteSlot(ctx context.Context, after storage.Mark, old, new []byte) (storage.Mark, error) {
	mark, err := l.writeSlot(ctx, after, old, new)
	if err != nil {
		return mark, fmt.Errorf("write slot of log %q: %w", l.path(), err)
	}
	return mark, nil
}

func (l *log) writeSlot(ctx context.Context, after storage.Mark, old, new []byte) (storage.Mark, error) {
	if len(old) != len(new) {
		return after, fmt.Errorf("%d bytes for %d", len(new), len(old))
	}
	at, err := l.lock(ctx, after)
	if err != nil {
		return after, err
	}
	defer l.unlock(at)
	if at.h == nil {
		return after, storage.ErrNotExist
	}
	there := make([]byte, len(old))
	n, err := at.h.ReadAt(there, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return after, err
	}
	if !bytes.Equal(there[:n], old) {
		return after, &storage.Changed{Kind: storage.Touched, Now: markOf(at.info)}
	}
	if err := l.overwrite(at, old, new); err != nil {
		return after, err
	}
	now, err := at.h.Stat()
	if err != nil {
		at.info.ModTime = 0 // like no other mark
		return markOf(at.info), err
	}
	mark := markAt(now, at.info.Size)
	if l.left == markOf(at.info) && now.Size == at.info.Size {
		l.left = mark // the end is as we left it
	}
	return mark, nil
}

// overwrite writes new over old at the start of the file. If that fails half
// way, old is put back.
func (l *log) overwrite(at locked, old, new []byte) (err error) {
	f, err := l.store.opt.fs.Open(l.path(), os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.SameFile(at.info) {
		return &storage.Changed{Kind: storage.Replaced, Now: markOf(info)}
	}
	if n, err := f.WriteAt(new, 0); err != nil {
		if n > 0 {
			_, undo := f.WriteAt(old[:n], 0)
			err = errors.Join(err, undo)
		}
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.overwrote(new)
	return nil
}

// overwrote notes that the start of the file was written to. The spans that
// begin there have another sum now. l.mu is held.
func (l *log) overwrote(p []byte) {
	end := int64(len(p))
	for i := range l.dirty {
		if l.dirty[i].start < end {
			l.dirty[i].unknown = true
		}
	}
	l.dirty = append([]span{{start: 0, end: end, sum: sum(0, p)}}, l.dirty...)
}
