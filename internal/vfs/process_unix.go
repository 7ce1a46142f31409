//go:build unix

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// Alive reports whether there is a process of that number. One that may not be signalled
// is there.
func Alive(pid int) bool { return pid > 0 && unix.Kill(pid, 0) != unix.ESRCH }

// Own returns who owns what the person makes, as an Info says it.
func Own() (uid, gid uint32) { return uint32(os.Geteuid()), uint32(os.Getegid()) }
