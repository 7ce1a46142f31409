package vfs

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
)

// How a file is read whose content is known by its checksum, in bytes.
const (
	// MaxChecked is the largest such file: a larger one is not kept.
	MaxChecked = 1 << 30
	// trusted is how large a file may be to be taken into memory before its checksum is
	// known. A file may say any size and take no room on the disk.
	trusted = 64 << 20
)

// ReadChecked returns the content of a regular file, and true if its SHA-256 is sum. Of a
// file that has another one the content may be nil: what is large is not kept in memory
// until it is known to be the right one.
func ReadChecked(fsys FS, name string, sum [sha256.Size]byte) (_ []byte, ok bool, err error) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || info.Size > MaxChecked {
		return nil, false, err
	}
	if info.Size > trusted {
		hash := sha256.New()
		if _, err := io.Copy(hash, io.NewSectionReader(f, 0, info.Size)); err != nil || [sha256.Size]byte(hash.Sum(nil)) != sum {
			return nil, false, err
		}
	}
	data := make([]byte, info.Size)
	n, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	data = data[:n]
	return data, sha256.Sum256(data) == sum, nil
}
