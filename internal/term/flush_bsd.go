//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package term

import "golang.org/x/sys/unix"

// typed is FREAD of <sys/file.h>: what is to be read.
const typed = 1

// flush forgets what was typed on a terminal and not read.
func flush(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, typed) }
