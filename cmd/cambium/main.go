// Command cambium reads, keeps and moves the sessions of coding agents. Its
// command line is in internal/cli.
package main

import (
	"os"

	"github.com/cambium-dev/cambium/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
