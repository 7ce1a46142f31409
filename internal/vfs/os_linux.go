package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func (f *osFile) SyncData() error {
	return pathError("sync", f.name, retry(func() error { return unix.Fdatasync(f.fd) }))
}

// Path asks /proc what the descriptor leads to. The kernel marks a file
// without that name by " (deleted)"; a name may also end so by itself, so
// what is found is checked to be the same file.
func (f *osFile) Path() (string, error) {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(f.fd))
	if err != nil {
		return "", pathError("locate", f.name, errors.ErrUnsupported)
	}
	open, err := f.Stat()
	if err != nil {
		return "", err
	}
	there, err := osFS{}.Lstat(path)
	if err == nil && there.SameFile(open) {
		return path, nil
	}
	return "", pathError("locate", f.name, fs.ErrNotExist)
}

func (osFS) RenameNew(old, new string) error {
	err := retry(func() error {
		return unix.Renameat2(unix.AT_FDCWD, old, unix.AT_FDCWD, new, unix.RENAME_NOREPLACE)
	})
	if err == unix.EINVAL || err == unix.ENOSYS {
		return renameByLink(old, new)
	}
	return linkError("rename", old, new, err)
}

// InUse looks through the descriptors of all processes in /proc. Processes of
// other users cannot be looked into without privilege; they are taken not to
// have a private file open.
func (osFS) InUse(info Info) (bool, error) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false, fmt.Errorf("look for users of %q: %w", info.Name, errors.ErrUnsupported)
	}
	self := strconv.Itoa(os.Getpid())
	for _, proc := range procs {
		pid := proc.Name()
		if pid == self || strings.Trim(pid, "0123456789") != "" {
			continue
		}
		dir := "/proc/" + pid + "/fd"
		open, err := os.Open(dir)
		if err != nil {
			continue // ended, or another user's
		}
		fds, err := open.Readdirnames(-1)
		_ = open.Close() // nothing was written
		if err != nil {
			continue
		}
		for _, fd := range fds {
			var st unix.Stat_t
			if unix.Stat(dir+"/"+fd, &st) == nil && uint64(st.Dev) == info.Dev && st.Ino == info.Ino {
				return true, nil
			}
		}
	}
	return false, nil
}
