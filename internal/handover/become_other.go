//go:build !unix

package handover

import (
	"errors"
	"os"
	"os/exec"
)

// programSuffix ends the names of programs' files.
const programSuffix = ".exe"

// Become runs a program on the command's own terminal. The error is an [*Ended].
func Become(h Program) error {
	cmd := exec.Command(h.Path)
	cmd.Args, cmd.Dir, cmd.Env = h.Args, h.Dir, h.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return &Ended{ended.ExitCode()}
	}
	return err
}
