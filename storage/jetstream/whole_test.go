package jetstream_test

import (
	"context"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// wholeStore is the store with all of its powers.
type wholeStore interface {
	jetstream.Store
	Status(ctx context.Context) (serverstatus.JetStream, error)
	storage.Leaser
	powers.Taker
	powers.Surveyor
	powers.PrefixReader
}

// opened returns what jetstream.Open returns, as the store with all of its powers.
func opened(s jetstream.Store, err error) (wholeStore, error) {
	if err != nil {
		return nil, err
	}
	return s.(wholeStore), nil
}
