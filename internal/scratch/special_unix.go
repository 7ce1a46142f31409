//go:build unix

package scratch

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mkfifo makes a named pipe.
func Mkfifo(path string, mode uint32) error { return syscall.Mkfifo(path, mode) }

// Umask sets the mask of modes of this process, and returns what it was.
func Umask(mask int) int { return syscall.Umask(mask) }

// Stamp says which file it is and when what of it was changed, but not when it was read.
func Stamp(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%o %d %d %d %d %d %d %v %v", st.Mode, st.Dev, st.Ino, st.Nlink, st.Uid, st.Gid, st.Size, st.Mtim, st.Ctim), nil
}
