package memory_test

import (
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storagetest.Fixture {
		allowed := -1
		store := memory.New(memory.Options{Fault: func(_ string, n int) (int, error) {
			if allowed < 0 || allowed >= n {
				return n, nil
			}
			part := allowed
			allowed = -1
			return part, syscall.ENOSPC
		}})
		return storagetest.Fixture{
			Store: store,
			Dir:   "/logs",
			Set:   store.Set,
			Break: func(n int) { allowed = n },
		}
	})
}
