package tool

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// What stands in the way to a place that had no links when it was looked at.
var (
	errLink    = errors.New("a symbolic link is on the way, and none was there just now")
	errChanged = errors.New("a directory on the way is another than just now")
)

// descend opens a directory below a root, by the names of directories alone: no
// link is followed, also none that is put there meanwhile and that stays below the
// root. With missing set those that are not there are made. The caller closes it.
func descend(root *os.Root, rel string, missing bool) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(rel, separator) {
		if part == "" || part == "." {
			continue
		}
		next, err := step(at, part, missing)
		_ = at.Close() // nothing was written
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// step opens a directory in another one.
func step(at *os.Root, part string, missing bool) (*os.Root, error) {
	info, err := at.Lstat(part)
	if missing && errors.Is(err, fs.ErrNotExist) {
		if err = at.Mkdir(part, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = at.Lstat(part)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !info.IsDir():
		return nil, syscall.ENOTDIR
	}
	next, err := at.OpenRoot(part)
	if err != nil {
		return nil, err
	}
	// A link that was put there since leads to another directory.
	if is, err := next.Stat("."); err != nil || !os.SameFile(is, info) {
		return nil, errors.Join(errChanged, next.Close())
	}
	return next, nil
}
