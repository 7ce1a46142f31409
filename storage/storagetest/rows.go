package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/storage"
)

// Rows is a store of rows, as a database is: no bytes, no offsets, no optional
// powers. It is awkward on purpose. A mark is a log's number and that of its
// last row, which says nothing of an order; the bytes of a line are
// overwritten at the next step; appends are all or nothing. Who works with it
// works with any store. It is safe for concurrent use.
type Rows struct {
	mu   sync.Mutex
	logs map[string]*rows // guarded by mu
	rnd  *rand.Rand       // guarded by mu
}

var _ storage.Store = (*Rows)(nil)

// rows is one log; the store's mu guards it.
type rows struct {
	id    uint64
	name  string // "" if it is gone
	lines [][]byte
	keys  []uint64 // of each row, not ascending
	first uint64   // the head of an empty log
	busy  chan struct{}
}

// NewRows returns an empty store.
func NewRows() *Rows {
	return &Rows{logs: make(map[string]*rows), rnd: rand.New(rand.NewPCG(1, 2))}
}

func (s *Rows) newRows(name string) *rows {
	r := &rows{id: s.rnd.Uint64(), name: name, first: s.rnd.Uint64(), busy: make(chan struct{}, 1)}
	s.logs[name] = r
	return r
}

func (s *Rows) add(r *rows, lines [][]byte) {
	for _, line := range lines {
		r.lines = append(r.lines, bytes.Clone(line))
		r.keys = append(r.keys, s.rnd.Uint64())
	}
}

func (r *rows) mark() storage.Mark {
	head := r.first
	if n := len(r.keys); n > 0 {
		head = r.keys[n-1]
	}
	return storage.MakeMark([4]uint64{r.id, head})
}

// index returns how many rows a mark covers; -1 if it is of another log.
func (r *rows) index(m storage.Mark) int {
	words := m.Words()
	switch {
	case m.IsZero():
		return 0
	case words[0] != r.id:
		return -1
	case words[1] == r.first:
		return 0
	}
	return slices.Index(r.keys, words[1]) + 1
}

func (r *rows) info() storage.Info {
	info := storage.Info{Name: r.name, Mark: r.mark(), ModTime: int64(len(r.keys)), Mode: 0o600}
	for _, line := range r.lines {
		info.Size += int64(len(line)) + 1
	}
	return info
}

// Open opens a log.
func (s *Rows) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.logs[name]
	switch {
	case r != nil && mode == storage.Create:
		return nil, fmt.Errorf("open %q: %w", name, storage.ErrExist)
	case r == nil && s.isDir(name):
		return nil, fmt.Errorf("open %q: %w", name, storage.ErrNotRegular)
	case r == nil && mode != storage.Create:
		return nil, fmt.Errorf("open %q: %w", name, storage.ErrNotExist)
	}
	return &rowsLog{store: s, mode: mode, name: name, r: r}, nil
}

func (s *Rows) isDir(name string) bool {
	for other := range s.logs {
		if strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

// List describes a directory.
func (s *Rows) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		list := make(map[string]storage.Info)
		s.mu.Lock()
		for name, r := range s.logs {
			rest, found := strings.CutPrefix(name, path.Clean(dir)+"/")
			first, _, deeper := strings.Cut(rest, "/")
			switch {
			case !found:
			case deeper:
				name := path.Join(dir, first)
				list[name] = storage.Info{Name: name, Mode: fs.ModeDir | 0o700}
			default:
				list[name] = r.info()
			}
		}
		s.mu.Unlock()
		if len(list) == 0 {
			yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, storage.ErrNotExist))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if !yield(list[name], ctx.Err()) {
				return
			}
		}
	}
}

// Stat describes a name.
func (s *Rows) Stat(_ context.Context, name string) (storage.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.logs[path.Clean(name)]; r != nil {
		return r.info(), nil
	}
	if s.isDir(path.Clean(name)) {
		return storage.Info{Name: name, Mode: fs.ModeDir | 0o700}, nil
	}
	return storage.Info{}, fmt.Errorf("stat %q: %w", name, storage.ErrNotExist)
}

// Rename renames a log.
func (s *Rows) Rename(_ context.Context, old, new string) error {
	old, new = path.Clean(old), path.Clean(new)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.logs[old]
	if r == nil {
		return fmt.Errorf("rename %q: %w", old, storage.ErrNotExist)
	}
	if s.logs[new] != nil || s.isDir(new) {
		return fmt.Errorf("rename to %q: %w", new, storage.ErrExist)
	}
	delete(s.logs, old)
	s.logs[new], r.name = r, new
	return nil
}

// Remove removes a log.
func (s *Rows) Remove(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.logs[path.Clean(name)]
	if r == nil {
		return fmt.Errorf("remove %q: %w", name, storage.ErrNotExist)
	}
	delete(s.logs, r.name)
	r.name = ""
	return nil
}

// rowsLog is an open log of Rows; the store's mu guards it.
type rowsLog struct {
	store  *Rows
	mode   storage.Mode
	name   string
	r      *rows
	moved  bool
	closed bool
}

var errWritable = fmt.Errorf("opened for reading: %w", fs.ErrPermission)

