package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Files are opened by the kernel's own call, which the calls of Win32 end in: it opens
// a name in an open directory, follows no link that it is told not to, and takes
// paths of any length. Everything is shared with everybody, deletion too.

const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// asked are rights that every handle has but those that are refused READ_CONTROL.
const asked = windows.FILE_READ_ATTRIBUTES | windows.SYNCHRONIZE

// A opening is how something is opened.
type opening struct {
	access  uint32
	options uint32 // beside FILE_SYNCHRONOUS_IO_NONALERT
	create  bool   // anew, for the person alone
	follow  bool   // a link in the last place
}

// impatience is how long a file is waited for that somebody else shares with nobody,
// or whose name is still being removed; retryEvery is how often it is tried.
const (
	impatience = 2 * time.Second
	retryEvery = 5 * time.Millisecond
)

// kernelOpen opens base in a directory, or a path if that is noDir; "." and "" are the
// directory, or file, itself.
func kernelOpen(dir dirFD, base string, o opening) (windows.Handle, error) {
	name := base
	switch {
	case dir == noDir:
		path, err := filepath.Abs(base)
		if err != nil {
			return 0, err
		}
		if name, err = kernelPath(path); err != nil {
			return 0, err
		}
	case base == ".":
		name = ""
	case base != "":
		if err := readable(base); err != nil {
			return 0, err
		}
	}
	if o.create {
		if err := creatable(filepath.Base(base)); err != nil {
			return 0, err
		}
	}
	var h windows.Handle
	err := patiently(func() (err error) {
		h, err = createFile(dir, name, o)
		return err
	})
	return h, err
}

// patiently repeats what another program is in the way of for a moment.
func patiently(call func() error) error {
	over := time.Now().Add(impatience)
	for {
		err := call()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, errLeaving) || time.Now().After(over) {
			return err
		}
		time.Sleep(retryEvery)
	}
}

// createFile is one call of the kernel.
func createFile(dir dirFD, name string, o opening) (windows.Handle, error) {
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return 0, err
	}
	object := &windows.OBJECT_ATTRIBUTES{
		Length: uint32(unsafe.Sizeof(windows.OBJECT_ATTRIBUTES{})), RootDirectory: dir, ObjectName: text,
		Attributes: windows.OBJ_CASE_INSENSITIVE,
	}
	how, options := uint32(windows.FILE_OPEN), o.options|windows.FILE_SYNCHRONOUS_IO_NONALERT
	if !o.follow {
		options |= windows.FILE_OPEN_REPARSE_POINT
	}
	if o.create {
		how = windows.FILE_CREATE
		if object.SecurityDescriptor, err = privately(); err != nil {
			return 0, err
		}
	}
	var h windows.Handle
	var io windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&h, o.access|asked, object, &io, nil, windows.FILE_ATTRIBUTE_NORMAL, shared, how, options, 0, 0)
	return h, caused(err)
}

// errLeaving is a name that goes when the last who has its file open closes it.
var errLeaving = &leaving{}

type leaving struct{}

func (*leaving) Error() string { return "the file was removed, and is still open elsewhere" }

func (*leaving) Is(target error) bool { return target == fs.ErrNotExist }

// caused returns an error of the kernel, or of Win32, as the error that other systems
// have for it, where there is one that callers ask for.
func caused(err error) error {
	if status, ok := err.(windows.NTStatus); ok {
		switch status {
		case windows.STATUS_NOT_A_DIRECTORY:
			return syscall.ENOTDIR
		case windows.STATUS_FILE_IS_A_DIRECTORY:
			return ErrNotRegular
		case windows.STATUS_STOPPED_ON_SYMLINK, windows.STATUS_REPARSE_POINT_ENCOUNTERED:
			return syscall.ELOOP
		case windows.STATUS_DELETE_PENDING:
			return errLeaving
		case windows.STATUS_INVALID_INFO_CLASS, windows.STATUS_NOT_IMPLEMENTED, windows.STATUS_NOT_SUPPORTED, windows.STATUS_INVALID_DEVICE_REQUEST:
			return errors.ErrUnsupported
		}
		err = status.Errno()
	}
	switch err {
	case windows.ERROR_NOT_SAME_DEVICE:
		return syscall.EXDEV
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL:
		return syscall.ENOSPC
	case windows.ERROR_DISK_QUOTA_EXCEEDED:
		return syscall.EDQUOT
	case windows.ERROR_DIR_NOT_EMPTY:
		return syscall.ENOTEMPTY
	case windows.ERROR_WRITE_PROTECT:
		return syscall.EROFS
	case windows.ERROR_CANT_RESOLVE_FILENAME:
		return syscall.ELOOP
	}
	return err
}

// setInfo changes what an open file is.
func setInfo(h windows.Handle, class uint32, info []byte) error {
	var io windows.IO_STATUS_BLOCK
	return caused(windows.NtSetInformationFile(h, &io, &info[0], uint32(len(info)), class))
}

// finalPath returns the name that an open file has.
func finalPath(h windows.Handle) (string, error) {
	buf := make([]uint16, 512)
	for {
		n, err := windows.GetFinalPathNameByHandle(h, &buf[0], uint32(len(buf)), 0)
		if err != nil {
			return "", caused(err)
		}
		if int(n) < len(buf) {
			return unkernel(windows.UTF16ToString(buf[:n])), nil
		}
		buf = make([]uint16, n+1)
	}
}

// again opens the file of a handle once more, with other rights.
func again(h windows.Handle, access uint32) (windows.Handle, error) {
	f, err := createFile(h, "", opening{access: access})
	if err == nil {
		return f, nil
	}
	// Where the kernel knows files by their names alone.
	path, located := finalPath(h)
	if located != nil {
		return 0, err
	}
	f, opened := kernelOpen(noDir, path, opening{access: access})
	if opened != nil {
		return 0, err
	}
	if a, err := numberOf(h); err == nil {
		if b, err := numberOf(f); err == nil && a == b {
			return f, nil
		}
	}
	_ = windows.CloseHandle(f) // nothing was written
	return 0, err
}

// A number says which file it is.
type number struct{ dev, ino uint64 }

func numberOf(h windows.Handle) (number, error) {
	var by windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(h, &by)
	return number{uint64(by.VolumeSerialNumber), uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow)}, err
}

// lastOf returns the last element of a path, which may be one in a directory.
func lastOf(path string) string { return path[strings.LastIndexAny(path, `\/`)+1:] }
