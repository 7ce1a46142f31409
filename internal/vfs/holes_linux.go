package vfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Data moves the place where the descriptor writes, so a file that is written anywhere but
// at its end does not say.
func (f *osFile) Data(off int64) (from, to int64, err error) {
	if !f.appends && !f.reads {
		return 0, 0, pathError("seek", f.name, errors.ErrUnsupported)
	}
	from, err = unix.Seek(f.fd, off, unix.SEEK_DATA)
	if err == nil {
		to, err = unix.Seek(f.fd, from, unix.SEEK_HOLE)
	}
	switch {
	case err == unix.ENXIO:
		info, err := f.Stat()
		return info.Size, info.Size, err
	case err == unix.EINVAL:
		err = errors.ErrUnsupported
	}
	return from, to, pathError("seek", f.name, err)
}
