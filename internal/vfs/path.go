package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxLinks is how many links Resolve follows, as Linux does.
const maxLinks = 40

// Resolve follows name while it is a symbolic link and returns the name of
// what it leads to. Only the last element is looked at; what is not there is
// returned as it is, so that a dangling link resolves to its missing target. A link
// that belongs to somebody else, in the place of the file or of its directory, is a
// [*LinkError].
func Resolve(fsys FS, name string) (string, error) {
	for range maxLinks {
		if err := ownDir(fsys, filepath.Dir(name)); err != nil {
			return "", err
		}
		to, led, err := ownLink(fsys, name)
		if !led || err != nil {
			return to, err
		}
		name = to
	}
	return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
}

// A Linkless FS has no links: nothing in it leads anywhere else.
type Linkless interface{ Linkless() }

// ownDir is a [*LinkError] for a directory that somebody else made a link, or one on the way
// to it.
func ownDir(fsys FS, dir string) error {
	if _, none := fsys.(Linkless); none {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return nil
	}
	if err := ownDir(fsys, parent); err != nil { // the directory itself last: it may become one
		return err
	}
	if _, _, err := ownLink(fsys, dir); errors.Is(err, ErrLink) {
		return err
	}
	return nil
}

// ownLink returns what the link of that name leads to, which belongs to the person or
// to root, and the name itself, and false, for what is no link, or not there. What is
// returned is what the link said whose owner was looked at.
func ownLink(fsys FS, name string) (to string, led bool, err error) {
	info, err := fsys.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, false, nil
	case err != nil:
		return "", false, err
	case info.Mode&fs.ModeSymlink == 0:
		return name, false, nil
	case info.Theirs():
		return "", false, &LinkError{Op: "open", Name: name, Link: name, Theirs: true}
	}
	if to, err = fsys.Readlink(name); err != nil {
		return "", false, err
	}
	if now, err := fsys.Lstat(name); err != nil || !now.SameFile(info) || now.ModTime != info.ModTime {
		return "", false, &LinkError{Op: "open", Name: name, Link: name}
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(name), to)
	}
	return to, true, nil
}

// PinFile is Pin for the directory of a file: of what it leads to when it is a
// person's own link, which stays one that is followed. A link of somebody else's is
// refused, in the place of the file as in that of the directory.
func PinFile(fsys FS, name string) (_ FS, release func(), err error) {
	name, err = Resolve(fsys, filepath.Clean(name))
	if err != nil {
		return fsys, func() {}, err
	}
	pinned, release := Pin(fsys, filepath.Dir(name))
	return pinned, release, nil
}

// MkdirAll creates the directory name and the parents that are missing, each
// with mode 0700. It returns the directories whose names it added to, deepest
// last: to make the new ones durable, call SyncDir on each.
func MkdirAll(fsys FS, name string) ([]string, error) {
	info, err := fsys.Stat(name)
	if err == nil {
		if !info.Mode.IsDir() {
			return nil, &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
		return nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	parent := filepath.Dir(name)
	if parent == name {
		return nil, err
	}
	changed, err := MkdirAll(fsys, parent)
	if err != nil {
		return changed, err
	}
	err = fsys.Mkdir(name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return changed, err
	}
	return append(changed, parent), nil
}

// ReadFile returns the content of a regular file, at most limit bytes of it; a
// limit of 0 or less means all.
func ReadFile(fsys FS, name string, limit int64) (_ []byte, err error) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size
	if limit > 0 {
		size = min(size, limit)
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// ReplaceFile writes a small file, durably, so that at any time the old or the new one is
// there, whole. part is the name under which it is written; what has that name goes.
func ReplaceFile(fsys FS, name, part string, data []byte) error {
	if err := fsys.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := fsys.Open(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = WriteAll(f, data)
	if err == nil {
		err = f.SyncData()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fsys.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, fsys.Remove(part))
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// WriteAll writes all of p with Write, going on after a short write, and
// returns how much was written.
func WriteAll(w io.Writer, p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := w.Write(p[done:])
		done += n
		if err != nil && !(errors.Is(err, io.ErrShortWrite) && n > 0) {
			return done, err
		}
	}
	return done, nil
}
