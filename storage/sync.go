package storage

import "context"

// Syncer is the power of a Log whose lines are not durable when Append
// returns.
type Syncer interface {
	// Sync returns when all that this Log appended would survive a power cut,
	// its name included. An error means that nothing is known; a later Sync
	// that succeeds has checked again, and ErrLost says that it found lines
	// missing.
	Sync(ctx context.Context) error
}
