package vfs

import (
	"errors"
	"io/fs"
	"strings"
)

// A Surveyor is an FS that can describe the files of a directory sooner than
// ReadDir does.
type Surveyor interface {
	// Survey describes what in a directory has a name that ends with suffix and
	// does not begin with a dot, in any order, links not followed. What vanished
	// while it was reading is left out. errors.ErrUnsupported where only ReadDir
	// can tell.
	Survey(dir, suffix string) ([]Found, error)
}

// A Found is what a survey tells of a file.
type Found struct {
	// Path is the directory as it was given, a slash, and the name.
	Path string
	// Dev and Ino say which file it is.
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
	// Mode holds the type; its permission bits say nothing.
	Mode fs.FileMode
}

// Survey returns what a Surveyor does, of any file system.
func Survey(fsys FS, dir, suffix string) ([]Found, error) {
	if s, ok := fsys.(Surveyor); ok {
		all, err := s.Survey(dir, suffix)
		if !errors.Is(err, errors.ErrUnsupported) {
			return all, err
		}
	}
	list, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := make([]Found, 0, len(list))
	for i := range list {
		if info := &list[i]; surveyed(info.Name, suffix) {
			all = append(all, Found{
				Path: under(dir) + info.Name, Dev: info.Dev, Ino: info.Ino,
				Size: info.Size, ModTime: info.ModTime, Mode: info.Mode.Type(),
			})
		}
	}
	return all, nil
}

// surveyed reports whether a survey tells of a name.
func surveyed(name, suffix string) bool {
	return strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".")
}

// under returns what the paths of what is in a directory begin with.
func under(dir string) string {
	if strings.HasSuffix(dir, "/") {
		return dir
	}
	return dir + "/"
}
