package powers

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// Mover is the power of a Log that can be given another name as what is open,
// whatever has its name by then.
type Mover interface {
	// Move is the Rename of a Store for the log that a mark knows. If another one
	// has the name the error is a *Changed of kind Replaced, and nothing was done.
	Move(ctx context.Context, at storage.Mark, name string) error
}

// Move gives a log of a store that is open as log, and known by the mark, another
// name. The name of a log without the power is what is renamed.
func Move(ctx context.Context, store storage.Store, log storage.Log, at storage.Mark, old, new string) error {
	if m, ok := log.(Mover); ok {
		return m.Move(ctx, at, new)
	}
	return store.Rename(ctx, old, new)
}
