// Package offlinetest is a shared store for tests that can be away, and what stands
// before it on a machine.
package offlinetest

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// ErrSilent is why a store is away.
var ErrSilent = errors.New("no answer")

// Name is what the store is called.
const Name = "far://store"

// Store is a store of rows that does not answer while it is away.
type Store struct {
	*storagetest.Rows
	Away atomic.Bool
}

// New returns a store that is there.
func New() *Store { return &Store{Rows: storagetest.NewRows()} }

// Offline returns what stands before the store on a machine that keeps things in dir. Its
// clock leaps, so that a store that was away is asked again at once, and what waits is
// sent by nobody. It is closed with the test.
func (s *Store) Offline(t *testing.T, dir string) *offline.Store {
	t.Helper()
	far := &offline.Remote{Store: s}
	given := far
	if s.there() != nil {
		given = nil
	}
	var calls atomic.Int64
	d := offline.New(given, offline.Options{
		Name: Name, Cache: filepath.Join(dir, "cache"), Waiting: filepath.Join(dir, "waiting"), Pause: time.Hour,
		Reach: func(context.Context) (*offline.Remote, error) { return far, s.there() },
		Away:  func(err error) bool { return errors.Is(err, ErrSilent) },
		Why:   s.there(),
		Now:   func() time.Time { return time.Unix(1e9, 0).Add(time.Duration(calls.Add(1)) * 2 * time.Hour) },
	})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (s *Store) there() error {
	if s.Away.Load() {
		return ErrSilent
	}
	return nil
}

// Open opens a log, if the store is there.
func (s *Store) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if err := s.there(); err != nil {
		return nil, err
	}
	opened, err := s.Rows.Open(ctx, name, mode)
	if err != nil {
		return nil, err
	}
	return &log{opened, s}, nil
}

// Stat describes a name, if the store is there.
func (s *Store) Stat(ctx context.Context, name string) (storage.Info, error) {
	if err := s.there(); err != nil {
		return storage.Info{}, err
	}
	return s.Rows.Stat(ctx, name)
}

// List describes what is in a directory, if the store is there.
func (s *Store) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	if err := s.there(); err != nil {
		return func(yield func(storage.Info, error) bool) { yield(storage.Info{}, err) }
	}
	return s.Rows.List(ctx, dir)
}

// log is a log of a store that can be away.
type log struct {
	storage.Log
	s *Store
}

// Append adds lines, if the store is there.
func (l *log) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	if err := l.s.there(); err != nil {
		return after, err
	}
	return l.Log.Append(ctx, after, lines)
}

// Read yields lines, if the store is there.
func (l *log) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	if err := l.s.there(); err != nil {
		return func(yield func(storage.Line, error) bool) { yield(storage.Line{}, err) }
	}
	return l.Log.Read(ctx, from)
}

// Stat describes the log, if the store is there.
func (l *log) Stat(ctx context.Context) (storage.Info, error) {
	if err := l.s.there(); err != nil {
		return storage.Info{}, err
	}
	return l.Log.Stat(ctx)
}
