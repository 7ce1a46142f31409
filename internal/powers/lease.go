package powers

import (
	"context"

	"github.com/cambium-dev/cambium/storage"
)

// Surveyor is the power of a Leaser that knows at once who has which log open.
type Surveyor interface {
	// Survey returns the holders of all logs that have any, by name, longest
	// first.
	Survey(ctx context.Context) (map[string][]storage.Holder, error)
}

// Survey returns who has which log open; nothing from a store without the power.
func Survey(ctx context.Context, store storage.Store) (map[string][]storage.Holder, error) {
	if s, ok := store.(Surveyor); ok {
		return s.Survey(ctx)
	}
	return nil, nil
}

// Hold tells store that who has the log open. A store without the power is
// told nothing, and its lease is never lost.
func Hold(ctx context.Context, store storage.Store, name string, who storage.Holder) (storage.Lease, error) {
	if l, ok := store.(storage.Leaser); ok {
		return l.Lease(ctx, name, who)
	}
	return noLease{}, nil
}

// Holders returns who has the log open as far as store knows; known is false
// for a store that cannot know.
func Holders(ctx context.Context, store storage.Store, name string) (list []storage.Holder, known bool, err error) {
	if l, ok := store.(storage.Leaser); ok {
		list, err = l.Holders(ctx, name)
		return list, true, err
	}
	return nil, false, nil
}

type noLease struct{}

// Lost returns a channel that is never closed: nil.
func (noLease) Lost() <-chan struct{} { return nil }

func (noLease) Release(context.Context) error { return nil }
