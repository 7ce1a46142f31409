package offline_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// A store behind an offline store is as it is without.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		s := offline.New(&offline.Remote{Store: memory.New(memory.Options{})}, offline.Options{
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
