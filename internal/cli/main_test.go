package cli_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// TestMain lets tuitest run this binary as the command.
func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv(holdVariable); ok {
		hold(path)
	}
	if !tuitest.IsCommand() {
		scratch.InMemory()
	}
	os.Exit(tuitest.Main(m, func() int {
		return cli.TerminalMain(os.Getenv("FRAGILE") != "")
	}))
}
