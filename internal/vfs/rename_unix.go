//go:build unix

package vfs

import "golang.org/x/sys/unix"

// renameByLink renames without replacing, for systems that have no call for
// it: the link fails if the name is taken, so no moment is without the file.
func renameByLink(old, new string) error {
	if err := retry(func() error { return unix.Link(old, new) }); err != nil {
		return linkError("rename", old, new, err)
	}
	return linkError("rename", old, new, retry(func() error { return unix.Unlink(old) }))
}
