package postgres_test

import (
	"context"
	"log"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// Sessions that many machines have are listed as those of the disk are.
func Example() {
	ctx := context.Background()
	env, err := layout.Here()
	if err != nil {
		log.Fatal(err)
	}
	store, err := postgres.Open(ctx, "postgres://ada@host/sessions", postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	engine, err := cambium.Open(ctx, cambium.Options{Env: env, Store: store, Blobs: store.Blobs()})
	if err != nil {
		log.Fatal(err)
	}
	for info, err := range engine.Sessions(ctx, cambium.Query{}) {
		log.Println(info.ID, info.Title, err)
	}
}
