package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// chunk is how much is copied at once.
const chunk = 64 << 10

// tempMark is in the names of copies that are not whole yet.
const tempMark = ".cambium-tmp-"

// maxChases is how often a copy is brought up to date with a file that grows.
const maxChases = 100

// elsewhere reports whether a rename failed because the new name is on another
// file system.
func elsewhere(err error) bool { return errors.Is(err, syscall.EXDEV) }

// exists reports whether a name is taken. What cannot be known is taken.
func exists(fsys vfs.FS, path string) bool {
	_, err := fsys.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// exists is that of where sessions are.
func (j *Journal) exists(path string) bool { return exists(j.fs, path) }

// A site is a name in a file system.
type site struct {
	fs   vfs.FS
	path string
}

// copyFile makes to a durable copy of from, with its mode and owner: whole, or
// not there. It fails with fs.ErrExist when to is taken. Nothing is said of
// what is appended to from afterwards.
func copyFile(ctx context.Context, from, to site) (err error) {
	f, err := from.fs.Open(from.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	part, _, err := copyPart(ctx, f, to)
	if err != nil {
		return err
	}
	if err := to.fs.RenameNew(part, to.path); err != nil {
		return errors.Join(err, to.fs.Remove(part))
	}
	return to.fs.SyncDir(filepath.Dir(to.path))
}

// copyPart copies an open file into a new one beside to, makes that durable and
// compares both. It returns its name and size.
func copyPart(ctx context.Context, f vfs.File, to site) (string, int64, error) {
	dir, base := filepath.Split(to.path)
	part := ""
	var w vfs.File
	for n := 1; ; n++ {
		var err error
		part = filepath.Join(dir, fmt.Sprintf(".%s%s%d-%d", base, tempMark, os.Getpid(), n))
		w, err = to.fs.Open(part, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue // an interrupted copy, or another one
		}
		if err != nil {
			return "", 0, err
		}
		break
	}
	size, err := fill(ctx, f, w)
	if err := errors.Join(err, w.Close()); err != nil {
		return "", 0, errors.Join(err, to.fs.Remove(part))
	}
	return part, size, nil
}

// fill copies all of f to w, which is empty, gives it mode and owner, syncs and
// compares.
func fill(ctx context.Context, f, w vfs.File) (int64, error) {
	size := int64(0)
	for range maxChases {
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		if size, err = stretch(ctx, f, w, size); err != nil {
			return 0, err
		}
		if err := dress(w, info); err != nil {
			return 0, err
		}
		if err := w.Sync(); err != nil {
			return 0, err
		}
		if err := same(ctx, f, w, size); err != nil {
			return 0, err
		}
		if info, err = f.Stat(); err != nil || info.Size <= size {
			return size, err
		}
	}
	return 0, errors.New("others keep writing to it")
}

// stretch appends to w what f holds from an offset on, and returns where it
// ended.
func stretch(ctx context.Context, f, w vfs.File, at int64) (int64, error) {
	buf := make([]byte, chunk)
	for {
		if err := ctx.Err(); err != nil {
			return at, err
		}
		n, err := f.ReadAt(buf, at)
		if _, err := vfs.WriteAll(w, buf[:n]); err != nil {
			return at, err
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
	}
}

// dress gives a copy the owner and then the mode of its original: at no time
// may somebody read it who could not read that.
func dress(w vfs.File, like vfs.Info) error {
	info, err := w.Stat()
	if err != nil {
		return err
	}
	if info.UID != like.UID || info.GID != like.GID {
		if err := w.Chown(like.UID, like.GID); err != nil {
			return err
		}
	}
	return w.Chmod(like.Mode.Perm())
}

// same compares the first size bytes of two files.
func same(ctx context.Context, f, w vfs.File, size int64) error {
	a, b := make([]byte, min(chunk, size)), make([]byte, min(chunk, size))
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(chunk, size-at)
		if _, err := f.ReadAt(a[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := w.ReadAt(b[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !bytes.Equal(a[:n], b[:n]) {
			return fmt.Errorf("the copy of %q differs in the %d bytes from %d on", f.Name(), n, at)
		}
		at += n
	}
	return nil
}

// across moves a file to another file system: copied under its lock, synced,
// compared, and only then unlinked. What a program that takes no lock appends
// until the very end is brought along.
func (j *Journal) across(ctx context.Context, from, to string) error {
	f, err := j.fs.Open(from, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written; the lock goes with it
	if err := f.Lock(ctx); err != nil {
		return storage.AsLocked(err)
	}
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := j.fs.Lstat(from); err != nil || !named.SameFile(open) {
		return errors.Join(err, &storage.Changed{Kind: storage.Replaced})
	}
	part, size, err := copyPart(ctx, f, site{j.fs, to})
	if err != nil {
		return err
	}
	if err := j.fs.RenameNew(part, to); err != nil {
		return errors.Join(err, j.fs.Remove(part))
	}
	if err := j.fs.SyncDir(filepath.Dir(to)); err != nil {
		return errors.Join(err, j.fs.Remove(to)) // the original is there
	}
	if err := j.fs.Remove(from); err != nil && j.exists(from) {
		return errors.Join(err, j.fs.Remove(to))
	}
	if err := j.late(ctx, f, to, size); err != nil {
		return err
	}
	return j.fs.SyncDir(filepath.Dir(from))
}

// late appends to a copy what came to the original, now without a name.
func (j *Journal) late(ctx context.Context, f vfs.File, to string, size int64) (err error) {
	info, err := f.Stat()
	if err != nil || info.Size <= size {
		return err
	}
	w, err := j.fs.Open(to, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := stretch(context.WithoutCancel(ctx), f, w, size); err != nil {
		return err
	}
	return w.SyncData()
}

// acrossTree moves a directory to another file system, as across does a file;
// files that are there with the same bytes count as moved. One that holds anything but files and directories stays.
func (j *Journal) acrossTree(ctx context.Context, from, to string) error {
	dirs, files, err := j.walk(from, "")
	if err != nil {
		return err
	}
	taken, err := j.there(to)
	if err != nil {
		return err
	}
	undo := func(err error) error {
		if taken {
			return err // what was copied counts as moved at the next try
		}
		return errors.Join(err, j.removeTree(to))
	}
	for _, dir := range dirs {
		if err := makeDir(j.fs, filepath.Join(to, dir)); err != nil {
			return undo(err)
		}
	}
	for _, file := range files {
		a, b := filepath.Join(from, file), filepath.Join(to, file)
		if err := copyFile(ctx, site{j.fs, a}, site{j.fs, b}); errors.Is(err, fs.ErrExist) {
			if twin, err := j.twins(ctx, a, b); err != nil || !twin {
				return undo(errors.Join(err, fmt.Errorf("%q: %w", b, fs.ErrExist)))
			}
		} else if err != nil {
			return undo(err)
		}
	}
	// From here on both are whole; what cannot be removed stays twice.
	for _, file := range files {
		if err := j.fs.Remove(filepath.Join(from, file)); err != nil {
			j.opt.Report(from, err)
			return nil
		}
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := j.removeDir(filepath.Join(from, dirs[i])); err != nil {
			j.opt.Report(from, err)
			return nil
		}
	}
	return j.fs.SyncDir(filepath.Dir(from))
}

// walk lists a directory's directories, itself first, and files, relative to
// root; parents stand before what is in them.
func (j *Journal) walk(root, dir string) (dirs, files []string, err error) {
	infos, err := j.fs.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return nil, nil, err
	}
	dirs = []string{dir}
	for _, info := range infos {
		path := filepath.Join(dir, info.Name)
		switch {
		case info.Mode.IsDir():
			d, f, err := j.walk(root, path)
			if err != nil {
				return nil, nil, err
			}
			dirs, files = append(dirs, d...), append(files, f...)
		case info.Regular() && strings.HasPrefix(info.Name, ".") && strings.Contains(info.Name, tempMark):
			// A part of an interrupted copy.
		case info.Regular():
			files = append(files, path)
		default:
			return nil, nil, &fs.PathError{Op: "move", Path: filepath.Join(root, path), Err: vfs.ErrNotRegular}
		}
	}
	return dirs, files, nil
}

// removeTree deletes a directory and what is in it, if it is there.
func (j *Journal) removeTree(dir string) error {
	infos, err := j.fs.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, info := range infos {
		path := filepath.Join(dir, info.Name)
		switch {
		case j.opt.Shared == nil && info.Mode.IsDir() && vfs.Mounted(j.fs, path):
			errs = append(errs, fmt.Errorf("%q is a mount: %w", path, ErrNotOurs))
		case info.Mode.IsDir():
			errs = append(errs, j.removeTree(path))
		default:
			errs = append(errs, j.fs.Remove(path))
		}
	}
	return errors.Join(append(errs, j.removeDir(dir))...)
}

// removeDir removes an empty directory, which a store loses with the last that was
// in it.
func (j *Journal) removeDir(dir string) error {
	err := j.fs.Remove(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// fingerprint reads a file whole.
func (j *Journal) fingerprint(ctx context.Context, path string) (fingerprint, error) {
	return fingerprintAt(ctx, j.fs, path, -1)
}

// fingerprintAt is that of the first size bytes of a file, of all for -1.
func fingerprintAt(ctx context.Context, fsys vfs.FS, path string, size int64) (fingerprint, error) {
	path, err := vfs.Resolve(fsys, path)
	if err != nil {
		return fingerprint{}, err
	}
	f, err := fsys.Open(path, os.O_RDONLY)
	if err != nil {
		return fingerprint{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return fingerprint{}, err
	}
	if size < 0 || size > info.Size {
		size = info.Size
	}
	return printOf(ctx, f, size)
}

// printOf sums the first size bytes.
func printOf(ctx context.Context, r io.ReaderAt, size int64) (fingerprint, error) {
	sum := sha256.New()
	buf := make([]byte, min(chunk, size))
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return fingerprint{}, err
		}
		n, err := r.ReadAt(buf[:min(chunk, size-at)], at)
		if n == 0 && err != nil {
			return fingerprint{}, err
		}
		_, _ = sum.Write(buf[:n]) // never fails
		at += int64(n)
	}
	return fingerprint{Size: size, Sum: hex.EncodeToString(sum.Sum(nil))}, nil
}
