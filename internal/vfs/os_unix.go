//go:build unix

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"sync"

	"golang.org/x/sys/unix"
)

// OS returns the file system of the machine.
func OS() FS { return osFS{} }

type osFS struct{}

var _ FS = osFS{}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

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

func (osFS) Open(name string, flag int) (File, error) {
	return openAt(unix.AT_FDCWD, name, name, flag)
}

// openAt opens what base names in an open directory: a regular file, and no
// link.
func openAt(dir int, base, name string, flag int) (File, error) {
	if flag&os.O_CREATE != 0 && flag&os.O_EXCL == 0 {
		return nil, pathError("open", name, errors.ErrUnsupported)
	}
	// Looking first keeps us from touching a device at all: opening some has
	// an effect. The check after opening is the one that counts.
	if flag&os.O_CREATE == 0 {
		var st unix.Stat_t
		err := retry(func() error { return unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW) })
		if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
			err = ErrNotRegular
		}
		if err != nil {
			return nil, pathError("open", name, err)
		}
	}
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat(dir, base, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0o600)
		return err
	})
	if err == unix.ELOOP || err == unix.ENXIO || err == unix.EISDIR {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return opened(&osFile{fd: fd, name: name, appends: flag&os.O_APPEND != 0, reads: flag&(os.O_WRONLY|os.O_RDWR) == 0}, flag)
}

// opened checks that what was opened is a regular file, and makes one that was
// created private.
func opened(f *osFile, flag int) (File, error) {
	info, err := f.Stat()
	if err == nil && !info.Regular() {
		err = pathError("open", f.name, ErrNotRegular)
	}
	// The umask may have taken bits of ours away.
	if err == nil && flag&os.O_CREATE != 0 && info.Mode.Perm() != FileMode {
		err = f.Chmod(FileMode)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (osFS) Mkdir(name string) error {
	err := retry(func() error { return unix.Mkdir(name, 0o700) })
	if err != nil {
		return pathError("mkdir", name, err)
	}
	return pathError("mkdir", name, retry(func() error { return unix.Chmod(name, 0o700) }))
}

func (osFS) Stat(name string) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Stat(name, &st) }); err != nil {
		return Info{}, pathError("stat", name, err)
	}
	return infoOf(filepath.Base(name), &st), nil
}

func (osFS) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(name, &st)
		if err == nil {
			return infoOf(filepath.Base(name), &st), nil
		}
		if err != unix.EINTR {
			return Info{}, pathError("lstat", name, err)
		}
	}
}

// openDir opens a directory. It does not wait for who writes to a named pipe that stands
// in its place.
func openDir(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
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

// crowded is how many names of a directory are worth another core.
const crowded = 256

func (osFS) ReadDir(name string) (list []Info, err error) {
	dir, err := openDir(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return readDir(dir, name)
}

// readDir asks about each name in the open directory, not along its whole path,
// and on all cores where there are many.
func readDir(dir *os.File, name string) (list []Info, err error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	list, fd := make([]Info, len(names)), int(dir.Fd())
	parts := min(runtime.GOMAXPROCS(0), 1+len(names)/crowded)
	found, errs := make([][]Info, parts), make([]error, parts)
	var wait sync.WaitGroup
	for i := range parts {
		from, to := i*len(names)/parts, (i+1)*len(names)/parts
		look := func() { found[i], errs[i] = statAll(fd, name, names[from:to], list[from:from:to]) }
		if i == parts-1 {
			look()
			continue
		}
		wait.Go(look)
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	n := 0
	for _, part := range found {
		n += copy(list[n:], part) // where it is, unless names were gone
	}
	return list[:n], nil
}

// statAll appends what the names in an open directory are to list; those that
// are gone are left out.
func statAll(fd int, name string, names []string, list []Info) ([]Info, error) {
	var st unix.Stat_t
	for _, base := range names {
		err := retry(func() error { return unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW) })
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, pathError("lstat", filepath.Join(name, base), err)
		}
		list = append(list, infoOf(base, &st))
	}
	return list, nil
}

func (osFS) Readlink(name string) (string, error) { return os.Readlink(name) }

func (osFS) Rename(old, new string) error {
	return linkError("rename", old, new, retry(func() error { return unix.Rename(old, new) }))
}

func (osFS) RenameNew(old, new string) error {
	return linkError("rename", old, new, retry(func() error {
		return renameNewAt(unix.AT_FDCWD, old, unix.AT_FDCWD, new)
	}))
}

func (osFS) Link(old, new string) error {
	return linkError("link", old, new, retry(func() error { return unix.Link(old, new) }))
}

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }

