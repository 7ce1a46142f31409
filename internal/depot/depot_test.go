package depot_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/depot"
	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// A store behind a depot is as it is without.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		s := depot.New(&depot.Remote{Store: memory.New(memory.Options{})}, depot.Options{
			Cache: t.TempDir(), Waiting: t.TempDir(), Away: func(error) bool { return false },
		})
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return storagetest.Fixture{Store: s, Dir: "/logs"}
	})
}
