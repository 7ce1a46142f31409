//go:build share

package jetstream_test

import (
	"testing"

	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		return storagetest.Fixture{
			Store: open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)}),
			Dir:   "/logs",
		}
	})
}
