package vfs

import (
	"errors"
	"io/fs"
	"strings"
)

// A Surveyor is an FS that can describe the files of a directory sooner than
// ReadDir does.
type Surveyor interface {
	// Survey adds to a roll what in a directory has a name that ends with suffix
	// and does not begin with a dot, in any order, links not followed. What
	// vanished while it was reading is left out; of names that begin with a dot it
	// is told whether there are any. errors.ErrUnsupported where only
	// ReadDir can tell; the roll then has what it had before.
	Survey(dir, suffix string, to *Roll) error
}

// A Found is what a survey tells of a file.
type Found struct {
	// Dev and Ino say which file it is.
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
	// Mode holds the type; its permission bits say nothing.
	Mode fs.FileMode

	end uint32 // of its name
}

// A Roll is what surveys tell, packed: it holds no pointer for each file. One that
// is reset is filled again without new memory. The zero value is empty.
type Roll struct {
	found  []Found
	names  []byte
	hidden bool
	buf    []byte // for reading directories
}

// Reset empties the roll.
func (r *Roll) Reset() { r.found, r.names, r.hidden = r.found[:0], r.names[:0], false }

// Len returns how many files are on the roll.
func (r *Roll) Len() int { return len(r.found) }

// Hidden reports whether there were names that begin with a dot.
func (r *Roll) Hidden() bool { return r.hidden }

// At returns file n. It is valid until the roll is changed.
func (r *Roll) At(n int) *Found { return &r.found[n] }

// Name returns the name of file n, without its directory. It is valid until the
// roll is changed.
func (r *Roll) Name(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = r.found[n-1].end
	}
	return r.names[start:r.found[n].end]
}

// Add adds a file.
func (r *Roll) Add(name []byte, f Found) {
	r.names = append(r.names, name...)
	f.end = uint32(len(r.names))
	r.found = append(r.found, f)
}

// Offer adds a file that a survey tells of: its name ends with suffix and does not
// begin with a dot. Of one that begins so it is noted that there are any.
func (r *Roll) Offer(name, suffix string, f Found) {
	r.hidden = r.hidden || strings.HasPrefix(name, ".")
	if surveyed(name, suffix) {
		r.Add([]byte(name), f)
	}
}

// Clone returns a roll of the same files that takes as much memory as they need.
func (r *Roll) Clone() *Roll {
	c := &Roll{found: make([]Found, len(r.found)), names: make([]byte, len(r.names)), hidden: r.hidden}
	copy(c.found, r.found)
	copy(c.names, r.names)
	return c
}

// join adds all of another roll.
func (r *Roll) join(other *Roll) {
	before := uint32(len(r.names))
	r.names, r.hidden = append(r.names, other.names...), r.hidden || other.hidden
	for _, f := range other.found {
		f.end += before
		r.found = append(r.found, f)
	}
}

// Survey does what a Surveyor does, with any file system.
func Survey(fsys FS, dir, suffix string, to *Roll) error {
	if err := ownDir(fsys, dir); err != nil {
		return err
	}
	if s, ok := fsys.(Surveyor); ok {
		err := s.Survey(dir, suffix, to)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	list, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for i := range list {
		info := &list[i]
		to.Offer(info.Name, suffix, Found{
			Dev: info.Dev, Ino: info.Ino, Size: info.Size, ModTime: info.ModTime, Mode: info.Mode.Type(),
		})
	}
	return nil
}

// surveyed reports whether a survey tells of a name.
func surveyed(name, suffix string) bool {
	return strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".")
}
