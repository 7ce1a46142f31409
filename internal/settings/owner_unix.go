//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// open returns why others can write a file or a directory, "" if they cannot.
func open(path string, info fs.FileInfo) string {
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Sprintf("others can write %q; chmod go-w %q", path, path)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return fmt.Sprintf("%q belongs to somebody else", path)
	}
	return ""
}
