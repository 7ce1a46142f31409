// Package source is where session files are looked for: the directories of a disk,
// or the logs of a store. Both are read alike and neither is changed.
//
// A [Source] lists names with their states and reads sections of what they name.
// Errors are [*fs.PathError], as those of a file system are.
package source

import (
	"context"
	"io"
	"io/fs"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// A Source holds session files by name, in directories. It is safe for concurrent
// use.
type Source interface {
	// Names returns the names in a directory, in order.
	Names(ctx context.Context, dir string) ([]string, error)
	// Survey adds to a roll what in a directory has a name that ends with suffix
	// and does not begin with a dot, as [vfs.Surveyor] says.
	Survey(ctx context.Context, dir, suffix string, to *vfs.Roll) error
	// Stat describes what a name leads to, links followed.
	Stat(ctx context.Context, name string) (State, error)
	// Resolve returns the name of what a link leads to in the end.
	Resolve(ctx context.Context, name string) (string, error)
	// Open opens a file to read it, for as long as ctx lasts. The caller closes
	// it.
	Open(ctx context.Context, name string) (File, error)
	// Store returns the store that has the same files as logs.
	Store() storage.Store
}

// A File is an open file of a source. It is safe for concurrent use, but for Close.
type File interface {
	io.ReaderAt
	io.Closer
	// Stat describes the file as it is now.
	Stat() (State, error)
}

// Length returns how many bytes of a file in a state can be read: its size, unless the file
// is one whose bytes are made of others and says how many there are.
func Length(f File, is State) int64 {
	if made, ok := f.(interface{ Length() int64 }); ok {
		return made.Length()
	}
	return is.Size
}

// A Stamp says which state of which file is meant: a file with the same stamp is
// not read again.
type Stamp struct {
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
}

// A State is what a source says of a name.
type State struct {
	Stamp
	// Mode holds the type.
	Mode fs.FileMode
}

// StampOf returns the stamp of a file on a roll.
func StampOf(f *vfs.Found) Stamp {
	return Stamp{Dev: f.Dev, Ino: f.Ino, Size: f.Size, ModTime: f.ModTime}
}

// Of returns the logs of a store; without one the files of a file system, nil for
// the machine's.
func Of(store storage.Store, fsys vfs.FS) Source {
	switch {
	case store != nil:
		return Logs(store)
	case fsys != nil:
		return Disk(fsys)
	}
	return Disk(vfs.OS())
}
