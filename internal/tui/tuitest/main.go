package tuitest

import (
	"os"
	"testing"
)

// asCommand is the variable that makes a test binary behave as the command.
const asCommand = "CAMBIUM_TUITEST_COMMAND"

// Main is for TestMain: it runs the tests, or, in a process that Start has
// started, the command, and returns what to exit with.
//
//	os.Exit(tuitest.Main(m, func() int {
//		return cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
//	}))
func Main(m *testing.M, command func() int) int {
	if !IsCommand() {
		return m.Run()
	}
	_ = os.Unsetenv(asCommand) // it was read just now
	return command()
}

// IsCommand reports whether this process is to behave as the command.
func IsCommand() bool {
	_, ok := os.LookupEnv(asCommand)
	return ok
}

// AsCommand is what the environment of the test's own binary needs to behave as the
// command, without a terminal.
func AsCommand() []string { return []string{asCommand + "=1"} }
