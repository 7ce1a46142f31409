package vfs

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// flush has the disk write what it has of a file, its own cache too.
func flush(fd int) error {
	return macSync(
		func() error {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
			return err
		},
		func() error { return unix.Fsync(fd) },
	)
}

func (f *osFile) SyncData() error { return f.Sync() }

// Path asks the kernel.
func (f *osFile) Path() (string, error) {
	open, err := f.Stat()
	if err != nil {
		return "", err
	}
	var buf [1024]byte // MAXPATHLEN
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(f.fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&buf[0])))
	if errno != 0 {
		err = errno
	}
	path, err := macPath(unix.ByteSliceToString(buf[:]), err, open, osFS{}.Lstat)
	return path, pathError("locate", f.name, err)
}

// InUse asks about the descriptors of the person's processes.
func (osFS) InUse(info Info) (bool, error) {
	pids, err := Users(info)
	if err != nil {
		return false, fmt.Errorf("look for users of %q: %w", info.Name, err)
	}
	return len(pids) > 0, nil
}

// Users returns the other processes that have a file open, to write to it or not. The
// error is errors.ErrUnsupported where the system does not say.
func Users(info Info) ([]int, error) { return macUsers(kernel{}, os.Getpid(), info) }

// LockHolder returns the only other process that has a file open. Which of several has
// the lock the system does not say.
func LockHolder(info Info) Holder {
	if pids, err := Users(info); err == nil && len(pids) == 1 {
		return Process(pids[0])
	}
	return Holder{}
}

// Process describes a process. The zero Holder is one that is gone.
func Process(pid int) Holder {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(p.Proc.P_pid) != pid {
		return Holder{}
	}
	const stopped = 4 // SSTOP
	return Holder{PID: pid, Program: named(unix.ByteSliceToString(p.Proc.P_comm[:])), Stopped: p.Proc.P_stat == stopped}
}

// Descriptors describes none: what a process has open is asked of the file; see Users.
func Descriptors(int) ([]Info, error) { return nil, nil }

// kernel is macOS.
type kernel struct{}

func (kernel) processes() (pids []int, err error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	for _, p := range all {
		pids = append(pids, int(p.Proc.P_pid))
	}
	return pids, err
}

// Calls and kinds of proc_info.
const (
	aboutProcess    = 2
	aboutDescriptor = 3
	listDescriptors = 1
	describeVnode   = 1
	wholeVnode      = 176
)

func (kernel) descriptors(pid int) ([]byte, error) {
	for size := 1 << 10; ; size *= 2 {
		buf := make([]byte, size)
		n, err := procInfo(aboutProcess, pid, listDescriptors, 0, buf)
		if err != nil {
			return nil, err
		}
		if n < size {
			return buf[:n], nil
		}
	}
}

func (kernel) vnode(pid int, fd int32) ([]byte, error) {
	buf := make([]byte, wholeVnode)
	n, err := procInfo(aboutDescriptor, pid, describeVnode, fd, buf)
	return buf[:max(n, 0)], err
}

// procInfo is the call behind libproc.
func procInfo(call, pid, kind int, arg int32, buf []byte) (int, error) {
	n, _, errno := syscall.Syscall6(syscall.SYS_PROC_INFO, uintptr(call), uintptr(pid), uintptr(kind), uintptr(arg), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// No line is kept here; whoever the system wakes first is next.
func lineUp(int)                   {}
func leaveLine(int)                {}
func (f *osFile) othersWait() bool { return false }

// walkFlag opens a directory to go through it.
const walkFlag = unix.O_RDONLY

// renameNewAt asks for a rename that replaces nothing; older disks have no such call.
func renameNewAt(from int, old string, to int, new string) error {
	err := unix.RenameatxNp(from, old, to, new, unix.RENAME_EXCL)
	if err == unix.ENOTSUP || err == unix.EINVAL {
		return renameByLink(from, old, to, new)
	}
	return err
}
