package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// log is one log, opened. What is in it is guarded by the store's mu.
type log struct {
	store  *memStore
	mode   storage.Mode
	opened string // the name at first, which never changes
	name   string
	f      *file // nil if there is none
	held   *file // the one before, if it was replaced or removed
	begun  bool
	moved  bool // and no caller was told yet
	closed bool
}

var (
	_ storage.Log      = (*log)(nil)
	_ powers.Sectioner = (*log)(nil)
	_ powers.Slotter   = (*log)(nil)
	_ powers.Salvager  = (*log)(nil)
	_ storage.Watcher  = (*log)(nil)
)

func (l *log) fail(what string, err error) error {
	return fmt.Errorf("%s log %q: %w", what, l.opened, err)
}

// look makes sure that l.f is the file that has the name now. The store's mu
// is held.
func (l *log) look() error {
	if l.closed {
		return fs.ErrClosed
	}
	if !l.begun {
		return storage.ErrNotExist
	}
	if l.f != nil && l.f.name != "" {
		if l.f.name != l.name {
			l.name, l.moved = l.f.name, true
		}
		return nil
	}
	if l.f != nil {
		l.held, l.f = l.f, nil
	}
	l.f = l.store.files[l.name]
	if l.f == nil {
		return storage.ErrNotExist
	}
	return nil
}

// compare answers what became of the file since a mark. The store's mu is
// held; err is what look returned.
func (l *log) compare(after storage.Mark, err error) error {
	switch {
	case err != nil && !errors.Is(err, storage.ErrNotExist):
		return err
	case err != nil && after.IsZero():
		return nil
	case err != nil:
		return &storage.Changed{Kind: storage.Gone}
	}
	c := &storage.Changed{Kind: changeOf(after, l.f), Now: l.f.mark()}
	if l.moved {
		l.moved, c.Name = false, l.name
		if c.Kind != storage.Replaced {
			c.Kind, c.Now = storage.Moved, after
		}
	}
	if c.Kind == 0 {
		return nil
	}
	return c
}

func changeOf(m storage.Mark, f *file) storage.Change {
	was, is := m.Words(), f.mark().Words()
	switch {
	case was[1] != is[1]:
		return storage.Replaced
	case was[2] < is[2]:
		return storage.Grown
	case was[2] > is[2]:
		return storage.Truncated
	case was != is:
		return storage.Touched
	}
	return 0
}

// lock takes the turn of the file that has the name if it is as after says.
// The file is nil if there is none. Without error the store's mu is held.
func (l *log) lock(ctx context.Context, after storage.Mark) (*file, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.mode == storage.Read {
		return nil, fmt.Errorf("opened for reading: %w", fs.ErrPermission)
	}
	for {
		l.store.mu.Lock()
		err := l.look()
		f := l.f
		if f == nil || err != nil {
			if err = l.compare(after, err); err != nil {
				l.store.mu.Unlock()
			}
			return nil, err
		}
		l.store.mu.Unlock()
		if err := f.begin(ctx); err != nil {
			return nil, err
		}
		l.store.mu.Lock()
		if err = l.look(); err == nil && l.f == f {
			if err = l.compare(after, nil); err == nil {
				return f, nil
			}
		}
		same := l.f == f
		l.store.mu.Unlock()
		<-f.turn
		if same {
			return nil, err
		}
	}
}

// unlock ends the turn; the store's mu is held.
func (l *log) unlock(f *file) {
	l.store.mu.Unlock()
	if f != nil {
		<-f.turn
	}
}

// Append adds the lines.
func (l *log) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	bytes, err := loglines.CheckLines(lines)
	if err != nil {
		return after, l.fail("append to", err)
	}
	size := int(bytes)
	f, err := l.lock(ctx, after)
	if err != nil {
		return after, l.fail("append to", err)
	}
	defer l.unlock(f)
	if len(lines) == 0 {
		return after, nil
	}
	if f == nil && l.store.files[l.name] != nil {
		return after, l.fail("append to", storage.ErrExist)
	}
	allowed, cause := size, error(nil)
	if l.store.opt.Fault != nil {
		allowed, cause = l.store.opt.Fault(l.name, size)
	}
	whole := fits(lines, allowed)
	if cause != nil && whole == 0 {
		return after, l.fail("append to", cause)
	}
	at := f
	if at == nil {
		at = l.store.newFile(l.name)
		l.f, l.begun = at, true
	}
	at.add(lines[:whole])
	l.store.changed(at)
	if cause == nil {
		l.held = nil
	}
	if cause != nil {
		return at.mark(), l.fail("append to", &storage.Partial{Lines: whole, Err: cause})
	}
	return at.mark(), nil
}

