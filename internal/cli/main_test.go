package cli_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// TestMain lets tuitest run this binary as the command.
func TestMain(m *testing.M) {
	os.Exit(tuitest.Main(m, func() int {
		if os.Getenv("FRAGILE") != "" {
			return cli.FragileMain()
		}
		return cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	}))
}
