package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"syscall"
)

// Under goes from the root to each name by descriptors of directories.
func (osFS) Under(roots ...string) FS { return osUnder{roots: cleaned(roots)} }

// Hold opens the roots that are there. One that cannot be opened now is when it
// is used, and says why not then.
func (osFS) Hold(roots ...string) (FS, func()) { return osUnder{open: true}.hold(roots...) }

// hold opens roots where u finds them.
func (u osUnder) hold(roots ...string) (osUnder, func()) {
	h := osUnder{roots: cleaned(roots), held: make(map[string]dirFD)}
	var opened []dirFD
	for _, root := range h.roots {
		if h.held[root] != 0 {
			continue // it was named twice
		}
		if fd, err := u.openDir(root); err == nil {
			h.held[root] = fd
			opened = append(opened, fd)
		}
	}
	return h, func() {
		for _, fd := range opened {
			closeDir(fd)
		}
	}
}

// openDir opens a directory to go through it.
func (u osUnder) openDir(dir string) (fd dirFD, err error) {
	if !u.inside(dir) {
		return openOwn(dir)
	}
	err = u.do("open", dir, func(p place) error {
		fd, err = walkAt(p.dir, p.base)
		return err
	})
	return fd, err
}

// openOwn opens a directory. A link in its place is followed when it is the person's own,
// or root's: one of somebody else's is refused, whenever it was put there.
func openOwn(dir string) (dirFD, error) { return openOwnBy(walkAt, dir) }

// openOwnBy is openOwn with the call that opens a directory which is no link.
func openOwnBy(open func(dir dirFD, base string) (dirFD, error), dir string) (fd dirFD, err error) {
	name := dir
	for range maxLinks {
		fd, err = open(noDir, name)
		if !errors.Is(err, syscall.ELOOP) && !errors.Is(err, syscall.ENOTDIR) {
			return fd, err
		}
		to, led, refused := ownLink(osFS{}, name)
		if refused != nil {
			return 0, refused
		}
		if !led {
			return 0, err
		}
		name = to
	}
	return 0, syscall.ELOOP
}

// osUnder is the file system of the machine below roots. A root that is not held
// is opened for each operation, a person's own links in it followed. From there
// every directory is opened in the one before, O_NOFOLLOW, so that the kernel
// refuses a link whoever puts it there when.
type osUnder struct {
	roots confines
	held  map[string]dirFD // descriptors of roots; never 0
	kept  *kept            // the roots instead of both, nil for none
	open  bool             // names below no root are taken as they are
}

var (
	_ FS       = osUnder{}
	_ Confiner = osUnder{}
	_ Keeper   = osUnder{}
)

func (u osUnder) Under(...string) FS { return u }

func (u osUnder) Hold(...string) (FS, func()) { return u, func() {} }

// inside reports whether name lies below a root.
func (u osUnder) inside(name string) bool {
	_, _, err := u.roots.split("", name)
	return err == nil
}

// free reports whether name leads to a root, and may be followed there.
func (u osUnder) free(name string) bool {
	if u.kept != nil {
		return u.kept.free(name)
	}
	_, held := u.held[filepath.Clean(name)]
	return !held && u.roots.above(name)
}

// place is a name in an open directory; the root itself is "." in it.
type place struct {
	dir  dirFD // its descriptor
	held bool  // which is not to be closed
	base string
	name string // the whole of it, clean
}

func (p place) close() {
	if !p.held {
		closeDir(p.dir)
	}
}

// why returns the error of an operation on the place: a link is what it failed
// of, if there is one now.
func (p place) why(op, name string, err error) error {
	switch err {
	case nil:
		return nil
	case syscall.ENOTDIR, syscall.ELOOP, syscall.EMLINK, ErrNotRegular:
		info, look := lstatAt(p.dir, p.base)
		if err == syscall.ELOOP || look == nil && info.Mode&fs.ModeSymlink != 0 {
			return &LinkError{Op: op, Name: name, Link: p.name}
		}
	}
	return pathError(op, name, err)
}

// root opens the root that name lies below and returns the elements from there on.
func (u osUnder) root(op, name string) (p place, parts []string, err error) {
	if u.kept != nil {
		p = place{base: "."}
		p.dir, p.name, parts, err = u.kept.at(op, name)
		return p, parts, err
	}
	root, parts, err := u.roots.split(op, name)
	if err != nil && u.open {
		return place{dir: noDir, held: true, base: name, name: name}, nil, nil
	}
	if err != nil {
		return place{}, nil, err
	}
	p = place{base: ".", name: root}
	if p.dir, p.held = u.held[root]; !p.held {
		if p.dir, err = openOwn(root); err != nil {
			return place{}, nil, pathError(op, name, err)
		}
	}
	return p, parts, nil
}

