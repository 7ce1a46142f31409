package session

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// copying copies artifacts.
type copying struct {
	fsys vfs.FS
	link func(path string) // is told of the links that were left out
	made []string          // what it made, parents first
}

// undo takes away what was made, and nothing else.
func (c *copying) undo() error {
	var errs []error
	for i := len(c.made) - 1; i >= 0; i-- {
		errs = append(errs, vfs.RemoveEmpty(c.fsys, c.made[i]))
	}
	return errors.Join(errs...)
}

// passed reports whether an error is of a link among what is copied, and says so.
func (c *copying) passed(err error, from string) bool {
	var met *vfs.LinkError
	if !errors.As(err, &met) || met.Link != from {
		return false
	}
	c.link(met.Link)
	return true
}

// tree copies the regular files of a directory, and of those in it, if it is
// there.
func (c *copying) tree(from, to string) error {
	infos, err := c.fsys.ReadDir(from)
	// What lies below a file, as a session in a database does, has none.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || c.passed(err, from) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.dir(to); err != nil {
		return err
	}
	for _, info := range infos {
		a, b := filepath.Join(from, info.Name), filepath.Join(to, info.Name)
		switch {
		case info.Mode.IsDir():
			err = c.tree(a, b)
		case info.Regular():
			err = c.file(a, b)
		case info.Mode&os.ModeSymlink != 0:
			c.link(a)
		}
		if err != nil {
			return err
		}
	}
	return c.fsys.SyncDir(to)
}

// dir makes a directory and those above it, durably.
func (c *copying) dir(to string) error {
	_, err := c.fsys.Lstat(to)
	if errors.Is(err, os.ErrNotExist) {
		c.made = append(c.made, to)
	}
	return vfs.MakeDir(c.fsys, to)
}

func (c *copying) file(from, to string) (err error) {
	r, err := c.fsys.Open(from, os.O_RDONLY)
	if c.passed(err, from) {
		return nil // it became one after the look
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := c.fsys.Open(to, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	c.made = append(c.made, to)
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := io.Copy(w, io.NewSectionReader(r, 0, info.Size)); err != nil {
		return err
	}
	return w.SyncData()
}
