package powers

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/storage"
)

// Salvager is the power of a Log that still holds what was there before it was
// replaced or removed under it. It is of use after a *Changed of kind Replaced
// or Gone, until the next Append that succeeds: salvage first.
type Salvager interface {
	// Salvage returns the bytes of the log as it was, with what was appended
	// to it since; ErrNotExist when nothing is held. The caller closes the
	// section.
	Salvage(ctx context.Context) (Section, int64, error)
	// Restore puts the log that is gone back at its name, whole and durable,
	// and goes on with it. after is the last mark that the caller had of it:
	// the returned one stands for the same place in the restored log. ErrExist
	// if the name is taken.
	Restore(ctx context.Context, after storage.Mark) (storage.Mark, error)
}

// Salvage returns the bytes that log held before it was replaced or removed.
// The error is errors.ErrUnsupported if the log keeps none.
func Salvage(ctx context.Context, log storage.Log) (Section, int64, error) {
	if s, ok := log.(Salvager); ok {
		return s.Salvage(ctx)
	}
	return nil, 0, errors.ErrUnsupported
}

// Restore puts a log that is gone back at its name. The error is
// errors.ErrUnsupported if the log cannot: append all lines again, after the
// zero Mark.
func Restore(ctx context.Context, log storage.Log, after storage.Mark) (storage.Mark, error) {
	if s, ok := log.(Salvager); ok {
		return s.Restore(ctx, after)
	}
	return storage.Mark{}, errors.ErrUnsupported
}
