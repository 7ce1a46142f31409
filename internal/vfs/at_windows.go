package vfs

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// dirFD is an open directory, noDir none: a name in it is one by itself.
type dirFD = windows.Handle

const noDir dirFD = 0

// closeDir gives a directory back; nothing was written through it.
func closeDir(fd dirFD) { _ = windows.CloseHandle(fd) }

// dupDir returns another handle of a directory.
func dupDir(fd dirFD) (another dirFD, err error) {
	self := windows.CurrentProcess()
	err = windows.DuplicateHandle(self, fd, self, &another, 0, false, windows.DUPLICATE_SAME_ACCESS)
	return another, err
}

// isGone reports whether an open directory was removed.
func isGone(fd dirFD) (bool, error) {
	var standard struct {
		allocated, size int64
		links           uint32
		leaving, dir    bool
	}
	err := windows.GetFileInformationByHandleEx(fd, windows.FileStandardInfo, (*byte)(unsafe.Pointer(&standard)), uint32(unsafe.Sizeof(standard)))
	return err == nil && standard.leaving, caused(err)
}

// walkAt opens a directory to go through it. A link is ELOOP, and what is no directory
// ENOTDIR.
func walkAt(dir dirFD, base string) (dirFD, error) {
	return openDirAt(dir, base, windows.FILE_TRAVERSE)
}

// readAt opens a directory to read its names.
func readAt(dir dirFD, base string) (dirFD, error) {
	return openDirAt(dir, base, windows.FILE_LIST_DIRECTORY|windows.FILE_TRAVERSE)
}

// openDirAt opens a directory that is no link.
func openDirAt(dir dirFD, base string, access uint32) (dirFD, error) {
	fd, err := kernelOpen(dir, base, opening{access: access, options: windows.FILE_OPEN_FOR_BACKUP_INTENT})
	if err != nil {
		return 0, err
	}
	mode, _, err := typeOf(fd)
	switch {
	case err != nil:
	case mode&fs.ModeSymlink != 0:
		err = syscall.ELOOP
	case !mode.IsDir():
		err = syscall.ENOTDIR
	default:
		return fd, nil
	}
	closeDir(fd)
	return 0, err
}

func lstatAt(dir dirFD, base string) (Info, error) { return statAt(dir, base, false) }

// statAt describes a name, with follow what it leads to.
func statAt(dir dirFD, base string, follow bool) (Info, error) {
	o := opening{access: windows.READ_CONTROL, options: windows.FILE_OPEN_FOR_BACKUP_INTENT, follow: follow}
	h, err := kernelOpen(dir, base, o)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		o.access = 0
		h, err = kernelOpen(dir, base, o)
	}
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = windows.CloseHandle(h) }() // nothing was written
	return infoOf(filepath.Base(base), h)
}

func mkdirAt(dir dirFD, base string) error {
	if base == "." {
		return fs.ErrExist
	}
	fd, err := kernelOpen(dir, base, opening{options: windows.FILE_DIRECTORY_FILE, create: true})
	if err != nil {
		return err
	}
	closeDir(fd)
	return nil
}

// Information of the kernel about a file, by number.
const (
	renameInfo   = 10
	renameInfoEx = 65
	linkInfo     = 11
)

// nameInfo is what the kernel is told about a new name.
func nameInfo(flags uint32, to dirFD, new string) ([]byte, error) {
	name := new
	if to == noDir {
		path, err := filepath.Abs(new)
		if err != nil {
			return nil, err
		}
		if name, err = kernelPath(path); err != nil {
			return nil, err
		}
	}
	if err := creatable(filepath.Base(new)); err != nil {
		return nil, err
	}
	text := utf16.Encode([]rune(name))
	word := int(unsafe.Sizeof(to))
	info := make([]byte, 2*word+4)
	binary.LittleEndian.PutUint32(info, flags)
	if word == 8 {
		binary.LittleEndian.PutUint64(info[word:], uint64(to))
	} else {
		binary.LittleEndian.PutUint32(info[word:], uint32(to))
	}
	binary.LittleEndian.PutUint32(info[2*word:], uint32(2*len(text)))
	for _, unit := range text {
		info = binary.LittleEndian.AppendUint16(info, unit)
	}
	for len(info) < 3*word {
		info = append(info, 0) // as the kernel has it
	}
	return info, nil
}

func renameAt(from dirFD, old string, to dirFD, new string) error {
	err := renameBy(from, old, to, new, true)
	if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || !aside(to, new) {
		return err
	}
	return renameAround(from, old, to, new)
}