// fits returns how many lines are whole in n bytes.
func fits(lines [][]byte, n int) int {
	for i, line := range lines {
		if n -= len(line) + 1; n < 0 {
			return i
		}
	}
	return len(lines)
}

func (f *file) add(lines [][]byte) {
	if n := len(f.data); n > 0 && f.data[n-1] != '\n' {
		f.data = append(f.data, '\n')
	}
	for _, line := range lines {
		f.data = append(append(f.data, line...), '\n')
	}
}

// open returns the bytes of the log and their mark.
func (l *log) open(ctx context.Context) ([]byte, storage.Mark, error) {
	if err := ctx.Err(); err != nil {
		return nil, storage.Mark{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.look(); err != nil {
		return nil, storage.Mark{}, err
	}
	return l.f.data[:len(l.f.data):len(l.f.data)], l.f.mark(), nil
}

// Read gives the lines after a mark.
func (l *log) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		data, now, err := l.open(ctx)
		start := int64(0)
		if err == nil || !from.IsZero() {
			start, err = startOf(from, now, data, err)
		}
		if err != nil {
			yield(storage.Line{}, l.fail("read", err))
			return
		}
		for line, err := range loglines.Lines[storage.Line](ctx, bytes.NewReader(data), start, int64(len(data))) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// startOf returns where reading begins for a mark. err is what open returned.
func startOf(from, now storage.Mark, data []byte, err error) (int64, error) {
	was, is := from.Words(), now.Words()
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return 0, &storage.Changed{Kind: storage.Gone}
	case err != nil || from.IsZero():
		return 0, err
	case was[1] != is[1]:
		return 0, &storage.Changed{Kind: storage.Replaced, Now: now}
	case was[2] > is[2]:
		return 0, &storage.Changed{Kind: storage.Truncated, Now: now}
	}
	return loglines.LineStart(bytes.NewReader(data), int64(was[2]))
}

// ReadTail returns the last lines.
func (l *log) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	data, _, err := l.open(ctx)
	if err != nil {
		return nil, l.fail("read", err)
	}
	return loglines.Tail[storage.Line](bytes.NewReader(data), int64(len(data)), n)
}

// Replace puts new bytes at the name; what was there is another log then.
func (l *log) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	f, err := l.lock(ctx, at)
	if err != nil {
		return at, l.fail("replace", err)
	}
	if f == nil {
		l.unlock(f)
		return at, l.fail("replace", storage.ErrNotExist)
	}
	data := f.data
	l.store.mu.Unlock()
	defer func() { <-f.turn }()
	// Others may read meanwhile; the turn keeps writers away.
	var lines [][]byte
	for line, err := range rewrite(loglines.Lines[storage.Line](ctx, bytes.NewReader(data), 0, int64(len(data)))) {
		if err == nil && bytes.IndexByte(line, '\n') >= 0 {
			err = errors.New("rewritten line has a line feed in it")
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return at, l.fail("replace", err)
		}
		lines = append(lines, slices.Clone(line))
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	name := f.name
	f.name = ""
	l.f = l.store.newFile(name)
	l.f.add(lines)
	l.held = nil
	l.store.wake(f)
	return l.f.mark(), nil
}

// Stat describes the log.
func (l *log) Stat(ctx context.Context) (storage.Info, error) {
	if err := ctx.Err(); err != nil {
		return storage.Info{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.look(); err != nil {
		return storage.Info{}, l.fail("stat", err)
	}
	return l.f.info(), nil
}

// Close ends the use of the log.
func (l *log) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.closed {
		return l.fail("close", fs.ErrClosed)
	}
	l.closed, l.f, l.held = true, nil, nil
	return nil
}

// snapshot is the bytes of a log at one time.
type snapshot struct{ *bytes.Reader }

// Close does nothing: the bytes go when nobody has them any more.
func (snapshot) Close() error { return nil }

var _ io.ReaderAt = snapshot{}

// Section returns the bytes of the log.
func (l *log) Section(ctx context.Context) (powers.Section, int64, storage.Mark, error) {
	data, mark, err := l.open(ctx)
	if err != nil {
		return nil, 0, storage.Mark{}, l.fail("read", err)
	}
	return snapshot{bytes.NewReader(data)}, int64(len(data)), mark, nil
}
