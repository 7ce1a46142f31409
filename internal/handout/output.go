package handout

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// An Output is a file, or a directory of files, where a person wants it. It has its name
// when all of it is there, and not before. It is for one goroutine.
type Output struct {
	fsys  vfs.FS
	path  string
	temp  string
	dir   bool
	force bool
	made  []string // in the directory
}

// NewOutput begins an output at a path of a file system. One that is there is refused with
// [fs.ErrExist], unless it is a file and force takes its place.
func NewOutput(fsys vfs.FS, path string, dir, force bool) (*Output, error) {
	switch info, err := fsys.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("write %q: %w", path, err)
	case !force, dir, !info.Regular():
		return nil, &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	base := filepath.Base(path)
	o := &Output{fsys: fsys, path: path, dir: dir, force: force}
	o.temp = filepath.Join(filepath.Dir(path), "."+base[:min(len(base), 100)]+".cambium-tmp-"+rand.Text())
	if dir {
		if err := fsys.Mkdir(o.temp); err != nil {
			return nil, fmt.Errorf("write %q: %w", path, err)
		}
	}
	return o, nil
}

// Create begins a file of it: the named one of a directory, else the only one.
func (o *Output) Create(name string) (io.WriteCloser, error) {
	path := o.temp
	if o.dir {
		path = filepath.Join(path, name)
		o.made = append(o.made, path)
	}
	f, err := o.fsys.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, fmt.Errorf("write %q: %w", o.path, err)
	}
	return &outputFile{f: f, path: o.path}, nil
}

// Commit gives it its name. What took the name meanwhile stays, with [fs.ErrExist].
func (o *Output) Commit() error {
	move := o.fsys.RenameNew
	if o.force && !o.dir {
		move = o.fsys.Rename
	}
	if err := o.syncDir(); err != nil {
		return errors.Join(err, o.Discard())
	}
	if err := move(o.temp, o.path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = &fs.PathError{Op: "write", Path: o.path, Err: fs.ErrExist}
		} else {
			err = fmt.Errorf("write %q: %w", o.path, err)
		}
		return errors.Join(err, o.Discard())
	}
	return o.fsys.SyncDir(filepath.Dir(o.path))
}

func (o *Output) syncDir() error {
	if !o.dir {
		return nil
	}
	return o.fsys.SyncDir(o.temp)
}

// Discard takes away what was written.
func (o *Output) Discard() error {
	var all error
	for _, path := range append(o.made, o.temp) {
		if err := o.fsys.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// An outputFile is durable when it is closed.
type outputFile struct {
	f    vfs.File
	path string
}

func (f *outputFile) Write(p []byte) (int, error) {
	n, err := vfs.WriteAll(f.f, p)
	if err != nil {
		err = fmt.Errorf("write %q: %w", f.path, err)
	}
	return n, err
}

func (f *outputFile) Close() error {
	if err := errors.Join(f.f.SyncData(), f.f.Close()); err != nil {
		return fmt.Errorf("write %q: %w", f.path, err)
	}
	return nil
}
