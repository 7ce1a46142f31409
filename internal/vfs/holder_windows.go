package vfs

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// byNumber opens a file by its number, to ask about it.
func byNumber(info Info) (windows.Handle, error) {
	dir, err := volume(info.Dev)
	if err != nil {
		return 0, err
	}
	defer closeDir(dir)
	id := info.Ino
	object := &windows.OBJECT_ATTRIBUTES{
		Length: uint32(unsafe.Sizeof(windows.OBJECT_ATTRIBUTES{})), RootDirectory: dir,
		ObjectName: &windows.NTUnicodeString{Length: 8, MaximumLength: 8, Buffer: (*uint16)(unsafe.Pointer(&id))},
	}
	var h windows.Handle
	var io windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&h, asked, object, &io, nil, 0, shared, windows.FILE_OPEN,
		windows.FILE_OPEN_BY_FILE_ID|windows.FILE_OPEN_REPARSE_POINT|windows.FILE_SYNCHRONOUS_IO_NONALERT, 0, 0)
	if err != nil {
		return 0, caused(err)
	}
	if is, err := numberOf(h); err != nil || is != (number{info.Dev, info.Ino}) {
		_ = windows.CloseHandle(h) // nothing was written
		return 0, errors.ErrUnsupported
	}
	return h, nil
}

// volume opens the root of the drive with a number. A share has none.
func volume(dev uint64) (dirFD, error) {
	drives, err := windows.GetLogicalDrives()
	if err != nil {
		return 0, err
	}
	for letter := range 26 {
		if drives&(1<<letter) == 0 {
			continue
		}
		dir, err := walkAt(noDir, string(rune('A'+letter))+`:\`)
		if err != nil {
			continue // nothing is in it
		}
		if is, err := numberOf(dir); err == nil && is.dev == dev {
			return dir, nil
		}
		closeDir(dir)
	}
	return 0, errors.ErrUnsupported
}

// usersInfo is the kernel's information about who has a file open.
const usersInfo = 47

// Users returns the other processes that have a file open, to write to it or not. The
// error is errors.ErrUnsupported where the system does not say.
func Users(info Info) ([]int, error) {
	h, err := byNumber(info)
	if err != nil {
		return nil, errors.Join(errors.ErrUnsupported, err)
	}
	defer func() { _ = windows.CloseHandle(h) }() // nothing was written
	const word = int(unsafe.Sizeof(uintptr(0)))
	for size := 64; ; size *= 2 {
		buf := make([]uintptr, size) // as its numbers lie in memory
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&buf[0])), size*word)
		var io windows.IO_STATUS_BLOCK
		err := windows.NtQueryInformationFile(h, &io, &raw[0], uint32(len(raw)), usersInfo)
		if err == windows.STATUS_INFO_LENGTH_MISMATCH || err == windows.STATUS_BUFFER_OVERFLOW {
			continue
		}
		if err != nil {
			return nil, errors.Join(errors.ErrUnsupported, caused(err))
		}
		var pids []int
		n := min(int(binary.LittleEndian.Uint32(raw)), size-1)
		for _, pid := range buf[1 : 1+n] {
			if int(pid) != os.Getpid() {
				pids = append(pids, int(pid))
			}
		}
		return pids, nil
	}
}

// LockHolder returns the only other process that has a file open. Which of several
// has the lock the system does not say.
func LockHolder(info Info) Holder {
	if pids, err := Users(info); err == nil && len(pids) == 1 {
		return Process(pids[0])
	}
	return Holder{}
}

// Process describes a process. The zero Holder is one that is gone.
func Process(pid int) Holder {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return Holder{PID: pid}
	}
	if err != nil || !runs(h) {
		return Holder{}
	}
	defer func() { _ = windows.CloseHandle(h) }() // nothing was changed
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(h, 0, &buf[0], &n); err != nil {
		return Holder{PID: pid}
	}
	name := strings.TrimSuffix(filepath.Base(windows.UTF16ToString(buf[:n])), ".exe")
	return Holder{PID: pid, Program: named(name)}
}

// Alive reports whether there is a process of that number.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(h) }() // nothing was changed
	return runs(h)
}

// runs reports whether an open process has not ended: its number stays for as long as
// somebody has it open.
func runs(process windows.Handle) bool {
	const running = 259
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == running
}

// Descriptors fails: a process does not say what it has open, only a file says who
// has it.
func Descriptors(int) ([]Info, error) { return nil, errors.ErrUnsupported }