func (osFS) SyncDir(name string) (err error) {
	dir, err := openDir(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return syncDir(dir)
}

func syncDir(dir *os.File) error {
	err := dir.Sync()
	// Some file systems (of networks, of other systems) cannot sync a
	// directory and say so; there is nothing more to do there.
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// osFile holds a bare descriptor: the append path makes six small calls on it,
// and each would cost an allocation through os.File.
type osFile struct {
	fd             int
	name           string
	appends, reads bool
	tries          uint // of the lock; see stepAside
	line           lockLine
}

// stepAside is at how many tries for a lock one looks whether others wait for
// it: who asks again and again would else be there first each time.
const stepAside = 16

func (f *osFile) Name() string { return f.name }

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.Pread(f.fd, p[done:], off+int64(done))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return done, pathError("read", f.name, err)
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

func (f *osFile) Write(p []byte) (int, error) {
	for {
		n, err := unix.Write(f.fd, p)
		if err == unix.EINTR {
			continue
		}
		n = max(n, 0)
		if err != nil {
			return n, pathError("write", f.name, err)
		}
		if n < len(p) {
			return n, pathError("write", f.name, io.ErrShortWrite)
		}
		return n, nil
	}
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if f.appends {
		return 0, pathError("write", f.name, errors.ErrUnsupported)
	}
	done := 0
	for done < len(p) {
		n, err := unix.Pwrite(f.fd, p[done:], off+int64(done))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return done, pathError("write", f.name, err)
		}
		if n == 0 {
			return done, pathError("write", f.name, io.ErrShortWrite)
		}
		done += n
	}
	return done, nil
}

func (f *osFile) Stat() (Info, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstat(f.fd, &st)
		if err == nil {
			return infoOf(filepath.Base(f.name), &st), nil
		}
		if err != unix.EINTR {
			return Info{}, pathError("stat", f.name, err)
		}
	}
}

func (f *osFile) Truncate(size int64) error {
	return pathError("truncate", f.name, retry(func() error { return unix.Ftruncate(f.fd, size) }))
}

func (f *osFile) Chmod(mode fs.FileMode) error {
	return pathError("chmod", f.name, retry(func() error { return unix.Fchmod(f.fd, uint32(mode.Perm())) }))
}

func (f *osFile) Chown(uid, gid uint32) error {
	return pathError("chown", f.name, retry(func() error { return unix.Fchown(f.fd, int(uid), int(gid)) }))
}

func (f *osFile) Sync() error {
	return pathError("sync", f.name, retry(func() error { return flush(f.fd) }))
}

func (f *osFile) TryLock() (bool, error) {
	if f.line.wait.Load() != nil {
		return false, nil // somebody else has it: a wait that was given up is not over yet
	}
	if f.tries++; f.tries%stepAside == 0 && f.othersWait() {
		return false, nil
	}
	for {
		err := unix.Flock(f.fd, unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case nil:
			return true, nil
		case unix.EWOULDBLOCK:
			return false, nil
		case unix.EINTR:
		default:
			return false, pathError("lock", f.name, err)
		}
	}
}

func (f *osFile) Unlock() error {
	for {
		err := unix.Flock(f.fd, unix.LOCK_UN)
		if err != unix.EINTR {
			return pathError("unlock", f.name, err)
		}
	}
}

// Close is not repeated when interrupted: the descriptor is gone either way.
func (f *osFile) Close() error { return pathError("close", f.name, unix.Close(f.fd)) }

func infoOf(name string, st *unix.Stat_t) Info {
	return Info{
		Name: name, Dev: uint64(st.Dev), Ino: uint64(st.Ino), Size: st.Size,
		Nlink: uint64(st.Nlink), Mode: modeOf(uint32(st.Mode)),
		UID: st.Uid, GID: st.Gid, ModTime: st.Mtim.Nano(),
	}
}

func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	switch bits & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	return mode
}
