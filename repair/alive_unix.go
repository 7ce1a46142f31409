//go:build unix

package repair

import "golang.org/x/sys/unix"

// alive reports whether there is a process of that number. One that we may not
// signal is there.
func alive(pid int) bool { return unix.Kill(pid, 0) != unix.ESRCH }