func renameNewAt(from dirFD, old string, to dirFD, new string) error {
	return renameBy(from, old, to, new, false)
}

// renameBy gives old the name new: at once, also when somebody has the file open that
// has it, where the file system can do so.
func renameBy(from dirFD, old string, to dirFD, new string, replace bool) error {
	h, err := kernelOpen(from, old, opening{access: windows.DELETE, options: windows.FILE_OPEN_FOR_BACKUP_INTENT})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }() // the name is the directory's
	flags := uint32(windows.FILE_RENAME_POSIX_SEMANTICS)
	if replace {
		flags |= windows.FILE_RENAME_REPLACE_IF_EXISTS | windows.FILE_RENAME_IGNORE_READONLY_ATTRIBUTE
	}
	info, err := nameInfo(flags, to, new)
	if err != nil {
		return err
	}
	err = patiently(func() error { return setInfo(h, renameInfoEx, info) })
	if !unknownCall(err) {
		return err
	}
	if info, err = nameInfo(flags&windows.FILE_RENAME_REPLACE_IF_EXISTS, to, new); err != nil {
		return err
	}
	return patiently(func() error { return setInfo(h, renameInfo, info) })
}

// unknownCall reports whether a file system does not know a call at all.
func unknownCall(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, windows.ERROR_INVALID_PARAMETER)
}

// aside reports whether the file of a name may be moved out of the way to give its name
// to another: it is a regular file.
func aside(dir dirFD, base string) bool {
	info, err := lstatAt(dir, base)
	return err == nil && info.Regular()
}

// renameAround is a rename for file systems that replace no file which is open: that
// file gets another name first, and is removed behind the rename. In between the name
// is missing; when the rename fails the file gets it back.
func renameAround(from dirFD, old string, to dirFD, new string) error {
	away := besides(new)
	if err := renameBy(to, new, to, away, false); err != nil {
		return err
	}
	if err := renameBy(from, old, to, new, false); err != nil {
		return errors.Join(err, renameBy(to, away, to, new, false))
	}
	_ = dispose(to, away) // what stays of it is found as what a killed command left
	return nil
}

// besides is a new hidden name beside another.
func besides(name string) string {
	last := lastOf(name)
	return name[:len(name)-len(last)] + "." + last + ".cambium-tmp-" + rand.Text()[:8]
}

func linkAt(from dirFD, old string, to dirFD, new string) error {
	h, err := kernelOpen(from, old, opening{access: windows.FILE_WRITE_ATTRIBUTES})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }() // the name is the directory's
	info, err := nameInfo(0, to, new)
	if err != nil {
		return err
	}
	return setInfo(h, linkInfo, info)
}

// removeAt removes a file or an empty directory: its name is free at once, whoever has
// it open, where the file system can do so.
func removeAt(dir dirFD, base string) error {
	h, err := kernelOpen(dir, base, opening{access: windows.DELETE, options: windows.FILE_OPEN_FOR_BACKUP_INTENT})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }() // that is what removes it
	how := binary.LittleEndian.AppendUint32(nil, windows.FILE_DISPOSITION_DELETE|windows.FILE_DISPOSITION_POSIX_SEMANTICS|windows.FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE)
	err = setInfo(h, windows.FileDispositionInformationEx, how)
	if !unknownCall(err) {
		return err
	}
	mode, _, err := typeOf(h)
	if err != nil || !mode.IsRegular() {
		return errors.Join(err, setInfo(h, windows.FileDispositionInformation, []byte{1}))
	}
	// The name goes when the last closes the file: it goes away first.
	if err := renameBy(dir, base, dir, besides(base), false); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return setInfo(h, windows.FileDispositionInformation, []byte{1})
}

// dispose removes a file that nobody looks for by its name.
func dispose(dir dirFD, base string) error {
	h, err := kernelOpen(dir, base, opening{access: windows.DELETE})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }() // that is what removes it
	return setInfo(h, windows.FileDispositionInformation, []byte{1})
}

// chmodAt sets what of a mode Windows has: see chmod.
func chmodAt(dir dirFD, base string, mode fs.FileMode) error {
	h, err := kernelOpen(dir, base, opening{
		access: windows.READ_CONTROL | windows.WRITE_DAC | windows.FILE_WRITE_ATTRIBUTES, options: windows.FILE_OPEN_FOR_BACKUP_INTENT,
	})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }() // nothing was written
	return chmod(h, mode)
}
