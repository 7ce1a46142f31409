package vfs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// opened opens a file several times.
func opened(t *testing.T, n int) []vfs.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all := make([]vfs.File, n)
	for i := range all {
		f, err := vfs.OS().Open(path, os.O_RDWR)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = f
		t.Cleanup(func() { _ = f.Close() })
	}
	return all
}

// TestLockHeld: who waits for a lock gives up when patience ends or the context
// does, and learns who holds it.
func TestLockHeld(t *testing.T) {
	files := opened(t, 2)
	is(t, files[0].Lock(t.Context()), nil)
	why := errors.New("enough")
	ended, end := context.WithCancelCause(t.Context())
	end(why)
	for name, ctx := range map[string]context.Context{
		"no patience":     vfs.WithPatience(t.Context(), 0),
		"little patience": vfs.WithPatience(t.Context(), time.Millisecond),
		"ended":           ended,
	} {
		err := files[1].Lock(ctx)
		var held *vfs.Held
		if !errors.As(err, &held) || !errors.Is(err, vfs.ErrHeld) || errors.Is(err, why) != (name == "ended") {
			t.Fatalf("%s: %v", name, err)
		}
		// Where the system tells, it is this very process.
		if held.By.PID != 0 && (held.By.PID != os.Getpid() || held.By.Program == "" || held.By.Stopped) {
			t.Errorf("%s: held by %+v", name, held.By)
		}
		if !strings.Contains(err.Error(), `the lock of "a"`) || held.By.Todo() == "" {
			t.Errorf("%s: %v; %s", name, err, held.By.Todo())
		}
	}
}

// TestLockGivenUp: a wait that was given up takes the lock from nobody, and the next
// Lock of the same file joins it.
func TestLockGivenUp(t *testing.T) {
	files := opened(t, 3)
	is(t, files[0].Lock(t.Context()), nil)
	if err := files[1].Lock(vfs.WithPatience(t.Context(), time.Millisecond)); !errors.Is(err, vfs.ErrHeld) {
		t.Fatal(err)
	}
	if ok, err := files[1].TryLock(); ok || err != nil {
		t.Fatalf("try: %v, %v", ok, err)
	}
	is(t, files[0].Unlock(), nil)
	is(t, files[2].Lock(t.Context()), nil)
	is(t, files[2].Unlock(), nil)
	is(t, files[1].Lock(t.Context()), nil)
	if ok, err := files[0].TryLock(); ok || err != nil {
		t.Fatalf("two have the lock: %v", err)
	}
	is(t, files[1].Unlock(), nil)
	is(t, files[0].Lock(t.Context()), nil)
}

// TestLockClosedWhileWaiting: a file that is closed while its wait goes on does not
// keep the lock.
func TestLockClosedWhileWaiting(t *testing.T) {
	files := opened(t, 3)
	is(t, files[0].Lock(t.Context()), nil)
	if err := files[1].Lock(vfs.WithPatience(t.Context(), time.Millisecond)); !errors.Is(err, vfs.ErrHeld) {
		t.Fatal(err)
	}
	is(t, files[1].Close(), nil)
	is(t, files[0].Unlock(), nil)
	is(t, files[2].Lock(t.Context()), nil)
}

// TestLockOfMany: more wait for a lock that is never given back than the system is
// asked to wait for, and all of them get it when it is.
func TestLockOfMany(t *testing.T) {
	files := opened(t, 200)
	holder, waiting := files[0], files[1:]
	is(t, holder.Lock(t.Context()), nil)
	for _, f := range waiting {
		if err := f.Lock(vfs.WithPatience(t.Context(), time.Microsecond)); !errors.Is(err, vfs.ErrHeld) {
			t.Fatal(err)
		}
	}
	is(t, holder.Unlock(), nil)
	for _, f := range waiting {
		is(t, f.Lock(t.Context()), nil)
		is(t, f.Unlock(), nil)
	}
}
