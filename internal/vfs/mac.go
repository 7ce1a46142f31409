package vfs

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"syscall"
)

// What macOS is asked is here, and how in os_darwin.go: what is made of the answers is
// tested on all systems.

// A mac answers as macOS does.
type mac interface {
	// processes are the numbers of the person's processes.
	processes() ([]int, error)
	// descriptors are those of a process, vnode is what one of them leads to; as the
	// kernel has them in memory.
	descriptors(pid int) ([]byte, error)
	vnode(pid int, fd int32) ([]byte, error)
}

// Sizes and places of what the kernel says (bsd/sys/proc_info.h).
const (
	fdSize     = 8 // number, kind
	vnodeKind  = 1
	vnodeSize  = 40 // as much of it as is looked at
	vnodeDev   = 24
	vnodeInode = 32
)

// macUsers returns the processes but self that have a file open. Of other users'
// processes, and of those that ended meanwhile, nothing is known.
func macUsers(m mac, self int, info Info) (pids []int, err error) {
	all, err := m.processes()
	if err != nil {
		return nil, errors.Join(errors.ErrUnsupported, err)
	}
	for _, pid := range all {
		if pid != self && macHas(m, pid, info) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// macHas reports whether a process has a file open.
func macHas(m mac, pid int, info Info) bool {
	fds, err := m.descriptors(pid)
	if err != nil {
		return false
	}
	for ; len(fds) >= fdSize; fds = fds[fdSize:] {
		if binary.LittleEndian.Uint32(fds[4:]) != vnodeKind {
			continue
		}
		is, err := m.vnode(pid, int32(binary.LittleEndian.Uint32(fds)))
		if err != nil || len(is) < vnodeSize {
			continue
		}
		// The device is a number with a sign in what stat says.
		dev := uint64(int32(binary.LittleEndian.Uint32(is[vnodeDev:])))
		if dev == info.Dev && binary.LittleEndian.Uint64(is[vnodeInode:]) == info.Ino {
			return true
		}
	}
	return false
}

// macSync makes a file durable: full has the disk empty its own cache, which plain does
// not. A disk that has no such call, as one of a network, is asked for what it has.
func macSync(full, plain func() error) error {
	err := full()
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOTTY):
		return plain()
	}
	return err
}

// macPath returns the name of an open file, which the kernel said, if it still leads
// there.
func macPath(path string, err error, open Info, lstat func(string) (Info, error)) (string, error) {
	if err != nil {
		return "", err
	}
	if there, err := lstat(path); err == nil && there.SameFile(open) {
		return path, nil
	}
	return path, fs.ErrNotExist
}
