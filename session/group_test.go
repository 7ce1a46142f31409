package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/storage/memory"
)

// A slowStore is a store in memory whose logs must be synced, which takes as
// long as the test wants.
type slowStore struct {
	storage.Store
	begun   chan struct{} // a value for each sync that begins
	proceed chan error    // how it ends
}

type slowLog struct {
	storage.Log
	s *slowStore
}

func (s *slowStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := s.Store.Open(ctx, name, mode)
	return &slowLog{log, s}, err
}

// Sync waits for the test.
func (l *slowLog) Sync(context.Context) error {
	l.s.begun <- struct{}{}
	return <-l.s.proceed
}

// slow opens a new session on a slow store.
func slow(t *testing.T, o session.Options) (*slowStore, *session.Session) {
	t.Helper()
	store := &slowStore{memory.New(memory.Options{}), make(chan struct{}, 100), make(chan error, 100)}
	o.Store, o.Env, o.NoDrafts, o.FirstWrite = store, env(t.TempDir()), true, session.Immediately
	for range 10 {
		store.proceed <- nil // of the first writes
	}
	s, err := session.Create(t.Context(), "/w", o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), user("first")); err != nil {
		t.Fatal(err)
	}
	for len(store.begun) > 0 {
		<-store.begun
	}
	for len(store.proceed) > 0 {
		<-store.proceed
	}
	return store, s
}

// until waits for a condition, and fails after a minute.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for !is() {
		if ctx.Err() != nil {
			t.Fatalf("never: %s", what)
		}
		runtime.Gosched()
	}
}

// TestWaitersShareASync has nine goroutines append while the disk is busy with
// the first: the other eight share one sync.
func TestWaitersShareASync(t *testing.T) {
	for _, sync := range []session.Sync{session.SyncMessage, session.SyncEntry} {
		store, s := slow(t, session.Options{Sync: sync})
		errs := make(chan error, 9)
		add := func(n int) {
			_, err := s.Append(context.Background(), user(fmt.Sprint(n)))
			errs <- err
		}
		before := s.Len()
		go add(0)
		<-store.begun
		for n := 1; n < 9; n++ {
			go add(n)
		}
		// The session is not held during the sync: all are written, and it can
		// be read.
		until(t, "all are in the session", func() bool { return s.Len() == before+9 })
		if len(errs) != 0 {
			t.Error("an append returned before the sync did")
		}
		store.proceed <- nil
		<-store.begun
		store.proceed <- nil
		for range 9 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if len(store.begun) != 0 {
			t.Errorf("sync %v: %d more syncs", sync, len(store.begun))
		}
		chain(t, s)
		store.proceed <- nil
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// chain checks that each entry follows the one before it in the file.
func chain(t *testing.T, s *session.Session) {
	t.Helper()
	list := s.List()
	for i := 1; i < list.Len(); i++ {
		parent, _ := list.ParentID(i)
		if before, _ := list.ID(i - 1); parent != before {
			t.Errorf("entry %d follows %q, not %q", i, parent, before)
		}
	}
}

// TestSyncThatFailsIsOwed has a sync fail: every later call syncs, whatever it
// appends, and returns the error until that succeeds.
func TestSyncThatFailsIsOwed(t *testing.T) {
	var mu sync.Mutex
	told := 0
	store, s := slow(t, session.Options{OnEvent: func(e session.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == session.Unsaved {
			told++
		}
	}})
	broken := errors.New("broken disk")
	fails := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, session.ErrUnsaved) || !errors.Is(err, broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	store.proceed <- broken
	id, err := s.Append(t.Context(), user("one"))
	fails("append", err)
	if at, ok := s.Leaf(); !ok || at != id {
		t.Errorf("leaf %q, want %q", at, id)
	}
	store.proceed <- broken
	_, err = s.Append(t.Context(), &entry.LabelBody{TargetID: id, Label: "no message"})
	fails("label", err)
	store.proceed <- broken
	fails("flush", s.Flush(t.Context()))
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	store.proceed <- nil
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("flush when the disk is well: %v", err)
	}
	if _, err := s.Append(t.Context(), &entry.LabelBody{TargetID: id}); err != nil {
		t.Errorf("a label needs no sync: %v", err)
	}
	store.proceed <- nil
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	chain(t, s)
}

// TestCloseWaitsForAppends closes a session while an append waits for the disk.
func TestCloseWaitsForAppends(t *testing.T) {
	store, s := slow(t, session.Options{})
	saved, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Append(context.Background(), user("late"))
		saved <- err
	}()
	<-store.begun
	go func() { closed <- s.Close() }()
	store.proceed <- nil
	store.proceed <- nil // for closing, if it does not share
	if err := errors.Join(<-saved, <-closed); err != nil {
		t.Error(err)
	}
}

// BenchmarkAppend appends messages that are on the disk when the call returns,
// by several goroutines at once.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			dir := b.TempDir()
			s, err := session.Create(b.Context(), "/w", session.Options{
				Env: env(dir), Dir: filepath.Join(dir, "s"), Store: local.New(local.Options{}), FirstWrite: session.Immediately,
			})
			if err != nil {
				b.Fatal(err)
			}
			body := user("some words of a message")
			var group sync.WaitGroup
			turns := make(chan struct{}, writers)
			b.ResetTimer()
			for range writers {
				group.Go(func() {
					for range turns {
						if _, err := s.Append(context.Background(), body); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for range b.N {
				turns <- struct{}{}
			}
			close(turns)
			group.Wait()
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
