// Package project tells what belongs to the project that a directory is in, and
// reads the files in which a project says how it wants to be treated.
//
// A project may have been made by somebody else: it was cloned, unpacked, or lies
// where others can write. So nobody is led out of it: directories are climbed to
// where they really are, a directory or a repository of somebody else ends the
// climb, and a file counts only if it is one, in that place, without a link.
package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Project is a directory, with those above it that belong to it.
type Project struct {
	// Dirs are the directory and those above it up to the top of its git
	// repository, the nearest first and without links; outside of a repository
	// the directory alone. There is none when the directory is somebody else's.
	Dirs []string
	// Repo says that the last of Dirs is the top of a repository.
	Repo bool
	// Stop is the directory at which the climb was ended because others can
	// write there, Why the reason; "" when it was not.
	Stop, Why string
}

// Find returns the project of a directory, whose links are followed.
func Find(fsys vfs.FS, dir string) Project {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	p := Project{}
	for at := dir; ; at = filepath.Dir(at) {
		if why := stranger(fsys, at); why != "" {
			return Project{Dirs: p.Dirs[:min(1, len(p.Dirs))], Stop: at, Why: why}
		}
		p.Dirs = append(p.Dirs, at)
		if info, err := fsys.Lstat(filepath.Join(at, ".git")); err == nil {
			if why := info.Stranger(); why != "" {
				return Project{Dirs: p.Dirs[:1], Stop: at, Why: fmt.Sprintf("of its .git %s", why)}
			}
			p.Repo = true
			return p
		}
		if filepath.Dir(at) == at {
			p.Dirs = p.Dirs[:1]
			return p
		}
	}
}

// stranger says why a directory may be somebody else's.
func stranger(fsys vfs.FS, dir string) string {
	info, err := fsys.Lstat(dir)
	switch {
	case err != nil:
		return "it cannot be looked at"
	case !info.Mode.IsDir():
		return "it is no directory"
	}
	return info.Stranger()
}

// What is there but does not count as a file of a project.
var (
	errLink  = errors.New("it is a symbolic link; put a copy of what you mean in its place")
	errOther = errors.New("it is no regular file")
)

// Read returns the beginning of a file of a project, at most so many bytes, and
// whether that is all of it. The name is that of a file in one of the Dirs. The
// error is fs.ErrNotExist when there is nothing, else one that says what is there
// instead of a file that the person has.
func Read(fsys vfs.FS, path string, most int64) (data []byte, whole bool, err error) {
	info, err := fsys.Lstat(path)
	if err != nil {
		return nil, false, err
	}
	if info.Mode&fs.ModeSymlink != 0 {
		return nil, false, errLink
	}
	if !info.Regular() {
		return nil, false, errOther
	}
	f, err := fsys.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	// What was opened may be another than what was looked at.
	if info, err = f.Stat(); err != nil {
		return nil, false, err
	}
	if why := info.Stranger(); why != "" {
		return nil, false, errors.New(why)
	}
	data = make([]byte, min(info.Size, most))
	n, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	return data[:n], info.Size <= most, nil
}
