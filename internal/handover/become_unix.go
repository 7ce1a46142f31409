//go:build unix

package handover

import (
	"os"
	"syscall"
)

// programSuffix ends the names of programs' files.
const programSuffix = ""

// Become replaces this process by a program. It returns only with an error.
func Become(h Program) error {
	if err := os.Chdir(h.Dir); err != nil {
		return err
	}
	return syscall.Exec(h.Path, h.Args, h.Env)
}
