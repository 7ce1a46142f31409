package blob

import (
	"context"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// DirOptions says how a directory of blobs is kept.
type DirOptions struct {
	// Typed makes a second name HASH.EXT for what is put with an extension, as
	// omp does (18.2.3): a hard link, or a copy where linking fails. Reading
	// never uses it.
	Typed bool

	// fs is the file system; nil means that of the machine.
	fs vfs.FS
}

var _ = vfs.Taken(func(o *DirOptions) *vfs.FS { return &o.fs }, nil)

// Dir keeps blobs as files in one flat directory, each named by the 64 digits
// of its hash: the layout that xcsh and omp share. Files have mode 0600, the
// directory, made at the first Put, 0700. It is safe for concurrent use, by
// other processes too.
type Dir struct {
	path string
	opt  DirOptions
}

var _ Store = (*Dir)(nil)

// OpenDir returns the store in a directory, which need not exist. It looks at
// nothing yet.
func OpenDir(path string, opt DirOptions) *Dir {
	if opt.fs == nil {
		opt.fs = vfs.OS()
	}
	return &Dir{path: path, opt: opt}
}

// Path returns the directory.
func (d *Dir) Path() string { return d.path }

// Read returns the bytes of ref after checking them.
func (d *Dir) Read(ctx context.Context, ref Ref) ([]byte, error) { return d.read(ctx, ref) }

// Put writes data to a temporary file, syncs it and renames it to its hash.
func (d *Dir) Put(ctx context.Context, data []byte, ext string) (Ref, error) {
	return d.put(ctx, data, ext)
}
