package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"unsafe"

	"golang.org/x/sys/windows"
)

// OS returns the file system of the machine.
func OS() FS { return osFS{} }

type osFS struct{}

var _ FS = osFS{}

// retry runs a call: none is interrupted here.
func retry(call func() error) error { return call() }

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, old, new string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: old, New: new, Err: err}
}

func (osFS) Open(name string, flag int) (File, error) { return openAt(noDir, name, name, flag) }

func (osFS) Mkdir(name string) error { return pathError("mkdir", name, mkdirAt(noDir, name)) }

func (osFS) Stat(name string) (Info, error) {
	info, err := statAt(noDir, name, true)
	return info, pathError("stat", name, err)
}

func (osFS) Lstat(name string) (Info, error) {
	info, err := lstatAt(noDir, name)
	return info, pathError("lstat", name, err)
}

// openDir opens a directory, a link followed.
func openDir(name string) (*os.File, error) {
	fd, err := kernelOpen(noDir, name, opening{
		access: windows.FILE_LIST_DIRECTORY | windows.FILE_TRAVERSE, options: windows.FILE_DIRECTORY_FILE | windows.FILE_OPEN_FOR_BACKUP_INTENT, follow: true,
	})
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (osFS) Names(name string) (names []string, err error) {
	dir, err := openDir(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err = dir.Readdirnames(-1)
	sort.Strings(names)
	return names, err
}

func (osFS) ReadDir(name string) (list []Info, err error) {
	dir, err := openDir(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return readDir(dir, name)
}

// readDir asks about each name in the open directory.
func readDir(dir *os.File, name string) (list []Info, err error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	for _, base := range names {
		info, err := lstatAt(dirFD(dir.Fd()), base)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, pathError("lstat", filepath.Join(name, base), err)
		}
		list = append(list, info)
	}
	return list, nil
}

func (osFS) Readlink(name string) (string, error) { return os.Readlink(name) }

func (osFS) Rename(old, new string) error {
	return linkError("rename", old, new, renameAt(noDir, old, noDir, new))
}

func (osFS) RenameNew(old, new string) error {
	return linkError("rename", old, new, renameNewAt(noDir, old, noDir, new))
}

func (osFS) Link(old, new string) error {
	return linkError("link", old, new, linkAt(noDir, old, noDir, new))
}

func (osFS) Remove(name string) error { return pathError("remove", name, removeAt(noDir, name)) }

func (osFS) Chmod(name string, mode fs.FileMode) error {
	return pathError("chmod", name, chmodAt(noDir, name, mode))
}

func (osFS) SyncDir(name string) (err error) {
	dir, err := openDir(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return syncDir(dir)
}

// syncDir has the volume's journal written by flushing the directory, where it may be
// written to. Otherwise the system does so itself, within seconds.
func syncDir(dir *os.File) error {
	h, err := again(windows.Handle(dir.Fd()), windows.FILE_WRITE_DATA)
	if err != nil {
		return nil // nothing more can be done
	}
	err = windows.FlushFileBuffers(h)
	_ = windows.CloseHandle(h) // what counts is the flush
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_INVALID_HANDLE) ||
		errors.Is(err, windows.ERROR_NOT_SUPPORTED) {
		return nil
	}
	return pathError("sync", dir.Name(), caused(err))
}

// InUse asks the kernel, by a handle that it gives for the number of the file.
func (osFS) InUse(info Info) (bool, error) {
	pids, err := Users(info)
	if err != nil {
		return false, fmt.Errorf("look for users of %q: %w", info.Name, err)
	}
	return len(pids) > 0, nil
}

// Reparse points.
const (
	surrogate  = 0x2000_0000 // its tag has this bit: it stands for another name
	socketTag  = 0x8000_0023
	programTag = 0x8000_001B
)

// typeOf returns what an open file is, by its mode, and its attributes.
func typeOf(h windows.Handle) (fs.FileMode, uint32, error) {
	var is struct{ attributes, tag uint32 }
	err := windows.GetFileInformationByHandleEx(h, windows.FileAttributeTagInfo, (*byte)(unsafe.Pointer(&is)), uint32(unsafe.Sizeof(is)))
	if err != nil {
		return 0, 0, caused(err)
	}
	var mode fs.FileMode
	switch link := is.attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0; {
	case link && is.tag&surrogate != 0:
		mode = fs.ModeSymlink
	case link && is.tag == socketTag:
		mode = fs.ModeSocket
	case link && is.tag == programTag:
		mode = fs.ModeIrregular
	case is.attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0:
		mode = fs.ModeDir
	}
	return mode, is.attributes, nil
}

// infoOf describes an open file.
func infoOf(name string, h windows.Handle) (Info, error) {
	var by windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &by); err != nil {
		return Info{}, caused(err)
	}
	mode, attributes, err := typeOf(h)
	if err != nil {
		return Info{}, err
	}
	info := Info{
		Name: name, Dev: uint64(by.VolumeSerialNumber), Ino: uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow),
		Size: int64(by.FileSizeHigh)<<32 | int64(by.FileSizeLow), Nlink: uint64(by.NumberOfLinks),
		ModTime: by.LastWriteTime.Nanoseconds(),
	}
	uid, others := rightsOf(h, mode.IsDir())
	info.UID, info.Mode = uid, mode|0o600|others
	if mode.IsDir() {
		info.Mode |= 0o100 | (others&0o044)>>2
	}
	if attributes&windows.FILE_ATTRIBUTE_READONLY != 0 && !mode.IsDir() {
		info.Mode &^= 0o222
	}
	return info, nil
}
