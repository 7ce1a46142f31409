//go:build share

package postgres_test

import (
	"testing"

	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		return storagetest.Fixture{
			Store: open(t, shared.URL("postgres"), postgres.Options{Schema: schemaOf(t)}),
			Dir:   "/logs",
		}
	})
}
