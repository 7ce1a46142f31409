package powers

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/storage"
)

// Auditor is the power of a Store that keeps apart what a log amounts to and its
// lines, and can look whether the two agree.
type Auditor interface {
	// Audit returns in words what the store says of a log and does not hold, or
	// the other way round; "" when both agree. ErrNotExist for no log.
	Audit(ctx context.Context, name string) (wrong string, err error)
	// Amend makes what the store says of a log what it holds, all or nothing: no
	// line is taken away, and their order stays. The marks of before are stale
	// afterwards, unless nothing was wrong.
	Amend(ctx context.Context, name string) error
}

// Audit returns what is wrong with what store says of a log, "" for nothing, and
// in a store without the power.
func Audit(ctx context.Context, store storage.Store, name string) (string, error) {
	if a, ok := store.(Auditor); ok {
		return a.Audit(ctx, name)
	}
	return "", nil
}

// Amend makes what store says of a log what it holds. The error is
// errors.ErrUnsupported if the store cannot.
func Amend(ctx context.Context, store storage.Store, name string) error {
	if a, ok := store.(Auditor); ok {
		return a.Amend(ctx, name)
	}
	return errors.ErrUnsupported
}
