package scratch

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Swapping exchanges each pair of names, one after the other, again and again until
// stop is called. A pair that cannot be exchanged is left for the next round, since
// one may lie below another. stop returns when the names rest; it fails if a pair was
// never exchanged.
func Swapping(pairs ...[2]string) (stop func() error) {
	done, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		failed, swaps := make([]error, len(pairs)), make([]int, len(pairs))
		for {
			for i, pair := range pairs {
				err := unix.Renameat2(unix.AT_FDCWD, pair[0], unix.AT_FDCWD, pair[1], unix.RENAME_EXCHANGE)
				if err == nil {
					swaps[i]++
				}
				if swaps[i] == 0 {
					failed[i] = err
				} else {
					failed[i] = nil
				}
			}
			select {
			case <-done:
				stopped <- errors.Join(failed...)
				return
			default:
			}
		}
	}()
	return func() error {
		close(done)
		return <-stopped
	}
}
