package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// What goes wrong below a root.
var (
	// ErrLink answers errors.Is for a [*LinkError]: a symbolic link was met
	// where none is followed. It was left alone.
	ErrLink = errors.New("a symbolic link, which is not followed")
	// ErrOutside is the cause of an [*fs.PathError] for a name that lies below
	// none of the roots.
	ErrOutside = errors.New("outside of the directory")
)

// A LinkError says which symbolic link was met. It is [ErrLink], and
// [ErrNotRegular] too.
type LinkError struct {
	// Op is the operation, Name what it was asked for.
	Op, Name string
	// Link is the link that was met: Name or a directory above it.
	Link string
	// Theirs says that it belongs to somebody else. One of the person's own would have
	// been followed there.
	Theirs bool
}

// Error says what was met and where.
func (e *LinkError) Error() string {
	what, where := ErrLink.Error(), e.Link
	if e.Theirs {
		what = "a symbolic link of somebody else's, which is not followed"
	}
	if e.Link == e.Name {
		where = "it"
	}
	return fmt.Sprintf("%s %s: %s is %s", e.Op, e.Name, where, what)
}

// Is answers for ErrLink and ErrNotRegular.
func (e *LinkError) Is(target error) bool { return target == ErrLink || target == ErrNotRegular }

// A Confiner is an FS that follows no link below a directory by its own means.
type Confiner interface {
	// Under does what the function Under does, Hold what Hold does.
	Under(roots ...string) FS
	Hold(roots ...string) (FS, func())
}

// Under returns fsys for names below the roots only, in which no symbolic link
// is followed in any element of a name below its root: an operation that would
// fails with a [*LinkError]. Links are looked at with Lstat, made known by
// ReadDir, renamed and removed as what they are; Readlink fails, so that nobody
// follows them by hand. A root itself, and what leads to it, may be a person's
// own link. The longest root that a name lies below counts.
//
// Of what lies above a root only the operations that [MkdirAll] needs are
// allowed: Stat, Mkdir and SyncDir. All other names are ErrOutside.
//
// With the file system of the machine this holds against who changes the tree
// meanwhile: each operation goes from directory to directory by descriptors.
// With others each element is looked at before the operation. What is open
// stays open.
//
// Of an FS that Under made, it returns that FS: it is never widened. Hard links
// cannot be told from files and are files.
func Under(fsys FS, roots ...string) FS {
	if c, ok := fsys.(Confiner); ok {
		return c.Under(roots...)
	}
	return &looking{FS: fsys, roots: cleaned(roots)}
}

// Hold is Under for a while: until release is called, which must be, the roots
// that are there stay the directories that they were at the call, whatever becomes
// of their names. What was looked at in one is what is changed in it. Where a
// system has no descriptors of directories it is Under.
func Hold(fsys FS, roots ...string) (_ FS, release func()) {
	if c, ok := fsys.(Confiner); ok {
		return c.Hold(roots...)
	}
	return Under(fsys, roots...), func() {}
}

// A Pinner is an FS that keeps directories by its own means.
type Pinner interface {
	// Pin does what the function Pin does, PinToo what PinToo does.
	Pin(dirs ...string) (FS, func())
	PinToo(dir string)
}

// Pin returns fsys with some directories that stay what they are now, whatever
// becomes of their names, until release is called, which must be. Below them no
// link is followed, as in those of [Hold]. All other names are what they are for
// fsys. Of an FS that Under or Hold made, and where a system has no descriptors
// of directories, it is that FS.
func Pin(fsys FS, dirs ...string) (_ FS, release func()) {
	if p, ok := fsys.(Pinner); ok {
		return p.Pin(dirs...)
	}
	return fsys, func() {}
}

// PinToo adds a directory to those of an FS that Pin made, for as long as those
// stay. It does nothing for another FS.
func PinToo(fsys FS, dir string) {
	if p, ok := fsys.(Pinner); ok {
		p.PinToo(dir)
	}
}

func cleaned(roots []string) confines {
	all := make(confines, len(roots))
	for i, root := range roots {
		all[i] = filepath.Clean(root)
	}
	return all
}

// confines are the roots that names must lie below.
type confines []string

// split returns the root that name lies below and the elements from there on,
// none for the root itself.
func (c confines) split(op, name string) (root string, parts []string, err error) {
	name = filepath.Clean(name)
	found, rest := false, ""
	for _, r := range c {
		if tail, below := Below(name, r); below && (!found || len(r) > len(root)) {
			root, rest, found = r, tail, true
		}
	}
	if !found {
		return "", nil, &fs.PathError{Op: op, Path: name, Err: ErrOutside}
	}
	if rest != "" {
		parts = strings.Split(rest, string(filepath.Separator))
	}
	return root, parts, nil
}

