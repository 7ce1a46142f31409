package breadcrumb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Write keeps a note about the terminal id in dir, which is made if it is not
// there (0700). The note is there whole or not at all, and is never anywhere
// else: an id that leads out of dir is an error, and a link or FIFO of that name
// is replaced, not followed. A note that is so already is left alone, but its
// time becomes now: it is the last of several by that.
func Write(dir, id string, c Crumb) error {
	text := c.Text()
	if text == "" {
		return fmt.Errorf("write note %q: a path in it cannot be noted", id)
	}
	return put(dir, id, text)
}

// Register keeps the absolute path of a session file in dir under a name of its
// own, as omp does for session files that its search would not find, so that it
// does not throw their blobs away (omp 18.2.3 names them by another hash; the
// names mean nothing to it).
func Register(dir, path string) error { return put(dir, hash(path)[:7], path) }

// put gives the file id in dir a text.
func put(dir, id, text string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write note: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write note: %w", err)
	}
	err = replace(root, id, text)
	if err != nil {
		err = fmt.Errorf("write note %q: %w", id, err)
	}
	return errors.Join(err, root.Close())
}

// replace writes a file beside the one of that name and puts it in its place.
func replace(root *os.Root, id, text string) error {
	const tries = 8 // as many as may write at once, and what was left behind
	var f *os.File
	var name string
	err := fs.ErrExist
	for i := 0; errors.Is(err, fs.ErrExist) && i < tries; i++ {
		name = fmt.Sprintf(".cambium-%s-%d-%d", hash(id)[:8], os.Getpid(), i)
		f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(name, id)
	}
	if err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
