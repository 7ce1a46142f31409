package storagetest_test

import (
	"testing"

	"github.com/cambium-dev/cambium/storage/storagetest"
)

func TestRows(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storagetest.Fixture {
		return storagetest.Fixture{Store: storagetest.NewRows(), Dir: "logs"}
	})
}
