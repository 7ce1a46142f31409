//go:build unix && !linux

package vfs

import (
	"errors"
	"fmt"
)

func (f *osFile) SyncData() error { return f.Sync() }

// No line is kept here; whoever the system wakes first is next.
func (f *osFile) lineUp()          {}
func (f *osFile) leaveLine()       {}
func (f *osFile) othersWait() bool { return false }

func (f *osFile) Path() (string, error) {
	return "", pathError("locate", f.name, errors.ErrUnsupported)
}

func (osFS) RenameNew(old, new string) error { return renameByLink(old, new) }

func (osFS) InUse(info Info) (bool, error) {
	return false, fmt.Errorf("look for users of %q: %w", info.Name, errors.ErrUnsupported)
}
