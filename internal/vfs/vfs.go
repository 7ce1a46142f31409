// Package vfs is the few file operations that Cambium uses, behind one small
// interface, so that a test can put a file system there that crashes or fails.
//
// An [FS] opens regular files only, never follows a symbolic link in the last
// element of a name, and gives what it creates private modes whatever the
// umask says: 0600 for files, 0700 for directories. It never changes the mode
// of what it did not create. [Resolve] follows links once, before anything is
// opened; the caller then works on the target. [Under] is for directories that
// others may write to: below them no link is followed at all.
//
// Package vfs does not know what is in a file.
package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// ErrNotRegular is the cause of an [*fs.PathError] for a name that is there but
// is a directory, a symbolic link, a FIFO, a socket or a device. Resolve the
// name first if a link is allowed; otherwise leave it alone.
var ErrNotRegular = errors.New("not a regular file")

// Modes of what an FS creates.
const (
	// FileMode is the mode of created files.
	FileMode fs.FileMode = 0o600
	// DirMode is the mode of created directories.
	DirMode fs.FileMode = 0o700
)

// FS is a file system. All names are absolute, or relative to a directory that
// the implementation defines. Errors are [*fs.PathError] or [*os.LinkError]
// whose causes answer [errors.Is] for fs.ErrNotExist, fs.ErrExist and
// fs.ErrPermission. An FS is safe for concurrent use.
type FS interface {
	// Open opens a regular file with the flags of package os: os.O_RDONLY,
	// O_WRONLY or O_RDWR with O_APPEND, O_CREATE, O_EXCL and O_TRUNC. The last
	// element of the name is not followed when it is a link, and opening never
	// blocks: what is not a regular file is ErrNotRegular. A file that this
	// call created has mode 0600; O_CREATE without O_EXCL is not supported, so
	// that who created a file is always known.
	Open(name string, flag int) (File, error)
	// Mkdir creates one directory with mode 0700.
	Mkdir(name string) error
	// Stat describes what name leads to, links followed.
	Stat(name string) (Info, error)
	// Lstat describes name itself.
	Lstat(name string) (Info, error)
	// Names returns the names in a directory, in order, without looking at what
	// they name.
	Names(dir string) ([]string, error)
	// ReadDir describes what is in a directory, in the order of names, links
	// not followed. What vanished while it was reading is left out.
	ReadDir(name string) ([]Info, error)
	// Readlink returns what a symbolic link says.
	Readlink(name string) (string, error)
	// Rename gives old the name new, replacing what was there.
	Rename(old, new string) error
	// RenameNew is Rename that fails with fs.ErrExist when new is there.
	RenameNew(old, new string) error
	// Link gives the file old a second name; it fails with fs.ErrExist when
	// new is there.
	Link(old, new string) error
	// Remove removes a name: a file's or an empty directory's.
	Remove(name string) error
	// Chmod sets the permission bits of name.
	Chmod(name string, mode fs.FileMode) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// InUse reports whether a process other than this one has the file that
	// info describes open. Where this cannot be known the error is
	// errors.ErrUnsupported.
	InUse(info Info) (bool, error)
}

// A Glancer is an FS that can describe a name sooner without its times.
type Glancer interface {
	// Glance is Lstat, but of the Info only Dev, Ino, Size and the type in Mode
	// are set. Asking for the time of change makes the next write set it anew
	// (Linux 6.13 and later), which is dear.
	Glance(name string) (Info, error)
}

// File is an open regular file. ReadAt, WriteAt and Stat may be called
// concurrently; Close must not run beside any other method.
type File interface {
	io.ReaderAt
	// WriteAt writes at an offset. On a file opened with O_APPEND it fails:
	// the kernel would append.
	io.WriterAt
	// Write writes at the end of the file if it was opened with O_APPEND, else
	// after the last Write. It is one write of the system and is not retried:
	// n may be less than len(p), then with a non-nil error.
	io.Writer
	// Close closes the descriptor and with it releases the lock.
	io.Closer
	// Name returns the name it was opened with.
	Name() string
	// Path returns the name that the open file has now. When that was taken
	// away it returns the name as it was last, with fs.ErrNotExist; the file
	// may have others. errors.ErrUnsupported where the system does not say.
	Path() (string, error)
	// Stat describes the open file.
	Stat() (Info, error)
	// Truncate sets the size.
	Truncate(size int64) error
	// Chmod sets the permission bits, Chown the owner.
	Chmod(mode fs.FileMode) error
	Chown(uid, gid uint32) error
	// Sync makes content and attributes durable; SyncData the content and the
	// size. After an error nothing is known about what is on the disk.
	Sync() error
	SyncData() error
	// Lock takes the exclusive advisory lock of the file (flock), waiting for
	// it until ctx is done, for Patience at most: then the error is a [*Held].
	// TryLock reports false instead of waiting. The lock belongs to this
	// descriptor: another one of the same process waits too. Unlock gives it
	// back. One caller at a time takes the lock of a File.
	Lock(ctx context.Context) error
	TryLock() (bool, error)
	Unlock() error
}

// A Sparse is a File that can tell where it has holes, which read as zero bytes.
type Sparse interface {
	// Data returns where the next bytes at or behind off begin that are in no hole, and
	// where the next hole begins behind them: the size of the file when nothing more
	// comes. The error is errors.ErrUnsupported where the system does not say.
	Data(off int64) (from, to int64, err error)
}

// An InLine is a File that can tell whether somebody waits for its lock.
type InLine interface {
	// Awaited reports whether somebody does.
	Awaited() bool
}

// Info describes a file. It is a plain value; two descriptions with the same
// Dev and Ino are of the same file as long as it exists or is held open.
type Info struct {
	// Name is the last element of the name asked for.
	Name string
	// Dev and Ino say which file it is.
	Dev, Ino uint64
	// Size is in bytes.
	Size int64
	// Nlink counts its names: 0 for a file that is only still open.
	Nlink uint64
	// Mode holds type and permission bits.
	Mode fs.FileMode
	// UID and GID own it.
	UID, GID uint32
	// ModTime is the time of the last change of content, in nanoseconds since
	// 1970.
	ModTime int64
}

// SameFile reports whether both describe one file.
func (i Info) SameFile(other Info) bool {
	return i.Dev == other.Dev && i.Ino == other.Ino
}

// Regular reports whether it is a regular file.
func (i Info) Regular() bool { return i.Mode.IsRegular() }
