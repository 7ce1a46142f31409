package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// A lock file that stays is waited for once; after that each append looks once
// and goes on, until it is another one or gone.
func TestSidecarThatStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	lock := sidecarOf(path)
	tries, reports := 0, 0
	fsys := errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if op.Kind == errorfs.Create && op.Name == lock {
			tries++
		}
		return nil
	})
	store := local.New(vfs.On(local.Options{Sidecar: sidecarOf, Report: func(_ string, err error) {
		if !errors.Is(err, storage.ErrLocked) {
			t.Error(err)
		}
		reports++
	}}, fsys))
	log, mark := create(t, store, path, "one")
	live := func(n int) func() error {
		return func() error { return os.WriteFile(lock, fmt.Appendf(nil, "%d:%d\n", os.Getppid(), n), 0o600) }
	}
	remove := func() error { return os.RemoveAll(lock) }
	mkdir := func() error { return errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o700)) }
	same := func() error { return nil }
	for i, step := range []struct {
		before func() error
		once   bool // one look and no wait
		told   int
		left   bool
	}{
		{live(1), false, 1, true},
		{same, true, 0, true},
		{same, true, 0, true},
		{live(22), false, 1, true},
		{same, true, 0, true},
		{remove, true, 0, false},
		{mkdir, false, 1, true},
		{same, true, 0, true},
		{remove, true, 0, false},
		{live(22), false, 1, true},
	} {
		if err := step.before(); err != nil {
			t.Fatal(err)
		}
		tries, reports = 0, 0
		var err error
		if mark, err = log.Append(t.Context(), mark, byteLines([]string{fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
		if (tries == 1) != step.once || reports != step.told {
			t.Errorf("step %d: tried %d times, told %d times", i, tries, reports)
		}
		if _, err := os.Lstat(lock); (err == nil) != step.left {
			t.Errorf("step %d: the lock file: %v", i, err)
		}
	}
}

// A lock file of ours that could not be removed is no obstacle to us.
func TestSidecarThatCannotBeRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	lock := sidecarOf(path)
	fault := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{}, lock, errorfs.Remove)}
	store := local.New(vfs.On(local.Options{Sidecar: sidecarOf, Report: func(_ string, err error) { t.Error(err) }}, errorfs.Wrap(vfs.OS(), fault.Inject)))
	log, mark := create(t, store, path, "one")
	fault.Set(true)
	mark, err := log.Append(t.Context(), mark, byteLines([]string{"two"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(lock); err != nil {
		t.Fatal(err)
	}
	fault.Set(false)
	if _, err := log.Append(t.Context(), mark, byteLines([]string{"three"})); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file is left: %v", err)
	}
	wantLines(t, readAll(t, log), "one", "two", "three")
}

// TestSidecarOfAnybody: anybody may have written whose lock file it is, so nothing
// that would end or wake that process is proposed.
func TestSidecarOfAnybody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	store := local.New(vfs.On(local.Options{Sidecar: sidecarOf}, vfs.OS()))
	log, mark := create(t, store, path, "one")
	if err := os.WriteFile(sidecarOf(path), fmt.Appendf(nil, "%d:1\n", os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := log.Append(powers.WithoutWaiting(t.Context()), mark, byteLines([]string{"two"}))
	var locked *storage.Locked
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Fatalf("%+v", err)
	}
	if strings.Contains(locked.Todo, "kill") || !strings.Contains(err.Error(), "by what its lock file says") {
		t.Errorf("%v; %s", err, locked.Todo)
	}
}
