package repair

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// database looks at the header of an SQLite database; nil for one that seems to
// be in order, or is not there.
func (d *Doctor) database(path string) *Report {
	r := &Report{Path: path}
	f := Finding{Kind: kindDatabase, Plan: "nothing: sessions do not need it; move it away, and its program makes a new one"}
	head, err := vfs.ReadFile(d.fs, path, 100)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(head) == 0:
		return nil // an empty file is an empty database
	case err != nil:
		f.Detail = "it cannot be read: " + cause(err)
	case len(head) < 100 || string(head[:16]) != "SQLite format 3\x00":
		f.Detail = "not an SQLite database"
	default:
		size := int(binary.BigEndian.Uint16(head[16:]))
		if size == 1 {
			size = 65536
		}
		info, err := d.fs.Stat(path)
		switch {
		case size < 512 || size&(size-1) != 0:
			f.Detail = "its header names no page size"
		case err == nil && info.Size < int64(size):
			f.Detail = "it ends within its first page"
		default:
			return nil
		}
	}
	r.whole(f)
	return r
}
