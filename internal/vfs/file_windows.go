package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// osFile is an open file. Its handle is one of those that do one thing after the other.
type osFile struct {
	h       windows.Handle
	name    string
	appends bool
}

// openAt opens what base names in an open directory: a regular file, and no link.
func openAt(dir dirFD, base, name string, flag int) (File, error) {
	create := flag&os.O_CREATE != 0
	if create && flag&os.O_EXCL == 0 {
		return nil, pathError("open", name, errors.ErrUnsupported)
	}
	o := opening{access: windows.READ_CONTROL, options: windows.FILE_NON_DIRECTORY_FILE, create: create}
	switch flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) {
	case os.O_WRONLY:
		o.access |= windows.FILE_GENERIC_WRITE
	case os.O_RDWR:
		o.access |= windows.FILE_GENERIC_READ | windows.FILE_GENERIC_WRITE
	default:
		o.access |= windows.FILE_GENERIC_READ
	}
	f := &osFile{name: name, appends: flag&os.O_APPEND != 0}
	var err error
	if f.h, err = kernelOpen(dir, base, o); err != nil {
		return nil, pathError("open", name, f.busy(dir, base, err))
	}
	if err = f.regular(dir, base, o); err == nil && flag&os.O_TRUNC != 0 {
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// regular makes sure that a regular file was opened. What is kept elsewhere until
// it is read, as by a cloud, or is packed, is opened once more to be read.
func (f *osFile) regular(dir dirFD, base string, o opening) error {
	mode, attributes, err := typeOf(f.h)
	switch {
	case err != nil:
		return pathError("open", f.name, err)
	case !mode.IsRegular():
		return pathError("open", f.name, ErrNotRegular)
	case attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT == 0:
		return nil
	}
	o.follow = true
	h, err := kernelOpen(dir, base, o)
	if err != nil {
		return pathError("open", f.name, err)
	}
	was, err := numberOf(f.h)
	is, again := numberOf(h)
	if err = errors.Join(err, again); err == nil && was != is {
		err = ErrNotRegular
	}
	if err != nil {
		_ = windows.CloseHandle(h) // nothing was written
		return pathError("open", f.name, err)
	}
	_ = windows.CloseHandle(f.h) // nothing was written
	f.h = h
	return nil
}

// busy says who has a file that is shared with nobody.
func (f *osFile) busy(dir dirFD, base string, err error) error {
	if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return err
	}
	held := &Held{Name: f.name, Cause: err}
	if info, err := lstatAt(dir, base); err == nil {
		held.By = LockHolder(info)
	}
	return held
}

func (f *osFile) Name() string { return f.name }

func at(off int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(off), OffsetHigh: uint32(off >> 32)}
}

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		var n uint32
		err := windows.ReadFile(f.h, p[done:], &n, at(off+int64(done)))
		if err == windows.ERROR_HANDLE_EOF || err == nil && n == 0 {
			return done, io.EOF
		}
		if err != nil {
			return done, pathError("read", f.name, caused(err))
		}
		done += int(n)
	}
	return done, nil
}

// atEnd is where the kernel puts what is appended, wherever the end is by then.
const atEnd = -1

func (f *osFile) Write(p []byte) (int, error) {
	var where *windows.Overlapped
	if f.appends {
		where = at(atEnd)
	}
	var n uint32
	err := windows.WriteFile(f.h, p, &n, where)
	if err != nil {
		return int(n), pathError("write", f.name, caused(err))
	}
	if int(n) < len(p) {
		return int(n), pathError("write", f.name, io.ErrShortWrite)
	}
	return int(n), nil
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if f.appends {
		return 0, pathError("write", f.name, errors.ErrUnsupported)
	}
	done := 0
	for done < len(p) {
		var n uint32
		err := windows.WriteFile(f.h, p[done:], &n, at(off+int64(done)))
		if err != nil {
			return done, pathError("write", f.name, caused(err))
		}
		if n == 0 {
			return done, pathError("write", f.name, io.ErrShortWrite)
		}
		done += int(n)
	}
	return done, nil
}

func (f *osFile) Close() error { return pathError("close", f.name, windows.CloseHandle(f.h)) }

// Path asks the kernel, and makes sure that the name is still that of the file.
func (f *osFile) Path() (string, error) {
	path, err := finalPath(f.h)
	if err != nil {
		return f.name, pathError("locate", f.name, fs.ErrNotExist)
	}
	open, err := numberOf(f.h)
	if err != nil {
		return "", pathError("locate", f.name, caused(err))
	}
	there, err := osFS{}.Lstat(path)
	if err == nil && there.Dev == open.dev && there.Ino == open.ino {
		return path, nil
	}
	return path, pathError("locate", f.name, fs.ErrNotExist)
}

func (f *osFile) Stat() (Info, error) {
	info, err := infoOf(filepath.Base(f.name), f.h)
	return info, pathError("stat", f.name, err)
}

func (f *osFile) Truncate(size int64) error {
	return pathError("truncate", f.name, caused(windows.Ftruncate(f.h, size)))
}

func (f *osFile) Chmod(mode fs.FileMode) error {
	h, err := again(f.h, windows.READ_CONTROL|windows.WRITE_DAC|windows.FILE_WRITE_ATTRIBUTES)
	if err == nil {
		err = chmod(h, mode)
		_ = windows.CloseHandle(h) // nothing was written
	}
	return pathError("chmod", f.name, err)
}

// Chown fails: to give a file away is a matter of administrators.
func (f *osFile) Chown(uint32, uint32) error {
	return pathError("chown", f.name, errors.ErrUnsupported)
}

// Sync needs the right to write, which another handle has if this one has not.
func (f *osFile) Sync() error {
	err := windows.FlushFileBuffers(f.h)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		h, denied := again(f.h, windows.FILE_GENERIC_WRITE)
		if denied != nil {
			return pathError("sync", f.name, denied)
		}
		err = windows.FlushFileBuffers(h)
		_ = windows.CloseHandle(h) // what counts is the flush
	}
	return pathError("sync", f.name, caused(err))
}

func (f *osFile) SyncData() error { return f.Sync() }
