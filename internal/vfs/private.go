package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// Strangers says why somebody else could change a file, or put another in its
// place, and what helps; "" when nobody could. Looked at are the file and every
// directory and link that leads to it: each must belong to the person or to root,
// and nobody else may write to it, its group included, unless it is a directory
// with the sticky bit. It is for files that decide what is run, or who gets a
// secret. The name is absolute, and what it names is there.
func Strangers(fsys FS, name string) (why string, err error) {
	if !filepath.IsAbs(name) {
		return "its path is not absolute, so it may be another file in another directory", nil
	}
	const sep = string(filepath.Separator)
	root := filepath.VolumeName(name) + sep
	at, rest, links := root, strings.Split(strings.TrimPrefix(name, root), sep), 0
	for {
		info, err := fsys.Lstat(at)
		if err != nil {
			return "", err
		}
		if why := info.open(at); why != "" {
			return why, nil
		}
		if info.Mode&fs.ModeSymlink != 0 {
			target, err := fsys.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return "", errors.Join(err, &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP})
			}
			if at = filepath.Dir(at); filepath.IsAbs(target) {
				at = root
			}
			rest = append(strings.Split(target, sep), rest...)
		}
		for len(rest) > 0 && (rest[0] == "" || rest[0] == ".") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return "", nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:] // what is above "at" is no link
	}
}

// open says why others can change what info describes.
func (i Info) open(name string) string {
	switch {
	case i.Theirs():
		return fmt.Sprintf("%q belongs to somebody else; chown it if you trust it", name)
	case i.Mode&fs.ModeSymlink == 0 && i.Mode.Perm()&0o022 != 0 && (!i.Mode.IsDir() || i.Mode&fs.ModeSticky == 0):
		return fmt.Sprintf("others can write %q; chmod go-w %q", name, name)
	}
	return ""
}
