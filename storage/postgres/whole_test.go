package postgres_test

import (
	"context"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// wholeStore is the store with all of its powers.
type wholeStore interface {
	postgres.Store
	Status(ctx context.Context) (serverstatus.Postgres, error)
	storage.Leaser
	powers.Taker
	powers.Surveyor
	powers.PrefixReader
	powers.Finder
	powers.Searcher
	powers.Auditor
}

// opened returns what postgres.Open returns, as the store with all of its powers.
func opened(s postgres.Store, err error) (wholeStore, error) {
	if err != nil {
		return nil, err
	}
	return s.(wholeStore), nil
}
