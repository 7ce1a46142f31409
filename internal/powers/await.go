package powers

import (
	"context"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Awaiter is the power of a Log whose lock can be waited for before it is used.
type Awaiter interface {
	// Await returns when nobody else has the lock, and keeps it for a moment for
	// the call that follows. The error is ErrLocked when another held it for a
	// few seconds, or until ctx was done. A log that is not there has no lock.
	Await(ctx context.Context) error
}

// Await waits for the lock of log. One without the power has nothing to wait for.
func Await(ctx context.Context, log storage.Log) error {
	if a, ok := log.(Awaiter); ok {
		return a.Await(ctx)
	}
	return nil
}

// WithoutWaiting returns a context in which no lock is waited for: what would have
// to fails at once with ErrLocked.
func WithoutWaiting(ctx context.Context) context.Context { return vfs.WithPatience(ctx, 0) }

// Waits reports whether locks are waited for in a context.
func Waits(ctx context.Context) bool { return vfs.PatienceOf(ctx) > 0 }

// briefly is how long a lock is waited for that should be free, or was waited for in
// vain just now.
const briefly = 20 * time.Millisecond

// Impatient returns a context in which a lock is hardly waited for.
func Impatient(ctx context.Context) context.Context {
	return vfs.WithPatience(ctx, min(briefly, vfs.PatienceOf(ctx)))
}
