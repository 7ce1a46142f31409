package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// open opens the place for reading, if it is a regular file. It does not wait
// for anything: not for a writer of a named pipe, not for a device.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	return openRegular(p.root, p.rel, p.name, p.outside)
}

// openRegular opens a regular file of a disk; with all set, also one that the
// system makes up.
func openRegular(root *os.Root, rel, name string, all bool) (*os.File, fs.FileInfo, error) {
	// Opening some devices does something, so look first; what is opened is
	// looked at again, since it may be another by now.
	info, err := root.Lstat(rel)
	if err == nil {
		err = regular(info, name)
	} else {
		err = fmt.Errorf("%q cannot be read: %w", name, because(err))
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%q cannot be read: %w", name, because(err))
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info, name)
	}
	if err == nil && !all && virtual(f) {
		err = fmt.Errorf("refused: %q is no file of a disk: the system makes up what is in it; look at it with bash", name)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

// closing returns what closes a file that was read. It is closed, too, when ctx
// ends: some files of /proc wait for news, and that ends the wait.
func closing(ctx context.Context, f *os.File) (done func()) {
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	return func() {
		stop()
		_ = f.Close() // nothing was written
	}
}

// regular says what a file is when it is not one with content of its own.
func regular(info fs.FileInfo, name string) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%q is a directory; see it with ls", name)
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link"
	default:
		what = "no regular file"
	}
	return fmt.Errorf("%q is %s, which has no content to read or change", name, what)
}

// whole reads a file that is to be changed.
func (p *place) whole() ([]byte, fs.FileInfo, error) {
	f, info, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, MaxEdit+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%q cannot be read: %w", p.name, because(err))
	case len(data) > MaxEdit:
		return nil, nil, fmt.Errorf("%q is too large: %s, and %s is the most", p.name, size(info.Size()), size(MaxEdit))
	}
	return data, info, nil
}

// save puts a file at the place at once: whoever reads it sees all of the old
// one or all of the new. was is the file that it replaces, nil for none; its
// mode is kept, and its owner where the system allows. A file that has other
// names by hard links keeps them, with its old content.
func (p *place) save(data []byte, was fs.FileInfo) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%q cannot be written: %w", p.name, because(err))
		}
	}()
	mode := fs.FileMode(0o600)
	if was == nil {
		mode = 0o666
	} else if was.Mode().Perm()&0o222 == 0 {
		return errors.New("it is read-only")
	}
	rel, base := filepath.Split(p.rel)
	dir, err := descend(p.root, rel, was == nil)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // what was written is closed
	// A name may have 255 bytes.
	temp := "." + head(base, 200) + "." + rand.Text()[:10] + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fillFile(f, data, was), f.Close())
	if err == nil {
		err = unchanged(dir, base, was)
	}
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return nil
}

// fillFile writes what replaces the file was.
func fillFile(f *os.File, data []byte, was fs.FileInfo) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if was != nil {
		kept := fs.ModePerm | fs.ModeSticky
		// Only root may give files away. For others it becomes theirs, and must
		// not run as them for everybody.
		if keepOwner(f, was) {
			kept |= fs.ModeSetuid | fs.ModeSetgid
		}
		if err := f.Chmod(was.Mode() & kept); err != nil {
			return err
		}
	}
	// The name must not come to stand for content that a crash then takes.
	return f.Sync()
}

// unchanged looks whether the file in a directory is still the one that was looked
// at.
func unchanged(dir *os.Root, base string, was fs.FileInfo) error {
	is, err := dir.Lstat(base)
	switch {
	case was == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case was == nil && err == nil:
		return errors.New("somebody made it just now")
	case err != nil:
		return err
	case !same(is, was):
		return errors.New("somebody else changed it just now; read it again")
	}
	return nil
}