// at opens the directory of name.
func (u osUnder) at(op, name string) (place, error) {
	p, parts, err := u.root(op, name)
	if err != nil {
		return place{}, err
	}
	for i, part := range parts {
		p.base, p.name = part, filepath.Join(p.name, part)
		if i == len(parts)-1 {
			break
		}
		next, err := walkAt(p.dir, p.base)
		if err != nil {
			err = p.why(op, name, err)
			p.close()
			return place{}, err
		}
		p.close()
		p.dir, p.held = next, false
	}
	return p, nil
}

// do runs call with the place of name and says why it failed.
func (u osUnder) do(op, name string, call func(place) error) error {
	p, err := u.at(op, name)
	if err != nil {
		return err
	}
	defer p.close()
	return p.why(op, name, retry(func() error { return call(p) }))
}

// both is do for two names.
func (u osUnder) both(op, old, new string, call func(from, to place) error) error {
	from, err := u.at(op, old)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := u.at(op, new)
	if err != nil {
		return err
	}
	defer to.close()
	return linkError(op, old, new, retry(func() error { return call(from, to) }))
}

func (u osUnder) Open(name string, flag int) (File, error) {
	p, err := u.at("open", name)
	if err != nil {
		return nil, err
	}
	defer p.close()
	f, err := openAt(p.dir, p.base, name, flag)
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, p.why("open", name, at.Err)
	}
	return f, err
}

func (u osUnder) Mkdir(name string) error {
	if u.free(name) {
		return osFS{}.Mkdir(name)
	}
	return u.do("mkdir", name, func(p place) error {
		return mkdirAt(p.dir, p.base)
	})
}

func (u osUnder) Stat(name string) (Info, error) {
	if u.free(name) {
		return osFS{}.Stat(name)
	}
	info, err := u.Lstat(name)
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		err = &LinkError{Op: "stat", Name: name, Link: filepath.Clean(name)}
	}
	if err != nil {
		return Info{}, err
	}
	return info, nil
}

func (u osUnder) Lstat(name string) (info Info, err error) {
	err = u.do("lstat", name, func(p place) error {
		info, err = lstatAt(p.dir, p.base)
		info.Name = filepath.Base(name)
		return err
	})
	if err != nil {
		return Info{}, err
	}
	return info, nil
}

// directory opens a directory for reading its names.
func (u osUnder) directory(name string) (dir *os.File, err error) {
	err = u.do("open", name, func(p place) error {
		fd, err := readAt(p.dir, p.base)
		if err == nil {
			dir = os.NewFile(uintptr(fd), name)
		}
		return err
	})
	return dir, err
}

func (u osUnder) Names(name string) (names []string, err error) {
	dir, err := u.directory(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err = dir.Readdirnames(-1)
	sort.Strings(names)
	return names, err
}

func (u osUnder) ReadDir(name string) (list []Info, err error) {
	dir, err := u.directory(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return readDir(dir, name)
}

func (u osUnder) Readlink(name string) (string, error) {
	info, err := u.Lstat(name)
	switch {
	case err != nil:
	case info.Mode&fs.ModeSymlink != 0:
		err = &LinkError{Op: "readlink", Name: name, Link: filepath.Clean(name)}
	default:
		err = pathError("readlink", name, syscall.EINVAL)
	}
	return "", err
}

func (u osUnder) Rename(old, new string) error {
	return u.both("rename", old, new, func(from, to place) error {
		return renameAt(from.dir, from.base, to.dir, to.base)
	})
}

func (u osUnder) RenameNew(old, new string) error {
	return u.both("rename", old, new, func(from, to place) error {
		return renameNewAt(from.dir, from.base, to.dir, to.base)
	})
}

func (u osUnder) Link(old, new string) error {
	return u.both("link", old, new, func(from, to place) error {
		return linkAt(from.dir, from.base, to.dir, to.base)
	})
}

func (u osUnder) Remove(name string) error {
	return u.do("remove", name, func(p place) error { return removeAt(p.dir, p.base) })
}

func (u osUnder) Chmod(name string, mode fs.FileMode) error {
	return u.do("chmod", name, func(p place) error { return chmodAt(p.dir, p.base, mode) })
}

func (u osUnder) SyncDir(name string) (err error) {
	if u.free(name) {
		return osFS{}.SyncDir(name)
	}
	dir, err := u.directory(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return syncDir(dir)
}

func (osUnder) InUse(info Info) (bool, error) { return osFS{}.InUse(info) }
