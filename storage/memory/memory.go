// Package memory keeps logs in memory and never touches a disk. It behaves as
// package storage/local does, marks, changes and salvage included; what is
// appended is durable as long as the process lives.
package memory

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Options says how a Store works.
type Options struct {
	// Fault, if not nil, is asked before n bytes are appended to a log: it
	// returns how many may be written and why not all. It stands for a disk
	// that is full, and must not use the store.
	Fault func(name string, n int) (int, error)
}

// Store keeps logs by name. Names are slash-separated; all directories that
// some name lies in are there. It is safe for concurrent use.
type Store interface {
	storage.Store
	// Set makes data the content of a log, which need not be there.
	Set(name string, data []byte)
}

// memStore is the one that New makes.
type memStore struct {
	opt    Options
	mu     sync.Mutex
	files  map[string]*file // guarded by mu
	last   uint64           // guarded by mu: counts files and changes
	birth  chan struct{}    // guarded by mu: closed when the next file is made
	leases []*lease         // guarded by mu: in the order of holding
}

var (
	_ storage.Store       = (*memStore)(nil)
	_ powers.PrefixReader = (*memStore)(nil)
)

// file is one log. Everything in it is guarded by the store's mu; bytes that
// are in data are never overwritten, so that a slice of it stays valid.
type file struct {
	id   uint64
	name string // "" if it has none any more
	data []byte
	mod  uint64
	turn chan struct{} // holds a value while somebody writes
	next chan struct{} // closed at the next change
}

// New returns an empty store.
func New(opt Options) Store {
	return &memStore{opt: opt, files: make(map[string]*file), birth: make(chan struct{})}
}

func (s *memStore) count() uint64 {
	s.last++
	return s.last
}

// newFile makes a file of that name. s.mu is held.
func (s *memStore) newFile(name string) *file {
	f := &file{
		id: s.count(), name: name, mod: s.count(),
		turn: make(chan struct{}, 1), next: make(chan struct{}),
	}
	s.files[name] = f
	s.born()
	return f
}

// born wakes who waits for a name to be taken. s.mu is held.
func (s *memStore) born() {
	close(s.birth)
	s.birth = make(chan struct{})
}

// changed notes a change of a file and wakes who watches it. s.mu is held.
func (s *memStore) changed(f *file) {
	f.mod = s.count()
	s.wake(f)
}

func (s *memStore) wake(f *file) {
	close(f.next)
	f.next = make(chan struct{})
}

func (f *file) mark() storage.Mark { return f.markAt(len(f.data)) }

func (f *file) markAt(size int) storage.Mark {
	return storage.MakeMark([4]uint64{0, f.id, uint64(size), f.mod})
}

func (f *file) info() storage.Info {
	return storage.Info{
		Name: f.name, Mark: f.mark(), Size: int64(len(f.data)),
		ModTime: int64(f.mod), Mode: 0o600,
	}
}

// Open opens a log.
func (s *memStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[name]
	var err error
	switch {
	case mode == storage.Create && f != nil:
		err = storage.ErrExist
	case f != nil || mode == storage.Create:
	case s.isDir(name):
		err = storage.ErrNotRegular
	default:
		err = storage.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("open log %q: %w", name, err)
	}
	return &log{store: s, mode: mode, opened: name, name: name, f: f, begun: f != nil}, nil
}

// isDir reports whether a name is that of a directory. s.mu is held.
func (s *memStore) isDir(name string) bool {
	for other := range s.files {
		if strings.HasPrefix(other, strings.TrimSuffix(name, "/")+"/") {
			return true
		}
	}
	return false
}

// List describes the logs and directories directly in a directory.
func (s *memStore) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		list := s.list(path.Clean(dir))
		if len(list) == 0 {
			yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, storage.ErrNotExist))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if err := ctx.Err(); err != nil {
				yield(storage.Info{}, err)
				return
			}
			if !yield(list[name], nil) {
				return
			}
		}
	}
}

func (s *memStore) list(dir string) map[string]storage.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make(map[string]storage.Info)
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for name, f := range s.files {
		rest, found := strings.CutPrefix(name, prefix)
		if !found {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if deeper {
			list[prefix+first] = storage.Info{Name: prefix + first, Mode: fs.ModeDir | 0o700}
		} else {
			list[name] = f.info()
		}
	}
	return list
}

// Stat describes one name.
func (s *memStore) Stat(ctx context.Context, name string) (storage.Info, error) {
	if err := ctx.Err(); err != nil {
		return storage.Info{}, err
	}
	name = path.Clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[name]; f != nil {
		return f.info(), nil
	}
	if s.isDir(name) {
		return storage.Info{Name: name, Mode: fs.ModeDir | 0o700}, nil
	}
	return storage.Info{}, fmt.Errorf("stat log %q: %w", name, storage.ErrNotExist)
}

// ReadPrefix returns a copy of the first n bytes.
func (s *memStore) ReadPrefix(ctx context.Context, name string, n int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[path.Clean(name)]
	if f == nil {
		return nil, fmt.Errorf("read log %q: %w", name, storage.ErrNotExist)
	}
	return slices.Clone(f.data[:max(0, min(n, len(f.data)))]), nil
}

// Rename gives a log another name.
func (s *memStore) Rename(ctx context.Context, old, new string) error {
	from, to := path.Clean(old), path.Clean(new)
	return s.change(ctx, old, fmt.Sprintf("rename log %q to %q", old, new), func(f *file) error {
		if s.files[to] != nil || s.isDir(to) {
			return storage.ErrExist
		}
		delete(s.files, from)
		s.files[to], f.name = f, to
		s.born()
		s.wake(f)
		return nil
	})
}

// Remove ends a log.
func (s *memStore) Remove(ctx context.Context, name string) error {
	return s.change(ctx, name, fmt.Sprintf("remove log %q", name), func(f *file) error {
		delete(s.files, f.name)
		f.name = ""
		s.wake(f)
		return nil
	})
}

// Set puts other bytes in a log in place, as a program does that writes to the
// file itself: they may end without line feed, or be fewer. A log that is not
// there is made.
func (s *memStore) Set(name string, data []byte) {
	name = path.Clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[name]
	if f == nil {
		f = s.newFile(name)
	}
	f.data = slices.Clone(data)
	s.changed(f)
}

// change does something to the file of a name when nobody writes to it.
func (s *memStore) change(ctx context.Context, name, what string, do func(*file) error) error {
	for {
		s.mu.Lock()
		f := s.files[path.Clean(name)]
		s.mu.Unlock()
		if f == nil {
			return fmt.Errorf("%s: %w", what, storage.ErrNotExist)
		}
		if err := f.begin(ctx); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		s.mu.Lock()
		same := s.files[path.Clean(name)] == f
		var err error
		if same {
			err = do(f)
		}
		s.mu.Unlock()
		<-f.turn
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if same {
			return nil
		}
	}
}

// begin waits for the turn to write to a file.
func (f *file) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", storage.ErrLocked, context.Cause(ctx))
	}
}
