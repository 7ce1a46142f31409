package powers

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// Taker is the power of a Leaser whose leases can be taken from who has them.
type Taker interface {
	// TakeOver is Lease for the only holder: the leases of all others are lost,
	// of which they are told when they are heard of again.
	TakeOver(ctx context.Context, name string, who storage.Holder) (storage.Lease, error)
}

// TakeOver tells store that who alone has the log open. In a store without the
// power it is Hold, and the others keep their leases.
func TakeOver(ctx context.Context, store storage.Store, name string, who storage.Holder) (storage.Lease, error) {
	if t, ok := store.(Taker); ok {
		return t.TakeOver(ctx, name, who)
	}
	return Hold(ctx, store, name, who)
}
