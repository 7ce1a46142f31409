//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package term

import "errors"

// flush forgets what was typed on a terminal and not read.
func flush(int) error { return errors.ErrUnsupported }
