//go:build peers && share

package interop_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// TestShareSyncedSessionsOpen is TestSyncedSessionsOpen through PostgreSQL.
func TestShareSyncedSessionsOpen(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "cambium-si-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := pgtest.New(dir+"/s", "fsync = off")
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	store, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	syncedOpen(t, exchange.Shared("postgres", store, store.Blobs()))
}
