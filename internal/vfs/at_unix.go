//go:build unix

package vfs

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// dirFD is an open directory, noDir none: a name in it is one by itself.
type dirFD = int

const noDir dirFD = unix.AT_FDCWD

// closeDir gives a directory back; nothing was written through it.
func closeDir(fd dirFD) { _ = unix.Close(fd) }

// dupDir returns another descriptor of a directory.
func dupDir(fd dirFD) (another dirFD, err error) {
	err = retry(func() (err error) {
		another, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	return another, err
}

// isGone reports whether an open directory was removed.
func isGone(fd dirFD) (bool, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(fd, &st) })
	return err == nil && st.Nlink == 0, err
}

// walkAt opens a directory to go through it. A link is ELOOP or ENOTDIR, and so is what
// is no directory.
func walkAt(dir dirFD, base string) (dirFD, error) {
	return linkless(dir, base, walkFlag|unix.O_DIRECTORY)
}

// readAt opens a directory to read its names.
func readAt(dir dirFD, base string) (dirFD, error) {
	return linkless(dir, base, unix.O_RDONLY|unix.O_DIRECTORY)
}

// linkless opens what is no link.
func linkless(dir dirFD, base string, flag int) (fd dirFD, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(dir, base, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

func lstatAt(dir dirFD, base string) (Info, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Info{}, err
	}
	return infoOf(base, &st), nil
}

func mkdirAt(dir dirFD, base string) error {
	if err := unix.Mkdirat(dir, base, 0o700); err != nil {
		return err
	}
	return chmodAt(dir, base, DirMode) // the umask may have taken bits of ours away
}

func renameAt(from dirFD, old string, to dirFD, new string) error {
	return unix.Renameat(from, old, to, new)
}

func linkAt(from dirFD, old string, to dirFD, new string) error {
	return unix.Linkat(from, old, to, new, 0)
}

// removeAt removes a file or an empty directory.
func removeAt(dir dirFD, base string) error {
	err := unix.Unlinkat(dir, base, 0)
	if err == unix.EISDIR || err == unix.EPERM {
		if dirErr := unix.Unlinkat(dir, base, unix.AT_REMOVEDIR); dirErr != unix.ENOTDIR {
			err = dirErr
		}
	}
	return err
}

// chmodAt sets the permission bits of what is no link. Where the system cannot be
// told to change no link, opening it makes sure.
func chmodAt(dir dirFD, base string, mode fs.FileMode) error {
	bits := uint32(mode.Perm())
	if unix.Fchmodat(dir, base, bits, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return nil
	}
	fd, err := linkless(dir, base, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return err
	}
	defer closeDir(fd)
	return unix.Fchmod(fd, bits)
}
