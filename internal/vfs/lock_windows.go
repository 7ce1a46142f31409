package vfs

import (
	"context"
	"errors"

	"golang.org/x/sys/windows"
)

// The lock is one of a byte far behind the end of the file. Locks of bytes are in the
// way of who reads and writes those bytes, and nobody has them: no other program
// notices.
const lockByte = 1 << 62

// Lock tries again and again: a call that waits would keep all others from the handle.
func (f *osFile) Lock(ctx context.Context) error {
	if ok, err := f.TryLock(); ok || err != nil {
		return err
	}
	d := PatienceOf(ctx)
	if d <= 0 {
		return f.held(nil)
	}
	return pollLock(ctx, d, f)
}

func (f *osFile) TryLock() (bool, error) {
	err := windows.LockFileEx(f.h, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at(lockByte))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, pathError("lock", f.name, caused(err))
}

func (f *osFile) Unlock() error {
	return pathError("unlock", f.name, caused(windows.UnlockFileEx(f.h, 0, 1, 0, at(lockByte))))
}
