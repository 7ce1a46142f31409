package source

import (
	"context"
	"errors"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// disk is a file system as a source.
type disk struct{ fs vfs.FS }

// Disk returns the files of a file system.
func Disk(fs vfs.FS) Source { return disk{fs} }

func (d disk) Names(_ context.Context, dir string) ([]string, error) { return d.fs.Names(dir) }

func (d disk) Survey(_ context.Context, dir, suffix string, to *vfs.Roll) error {
	return vfs.Survey(d.fs, dir, suffix, to)
}

func (d disk) Stat(_ context.Context, name string) (State, error) {
	info, err := d.fs.Stat(name)
	return stateOf(info), err
}

func (d disk) Resolve(_ context.Context, name string) (string, error) {
	return vfs.Resolve(d.fs, name)
}

func (d disk) Open(_ context.Context, name string) (File, error) {
	f, err := d.fs.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (d disk) Store() storage.Store { return local.New(vfs.On(local.Options{}, d.fs)) }

// diskFile is an open file of a disk.
type diskFile struct{ vfs.File }

// Data says where there are no holes, as vfs.Sparse does.
func (f diskFile) Data(off int64) (from, to int64, err error) {
	if s, ok := f.File.(vfs.Sparse); ok {
		return s.Data(off)
	}
	return 0, 0, errors.ErrUnsupported
}

func (f diskFile) Stat() (State, error) {
	info, err := f.File.Stat()
	return stateOf(info), err
}

func stateOf(i vfs.Info) State {
	return State{Stamp{Dev: i.Dev, Ino: i.Ino, Size: i.Size, ModTime: i.ModTime}, i.Mode}
}
