package term

import "golang.org/x/sys/unix"

// flush forgets what was typed on a terminal and not read.
func flush(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
