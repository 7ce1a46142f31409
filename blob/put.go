package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
)

func (d *Dir) read(ctx context.Context, ref Ref) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if ref.IsZero() {
		return nil, fmt.Errorf("read blob: %w: no reference", ErrNotExist)
	}
	data, ok, err := vfs.ReadChecked(d.opt.fs, filepath.Join(d.path, ref.Hash()), ref.sum)
	if err == nil && !ok {
		err = ErrMismatch
	}
	if err != nil {
		return nil, fmt.Errorf("read blob %q: %w", ref.Hash(), err)
	}
	return data, nil
}

func (d *Dir) put(ctx context.Context, data []byte, ext string) (Ref, error) {
	if len(data) > vfs.MaxChecked {
		return Ref{}, fmt.Errorf("put blob: %d bytes are more than the %d that could be read back", len(data), vfs.MaxChecked)
	}
	ref := RefOf(data)
	_, err := d.read(ctx, ref)
	switch {
	case err == nil:
		// It may be another program's, not synced yet; then it is that
		// program's promise.
	case ctx.Err() != nil:
		return Ref{}, ctx.Err()
	case errors.Is(err, ErrMismatch), errors.Is(err, ErrNotExist), errors.Is(err, vfs.ErrNotRegular):
		// A link or the like is replaced itself, not written through.
		if err := d.write(ref, data); err != nil {
			return Ref{}, fmt.Errorf("put blob %q: %w", ref.Hash(), err)
		}
	default:
		return Ref{}, fmt.Errorf("put blob %q: %w", ref.Hash(), err)
	}
	if d.opt.Typed && validExt(ext) {
		if err := d.link(ref, data, ext); err != nil {
			return Ref{}, fmt.Errorf("put blob %q: name it %q: %w", ref.Hash(), ext, err)
		}
	}
	return ref, nil
}

// write stores data under the hash: whole in a temporary file, synced before
// the rename so that the name never stands for less, then the directory so
// that the name lasts.
func (d *Dir) write(ref Ref, data []byte) error {
	changed, err := vfs.MkdirAll(d.opt.fs, d.path)
	if err != nil {
		return err
	}
	for _, dir := range changed {
		if err := d.opt.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	temp, err := d.temp(data)
	if err != nil {
		return err
	}
	if err := d.opt.fs.Rename(temp, filepath.Join(d.path, ref.Hash())); err != nil {
		return errors.Join(err, d.opt.fs.Remove(temp))
	}
	return d.opt.fs.SyncDir(d.path)
}

// temp writes data to a new file beside the blobs and syncs it. On an error no
// file is left.
func (d *Dir) temp(data []byte) (string, error) {
	name := filepath.Join(d.path, ".blob.cambium-tmp-"+rand.Text())
	f, err := d.opt.fs.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return "", err
	}
	_, err = vfs.WriteAll(f, data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return "", errors.Join(err, d.opt.fs.Remove(name))
	}
	return name, nil
}

// link gives the blob its second name. What has the name already is left as it
// is: it is only for looking at.
func (d *Dir) link(ref Ref, data []byte, ext string) error {
	name := filepath.Join(d.path, ref.Hash()+"."+ext)
	if _, err := d.opt.fs.Lstat(name); err == nil {
		return nil
	}
	err := d.opt.fs.Link(filepath.Join(d.path, ref.Hash()), name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	temp, err := d.temp(data)
	if err != nil {
		return err
	}
	if err := d.opt.fs.Rename(temp, name); err != nil {
		return errors.Join(err, d.opt.fs.Remove(temp))
	}
	return nil
}

// validExt reports whether ext is safe in a file name: letters and digits with
// single marks between them, 32 at most.
func validExt(ext string) bool {
	if ext == "" || len(ext) > 32 {
		return false
	}
	mark := true // a mark may not begin it
	for _, c := range []byte(ext) {
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (mark || (c != '+' && c != '-' && c != '_' && c != '.')) {
			return false
		}
		mark = !letter
	}
	return !mark
}
