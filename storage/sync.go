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

// Sync makes what log appended durable. A log without the power is durable at
// once.
func Sync(ctx context.Context, log Log) error {
	if s, ok := log.(Syncer); ok {
		return s.Sync(ctx)
	}
	return nil
}
