//go:build !share

package exchange_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
)

func TestMain(m *testing.M) {
	scratch.InMemory()
	scratch.CollectSeldom()
	os.Exit(m.Run())
}