// above reports whether name leads to a root, or is one.
func (c confines) above(name string) bool {
	name = filepath.Clean(name)
	for _, r := range c {
		if _, below := Below(r, name); below {
			_, inside, _ := c.split("", name)
			return len(inside) == 0
		}
	}
	return false
}

// Below returns what of a clean name comes behind a clean directory, "" for the
// directory itself; ok is false when it does not lie there.
func Below(name, dir string) (rest string, ok bool) {
	const sep = string(filepath.Separator)
	if name == dir {
		return "", true
	}
	if !strings.HasSuffix(dir, sep) {
		dir += sep
	}
	return strings.CutPrefix(name, dir)
}

// looking is Under for a file system that has no descriptors of directories.
type looking struct {
	FS
	roots confines
}

var _ Confiner = (*looking)(nil)

func (l *looking) Under(...string) FS { return l }

func (l *looking) Hold(...string) (FS, func()) { return l, func() {} }

func (l *looking) Mounted(name string) (bool, error) { return Mounted(l.FS, name), nil }

// check refuses a name with a link among its elements below the root, with last
// also when it is the last.
func (l *looking) check(op, name string, last bool) error {
	at, parts, err := l.roots.split(op, name)
	if err != nil {
		return err
	}
	for i, part := range parts {
		if i == len(parts)-1 && !last {
			break
		}
		at = filepath.Join(at, part)
		info, err := l.FS.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the operation says so itself
		}
		if err != nil {
			return err
		}
		if info.Mode&fs.ModeSymlink != 0 {
			return &LinkError{Op: op, Name: name, Link: at}
		}
	}
	return nil
}

// both checks two names, whose last elements are not followed anyway.
func (l *looking) both(op, old, new string) error {
	if err := l.check(op, old, false); err != nil {
		return err
	}
	return l.check(op, new, false)
}

func (l *looking) Open(name string, flag int) (File, error) {
	if err := l.check("open", name, true); err != nil {
		return nil, err
	}
	return l.FS.Open(name, flag)
}

func (l *looking) Mkdir(name string) error {
	if !l.roots.above(name) {
		if err := l.check("mkdir", name, false); err != nil {
			return err
		}
	}
	return l.FS.Mkdir(name)
}

func (l *looking) Stat(name string) (Info, error) {
	if !l.roots.above(name) {
		if err := l.check("stat", name, true); err != nil {
			return Info{}, err
		}
	}
	return l.FS.Stat(name)
}

func (l *looking) Lstat(name string) (Info, error) {
	if err := l.check("lstat", name, false); err != nil {
		return Info{}, err
	}
	return l.FS.Lstat(name)
}

func (l *looking) Names(dir string) ([]string, error) {
	if err := l.check("open", dir, true); err != nil {
		return nil, err
	}
	return l.FS.Names(dir)
}

func (l *looking) ReadDir(name string) ([]Info, error) {
	if err := l.check("open", name, true); err != nil {
		return nil, err
	}
	return l.FS.ReadDir(name)
}

func (l *looking) Readlink(name string) (string, error) {
	if err := l.check("readlink", name, true); err != nil {
		return "", err
	}
	return l.FS.Readlink(name)
}

func (l *looking) Rename(old, new string) error {
	if err := l.both("rename", old, new); err != nil {
		return err
	}
	return l.FS.Rename(old, new)
}

func (l *looking) RenameNew(old, new string) error {
	if err := l.both("rename", old, new); err != nil {
		return err
	}
	return l.FS.RenameNew(old, new)
}

func (l *looking) Link(old, new string) error {
	if err := l.both("link", old, new); err != nil {
		return err
	}
	return l.FS.Link(old, new)
}

func (l *looking) Remove(name string) error {
	if err := l.check("remove", name, false); err != nil {
		return err
	}
	return l.FS.Remove(name)
}

func (l *looking) Chmod(name string, mode fs.FileMode) error {
	if err := l.check("chmod", name, true); err != nil {
		return err
	}
	return l.FS.Chmod(name, mode)
}

func (l *looking) SyncDir(name string) error {
	if !l.roots.above(name) {
		if err := l.check("sync", name, true); err != nil {
			return err
		}
	}
	return l.FS.SyncDir(name)
}
