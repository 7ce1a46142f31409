package powers

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// Sync makes what log appended durable. A log without the power is durable at
// once.
func Sync(ctx context.Context, log storage.Log) error {
	if s, ok := log.(storage.Syncer); ok {
		return s.Sync(ctx)
	}
	return nil
}
