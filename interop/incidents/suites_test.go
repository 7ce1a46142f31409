//go:build linux

package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
)

// TestMain makes the test program a process of cambium, or the command, when it is
// told so: nothing is linked for the tests.
func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "command":
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	case "serve":
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Setenv(commandVariable, self)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestCrash is the short form of "make crash".
func TestCrash(t *testing.T) {
	if err := crash(t.Output(), 5); err != nil {
		t.Error(err)
	}
}

// TestConcurrent is the short form of "make concurrent".
func TestConcurrent(t *testing.T) {
	if err := concurrent(t.Output(), []int{2, 4}, 450); err != nil {
		t.Error(err)
	}
}
