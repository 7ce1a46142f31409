//go:build unix

package cli

import (
	"os"
	"syscall"
)

// programSuffix ends the names of programs' files.
const programSuffix = ""

// become replaces this process by a program. It returns only with an error.
func become(h Handover) error {
	if err := os.Chdir(h.Dir); err != nil {
		return err
	}
	return syscall.Exec(h.Path, h.Args, h.Env)
}