func (l *rowsLog) look() error {
	switch {
	case l.closed:
		return fs.ErrClosed
	case l.r == nil:
		return storage.ErrNotExist
	case l.r.name == "":
		if r := l.store.logs[l.name]; r != nil {
			l.r = r
			return nil
		}
		return storage.ErrNotExist
	case l.r.name != l.name:
		l.name, l.moved = l.r.name, true
	}
	return nil
}

// check answers a mark, from look's error on.
func (l *rowsLog) check(after storage.Mark, err error) error {
	switch {
	case errors.Is(err, storage.ErrNotExist) && !after.IsZero():
		return &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return err
	case after.IsZero() || l.r.index(after) < 0:
		return &storage.Changed{Kind: storage.Replaced, Now: l.r.mark()}
	case l.moved:
		l.moved = false
		return &storage.Changed{Kind: storage.Moved, Now: after, Name: l.name}
	case after != l.r.mark():
		return &storage.Changed{Kind: storage.Grown, Now: l.r.mark()}
	}
	return nil
}

// lock waits until nobody replaces the log; with no error mu is held.
func (l *rowsLog) lock(ctx context.Context, after storage.Mark) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.mode == storage.Read {
		return errWritable
	}
	for {
		l.store.mu.Lock()
		err := l.check(after, l.look())
		r := l.r
		if err != nil || len(r.busy) == 0 {
			if err != nil {
				l.store.mu.Unlock()
			}
			return err
		}
		l.store.mu.Unlock()
		select {
		case r.busy <- struct{}{}:
			<-r.busy
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", storage.ErrLocked, ctx.Err())
		}
	}
}

// Append adds rows.
func (l *rowsLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if _, err := loglines.CheckLines(lines); err != nil {
		return after, fmt.Errorf("append: %w", err)
	}
	err := l.lock(ctx, after)
	if errors.Is(err, storage.ErrNotExist) && after.IsZero() {
		return l.begin(lines)
	}
	if err != nil {
		return after, err
	}
	defer l.store.mu.Unlock()
	l.store.add(l.r, lines)
	return l.r.mark(), nil
}

func (l *rowsLog) begin(lines [][]byte) (storage.Mark, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.logs[l.name] != nil {
		return storage.Mark{}, storage.ErrExist
	}
	if len(lines) == 0 {
		return storage.Mark{}, nil
	}
	l.r = l.store.newRows(l.name)
	l.store.add(l.r, lines)
	return l.r.mark(), nil
}

// after returns copies of the rows after a mark, and how many are before.
func (l *rowsLog) after(ctx context.Context, from storage.Mark) ([][]byte, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	err := l.look()
	switch {
	case errors.Is(err, storage.ErrNotExist) && !from.IsZero():
		return nil, 0, &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return nil, 0, err
	}
	n := l.r.index(from)
	if n < 0 {
		return nil, 0, &storage.Changed{Kind: storage.Replaced, Now: l.r.mark()}
	}
	return slices.Clone(l.r.lines[n:]), n, nil
}

// Read gives the rows, each in the same buffer, which it spoils afterwards.
func (l *rowsLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		lines, pos, err := l.after(ctx, from)
		if err != nil {
			yield(storage.Line{}, fmt.Errorf("read %q: %w", l.name, err))
			return
		}
		var buf []byte
		for i, line := range lines {
			buf = append(buf[:0], line...)
			if !yield(storage.Line{Bytes: buf, Pos: int64(pos + i), LF: true}, nil) {
				return
			}
			for i := range buf {
				buf[i] = '#'
			}
		}
	}
}

// ReadTail returns the last rows.
func (l *rowsLog) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	lines, _, err := l.after(ctx, storage.Mark{})
	if err != nil {
		return nil, err
	}
	first := len(lines)
	for first > 0 && int64(len(lines[first-1])+1) <= n {
		first--
		n -= int64(len(lines[first]) + 1)
	}
	var tail []storage.Line
	for i := first; i < len(lines); i++ {
		tail = append(tail, storage.Line{Bytes: bytes.Clone(lines[i]), Pos: int64(i), LF: true})
	}
	return tail, nil
}

// Replace puts a new log at the name.
func (l *rowsLog) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	if err := l.lock(ctx, at); err != nil {
		return at, err
	}
	r := l.r
	r.busy <- struct{}{}
	l.store.mu.Unlock()
	defer func() { <-r.busy }()
	var lines [][]byte
	for line, err := range rewrite(l.Read(ctx, storage.Mark{})) {
		if err == nil && bytes.IndexByte(line, '\n') >= 0 {
			err = errors.New("rewritten line has a line feed in it")
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return at, fmt.Errorf("replace %q: %w", l.name, err)
		}
		lines = append(lines, bytes.Clone(line))
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.r = l.store.newRows(r.name)
	r.name = ""
	l.store.add(l.r, lines)
	return l.r.mark(), nil
}

// Stat describes the log.
func (l *rowsLog) Stat(ctx context.Context) (storage.Info, error) {
	if err := ctx.Err(); err != nil {
		return storage.Info{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.look(); err != nil {
		return storage.Info{}, err
	}
	return l.r.info(), nil
}

// Close ends it.
func (l *rowsLog) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.closed {
		return fs.ErrClosed
	}
	l.closed = true
	return nil
}
