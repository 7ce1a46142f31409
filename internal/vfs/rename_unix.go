//go:build unix

package vfs

import "golang.org/x/sys/unix"

// renameByLink renames without replacing, for systems that have no call for
// it: the link fails if the name is taken, so no moment is without the file.
func renameByLink(from int, old string, to int, new string) error {
	if err := retry(func() error { return unix.Linkat(from, old, to, new, 0) }); err != nil {
		return err
	}
	return retry(func() error { return unix.Unlinkat(from, old, 0) })
}
