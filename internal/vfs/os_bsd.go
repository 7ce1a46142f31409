//go:build unix && !linux && !darwin

package vfs

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func (f *osFile) SyncData() error { return f.Sync() }

func flush(fd int) error { return unix.Fsync(fd) }

// No line is kept here; whoever the system wakes first is next.
func lineUp(int)                   {}
func leaveLine(int)                {}
func (f *osFile) othersWait() bool { return false }

func (f *osFile) Path() (string, error) {
	return "", pathError("locate", f.name, errors.ErrUnsupported)
}

// walkFlag opens a directory to go through it.
const walkFlag = unix.O_RDONLY

func renameNewAt(from int, old string, to int, new string) error {
	return renameByLink(from, old, to, new)
}

func (osFS) InUse(info Info) (bool, error) {
	return false, fmt.Errorf("look for users of %q: %w", info.Name, errors.ErrUnsupported)
}
