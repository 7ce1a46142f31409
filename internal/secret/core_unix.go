//go:build unix

package secret

import "golang.org/x/sys/unix"

// NoCore has the system write no core file of this process, in which its secrets would
// stand, when it crashes. Programs that it starts inherit that as their soft limit, which
// they may raise again. A system that hands cores to a program may do so all the same.
func NoCore() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil || limit.Cur == 0 {
		return err
	}
	limit.Cur = 0
	return unix.Setrlimit(unix.RLIMIT_CORE, &limit)
}
