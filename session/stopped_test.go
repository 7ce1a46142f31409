package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// heldSession is a session that is open, and another process's descriptor of its
// file, which has the lock.
func heldSession(t *testing.T) (*session.Session, vfs.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl")
	const text = `{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"one","timestamp":1}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	other, err := vfs.OS().Open(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	if err := other.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, other
}

var someMessage = &entry.MessageBody{Message: []byte(`{"role":"user","content":"two","timestamp":1}`)}

// TestAppendWhileLocked: an entry is in memory while the lock of its log is waited for,
// and on the disk when the lock is free.
func TestAppendWhileLocked(t *testing.T) {
	s, other := heldSession(t)
	waits := make(chan struct{})
	ctx := session.WhenWaiting(t.Context(), func() { close(waits) })
	type result struct {
		id  entry.ID
		err error
	}
	done := make(chan result)
	go func() {
		id, err := s.Append(ctx, someMessage)
		done <- result{id, err}
	}()
	<-waits
	leaf, _ := s.Leaf()
	if s.Len() != 2 || s.Queued() != 1 || leaf == "aaaaaaaa" {
		t.Errorf("while it waits: %d entries, %d queued, leaf %q", s.Len(), s.Queued(), leaf)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Errorf("refresh: %v", err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.err != nil || r.id != leaf {
		t.Errorf("append: %q, %v; want %q", r.id, r.err, leaf)
	}
	if s.Queued() != 0 {
		t.Errorf("%d queued", s.Queued())
	}
}

// TestAppendGivesUp: when the waiting ends first, the entry stays queued, the error
// says who holds the lock, and a later call saves it.
func TestAppendGivesUp(t *testing.T) {
	s, other := heldSession(t)
	ctx := vfs.WithPatience(t.Context(), 5*time.Millisecond)
	for n := 1; n <= 2; n++ {
		id, err := s.Append(ctx, someMessage)
		var locked *storage.Locked
		if id == "" || !errors.Is(err, session.ErrUnsaved) || !errors.As(err, &locked) || s.Queued() != n {
			t.Fatalf("append: %q, %v; %d queued", id, err, s.Queued())
		}
	}
	if ok, err := s.Rename(ctx, "name", session.Title{}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("rename: %v, %v", ok, err)
	}
	stopped, stop := context.WithCancel(vfs.WithPatience(t.Context(), time.Hour))
	stop()
	if err := s.Flush(stopped); !errors.Is(err, context.Canceled) && !errors.Is(err, storage.ErrLocked) {
		t.Errorf("flush: %v", err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil || s.Queued() != 0 {
		t.Errorf("flush: %v; %d queued", err, s.Queued())
	}
	again, err := session.Open(t.Context(), s.Path(), session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if title, _ := again.Title(); again.Len() < 3 || title != "name" {
		t.Errorf("%d entries, name %q", again.Len(), title)
	}
}
