package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func flush(fd int) error { return unix.Fsync(fd) }

func (f *osFile) SyncData() error {
	return pathError("sync", f.name, retry(func() error { return unix.Fdatasync(f.fd) }))
}

func (osFS) Glance(name string) (Info, error) {
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_SIZE
	var st unix.Statx_t
	for {
		err := unix.Statx(unix.AT_FDCWD, name, unix.AT_SYMLINK_NOFOLLOW, want, &st)
		switch {
		case err == unix.EINTR:
		case err == nil && st.Mask&want != want:
			return Info{}, pathError("statx", name, errors.ErrUnsupported)
		case err != nil:
			return Info{}, pathError("statx", name, err)
		default:
			return Info{
				Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino,
				Size: int64(st.Size), Mode: modeOf(uint32(st.Mode) & unix.S_IFMT),
			}, nil
		}
	}
}

// The kernel gives a lock to whoever asks when it is free, which is nearly
// always who just gave it back and runs on. So those who wait for it stand in
// line: the first of them holds a lock on one byte far behind the end of the
// file, which whoever comes next waits for. The byte keeps nobody from the file,
// and a system without such locks does without.
func placeInLine(how int16) *unix.Flock_t {
	return &unix.Flock_t{Type: how, Start: 1 << 62, Len: 1}
}

func lineUp(fd int) {
	_ = retry(func() error {
		return unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLKW, placeInLine(unix.F_WRLCK))
	})
}

func leaveLine(fd int) {
	_ = unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, placeInLine(unix.F_UNLCK))
}

// othersWait reports whether somebody stands in line.
func (f *osFile) othersWait() bool {
	place := placeInLine(unix.F_WRLCK)
	err := unix.FcntlFlock(uintptr(f.fd), unix.F_OFD_GETLK, place)
	return err == nil && place.Type != unix.F_UNLCK
}

// Path asks /proc what the descriptor leads to. The kernel marks a file
// without that name by " (deleted)"; a name may also end so by itself, so
// what is found is checked to be the same file.
func (f *osFile) Path() (string, error) {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(f.fd))
	if err != nil {
		return "", pathError("locate", f.name, errors.ErrUnsupported)
	}
	open, err := f.Stat()
	if err != nil {
		return "", err
	}
	there, err := osFS{}.Lstat(path)
	if err == nil && there.SameFile(open) {
		return path, nil
	}
	return strings.TrimSuffix(path, " (deleted)"), pathError("locate", f.name, fs.ErrNotExist)
}

// walkFlag opens a directory to go through it, not to read it.
const walkFlag = unix.O_PATH

func renameNewAt(from int, old string, to int, new string) error {
	err := unix.Renameat2(from, old, to, new, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return renameByLink(from, old, to, new)
	}
	return err
}

// InUse looks through the descriptors of all processes in /proc. Processes of
// other users cannot be looked into without privilege; they are taken not to
// have a private file open.
func (osFS) InUse(info Info) (bool, error) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false, fmt.Errorf("look for users of %q: %w", info.Name, errors.ErrUnsupported)
	}
	self := strconv.Itoa(os.Getpid())
	for _, proc := range procs {
		pid := proc.Name()
		if pid == self || strings.Trim(pid, "0123456789") != "" {
			continue
		}
		dir := "/proc/" + pid + "/fd"
		open, err := os.Open(dir)
		if err != nil {
			continue // ended, or another user's
		}
		fds, err := open.Readdirnames(-1)
		_ = open.Close() // nothing was written
		if err != nil {
			continue
		}
		for _, fd := range fds {
			var st unix.Stat_t
			if unix.Stat(dir+"/"+fd, &st) == nil && uint64(st.Dev) == info.Dev && st.Ino == info.Ino {
				return true, nil
			}
		}
	}
	return false, nil
}

// Mounted asks the kernel, which says so from Linux 5.8 on.
func (osFS) Mounted(name string) (is bool, err error) {
	err = retry(func() error {
		is, err = mountedAt(unix.AT_FDCWD, name)
		return err
	})
	return is, pathError("statx", name, err)
}

// Mounted follows no link on the way.
func (u osUnder) Mounted(name string) (is bool, err error) {
	if u.free(name) {
		return osFS{}.Mounted(name)
	}
	err = u.do("statx", name, func(p place) error {
		is, err = mountedAt(p.dir, p.base)
		return err
	})
	return is, err
}

// mountedAt tells a bind mount too, which has the device of what it shows.
func mountedAt(dir int, base string) (bool, error) {
	var st unix.Statx_t
	err := unix.Statx(dir, base, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE, &st)
	return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, err
}
