//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// onlyDirectory is for opening a directory, and nothing else that may wait for somebody.
const onlyDirectory = syscall.O_DIRECTORY | syscall.O_NONBLOCK

// keepOwner gives a file to who owned another one, and reports whether it could.
func keepOwner(f *os.File, was fs.FileInfo) bool {
	st, ok := was.Sys().(*syscall.Stat_t)
	return ok && f.Chown(int(st.Uid), int(st.Gid)) == nil
}
