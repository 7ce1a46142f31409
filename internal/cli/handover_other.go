//go:build !unix

package cli

import (
	"errors"
	"os"
	"os/exec"
)

// programSuffix ends the names of programs' files.
const programSuffix = ".exe"

// become runs a program on the command's own terminal and ends as it does.
func become(h Handover) error {
	cmd := exec.Command(h.Path)
	cmd.Args, cmd.Dir, cmd.Env = h.Args, h.Dir, h.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return problem{exit: ended.ExitCode(), printed: true}
	}
	return err
}
