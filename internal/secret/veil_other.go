//go:build !linux

package secret

import "errors"

// Veil fails: this system has no way to it.
func Veil(...string) error { return errors.ErrUnsupported }
