package powers

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/storage"
)

// Slotter is the power of a Log whose first line may be overwritten in place
// by one of the same length.
type Slotter interface {
	// WriteSlot overwrites the first len(old) bytes of the log with new, of
	// the same length, if the log is as after says and begins with old, and
	// returns the mark that follows. A mark that is stale, or other first
	// bytes (kind Touched), is a *Changed; nothing was written then.
	WriteSlot(ctx context.Context, after storage.Mark, old, new []byte) (storage.Mark, error)
}

// WriteSlot overwrites the start of log. The error is errors.ErrUnsupported if
// the log cannot: replace it whole, or append.
func WriteSlot(ctx context.Context, log storage.Log, after storage.Mark, old, new []byte) (storage.Mark, error) {
	if s, ok := log.(Slotter); ok {
		return s.WriteSlot(ctx, after, old, new)
	}
	return after, errors.ErrUnsupported
}
