package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// open returns the file that has the name now, for reading. The caller drops
// the handle.
func (l *log) open(ctx context.Context) (*handle, vfs.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, vfs.Info{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.look()
	if err != nil {
		return nil, info, err
	}
	return l.h.use(), info, nil
}

// Read gives the lines after a mark without taking the lock: lines are only
// ever added behind what is there.
func (l *log) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		h, info, start, err := l.openFrom(ctx, from)
		if err != nil {
			yield(storage.Line{}, fmt.Errorf("read log %q: %w", l.path(), err))
			return
		}
		defer func() { _ = h.drop() }() // only read from
		for line, err := range loglines.Lines[storage.Line](ctx, h, start, info.Size) {
			if err != nil {
				yield(line, fmt.Errorf("read log %q: %w", l.path(), shrunk(h, err)))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// openFrom is open, and where to begin reading for a mark.
func (l *log) openFrom(ctx context.Context, from storage.Mark) (*handle, vfs.Info, int64, error) {
	h, info, err := l.open(ctx)
	if errors.Is(err, storage.ErrNotExist) && !from.IsZero() {
		err = &storage.Changed{Kind: storage.Gone}
	}
	if err != nil || from.IsZero() {
		return h, info, 0, err
	}
	l.mu.Lock()
	from = l.current(from)
	l.mu.Unlock()
	kind := changeOf(from, info)
	if kind == storage.Replaced || kind == storage.Truncated {
		return nil, info, 0, errors.Join(&storage.Changed{Kind: kind, Now: markOf(info)}, h.drop())
	}
	start, err := loglines.LineStart(h, sizeOf(from))
	if err != nil {
		return nil, info, 0, errors.Join(err, h.drop())
	}
	return h, info, start, nil
}

// shrunk says what became of a file whose end is not where it was.
func shrunk(h *handle, err error) error {
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	info, statErr := h.Stat()
	if statErr != nil {
		return errors.Join(err, statErr)
	}
	return &storage.Changed{Kind: storage.Truncated, Now: markOf(info)}
}

// ReadTail reads the end of the file in one piece.
func (l *log) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	h, info, err := l.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read log %q: %w", l.path(), err)
	}
	defer func() { _ = h.drop() }() // only read from
	lines, err := loglines.Tail[storage.Line](h, info.Size, n)
	if err != nil {
		return nil, fmt.Errorf("read log %q: %w", l.path(), shrunk(h, err))
	}
	return lines, nil
}

// A readerAtCloser is the Section of package powers, on which nothing here stands.
type readerAtCloser = interface {
	io.ReaderAt
	io.Closer
}

// Section returns the file for reading anywhere.
func (l *log) Section(ctx context.Context) (readerAtCloser, int64, storage.Mark, error) {
	h, info, err := l.open(ctx)
	if err != nil {
		return nil, 0, storage.Mark{}, fmt.Errorf("read log %q: %w", l.path(), err)
	}
	return &section{h: h}, info.Size, markOf(info), nil
}
