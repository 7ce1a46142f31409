package lease_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
)

func TestTurn(t *testing.T) {
	turn := lease.NewTurn()
	if err := turn.Take(t.Context(), storage.Read); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("taken to read: %v", err)
	}
	if err := turn.Take(t.Context(), storage.Write); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	got := make(chan error)
	go func() { got <- turn.Take(ctx, storage.Write) }()
	why := errors.New("enough")
	cancel(why)
	// The context may have ended before it was asked for, or while it waited.
	if err := <-got; !errors.Is(err, context.Canceled) && (!errors.Is(err, storage.ErrLocked) || !errors.Is(err, why)) {
		t.Errorf("waited for in vain: %v", err)
	}
	turn.Give()
	if err := turn.Take(t.Context(), storage.Create); err != nil {
		t.Error(err)
	}
}

// TestLease: a lease is renewed three times in its time, and lost when it is there
// no more, or when nothing was heard for as long as it lasts.
func TestLease(t *testing.T) {
	away := errors.New("away")
	for _, test := range []struct {
		name    string
		answers func(n int) (bool, error)
		renewed int
		lost    time.Duration // 0 for never
	}{
		{"held", func(int) (bool, error) { return true, nil }, 8, 0},
		{"taken", func(n int) (bool, error) { return n < 2, nil }, 2, 2 * time.Second},
		{"away", func(n int) (bool, error) {
			if n < 2 {
				return true, nil
			}
			return false, away
		}, 4, 4 * time.Second},
		{"away for a moment", func(n int) (bool, error) {
			if n == 2 || n == 3 {
				return false, away
			}
			return true, nil
		}, 8, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				begun := time.Now()
				l := lease.Keep(t.Context(), func(f func()) bool { go f(); return true }, 3*time.Second,
					func(context.Context) (bool, error) { n++; return test.answers(n) })
				lost := time.Duration(0)
				select {
				case <-l.Lost():
					lost = time.Since(begun)
				case <-time.After(8*time.Second + time.Millisecond):
				}
				l.End()
				if n != test.renewed || lost != test.lost {
					t.Errorf("renewed %d times, lost after %v; want %d, %v", n, lost, test.renewed, test.lost)
				}
			})
		})
	}
	l := lease.Keep(t.Context(), func(func()) bool { return false }, time.Second, nil)
	<-l.Lost()
	l.End()
}
