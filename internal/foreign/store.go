package foreign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// An OnlyReadError says that a session is another program's, and is not written to.
type OnlyReadError struct {
	Path  string
	Agent dialect.Name
	// Err is what it wraps, nil for nothing.
	Err error
}

// Unwrap returns Err.
func (e *OnlyReadError) Unwrap() error { return e.Err }

// Error names the session and what can be done.
func (e *OnlyReadError) Error() string {
	return fmt.Sprintf("write session %q: it belongs to %s; `cambium convert` makes one of it that goes on here", e.Path, e.Agent)
}

// Store returns the sessions of a program as logs that can only be read. Whoever opens one
// has it as it is at that time.
func Store(fsys vfs.FS, p Program) storage.Store {
	return &store{vfs.Owned(fsys), p}
}

type store struct {
	fs      vfs.FS
	program Program
}

func (s *store) only(name string) error { return &OnlyReadError{Path: name, Agent: s.program.Name()} }

func (s *store) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if mode != storage.Read {
		return nil, s.only(name)
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	lines, err := s.program.Read(ctx, s.fs, name)
	if err != nil {
		return nil, opening(name, err)
	}
	info.Size = lines.Size()
	return &log{store: s, info: info, lines: lines}, nil
}

// opening says in the words of a store why a log cannot be opened.
func opening(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", storage.ErrNotExist, err)
	}
	return fmt.Errorf("open log %q: %w", name, err)
}

// List finds nothing: what lies beside a session is the program's.
func (s *store) List(_ context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, storage.ErrNotExist))
	}
}

func (s *store) Stat(ctx context.Context, name string) (storage.Info, error) {
	is, err := s.program.Stat(ctx, s.fs, name)
	if err != nil {
		return storage.Info{}, opening(name, err)
	}
	return storage.Info{
		Name: name, Size: is.Size, ModTime: is.ModTime, Mode: is.Mode,
		Mark: storage.MakeMark([4]uint64{is.Dev, is.Ino, uint64(is.Size), uint64(is.ModTime)}),
	}, nil
}

func (s *store) Rename(_ context.Context, old, _ string) error { return s.only(old) }
func (s *store) Remove(_ context.Context, name string) error   { return s.only(name) }

// A log is the lines of one session.
type log struct {
	store *store
	info  storage.Info
	lines *mosaic.Mosaic
}

var _ powers.Sectioner = (*log)(nil)

func (l *log) Append(context.Context, storage.Mark, [][]byte) (storage.Mark, error) {
	return storage.Mark{}, l.store.only(l.info.Name)
}

func (l *log) Replace(context.Context, storage.Mark, storage.Rewrite) (storage.Mark, error) {
	return storage.Mark{}, l.store.only(l.info.Name)
}

// Read gives all lines, and none after the mark of the whole log.
func (l *log) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	if from == l.info.Mark {
		return func(func(storage.Line, error) bool) {}
	}
	return loglines.Lines[storage.Line](ctx, l.lines, 0, l.lines.Size())
}

func (l *log) ReadTail(_ context.Context, n int64) ([]storage.Line, error) {
	return loglines.Tail[storage.Line](l.lines, l.lines.Size(), n)
}

func (l *log) Stat(context.Context) (storage.Info, error) { return l.info, nil }
func (l *log) Close() error                               { return l.lines.Close() }

// Section returns the bytes of the lines.
func (l *log) Section(context.Context) (powers.Section, int64, storage.Mark, error) {
	return section{l.lines}, l.lines.Size(), l.info.Mark, nil
}

// A section is the lines of an open log, which closes them.
type section struct{ io.ReaderAt }

func (section) Close() error { return nil }
