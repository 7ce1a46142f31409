package tool

import (
	"os"

	"golang.org/x/sys/unix"
)

// virtual reports whether a file is none of a disk: what is read of it the system
// makes up, such as the environment of a process.
func virtual(f *os.File) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.EFIVARFS_MAGIC:
		return true
	}
	return false
}
