// Package breadcrumb reads the notes that programs keep about each terminal:
// which session was last used in it, and where.
//
// A note is a small file named after the terminal (package layout says how and
// where): the working directory and the path of the session, a line each, and
// for omp further lines (dialects of xcsh 17.4.4, omp 18.2.3; published P1).
// What cannot be read is no note: notes are a convenience, never an error.
package breadcrumb

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxSize is how much of a note is read, in bytes: two paths and a little more.
const maxSize = 64 << 10

// A Crumb is one note.
type Crumb struct {
	// CWD is the working directory, Path the session's file, both absolute.
	CWD, Path string
	// Fresh says that the session had no file yet (omp).
	Fresh bool
}

// Read returns the note at name, and false when there is none that can be used.
func Read(fsys vfs.FS, name string) (Crumb, bool) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return Crumb{}, false
	}
	defer func() { _ = f.Close() }() // only read
	buf := make([]byte, maxSize)
	n, _ := f.ReadAt(buf, 0) // what could be read counts
	return Parse(string(buf[:n]))
}

// Parse reads the text of a note.
func Parse(text string) (Crumb, bool) {
	rows := strings.Split(strings.TrimSpace(text), "\n")
	if len(rows) < 2 {
		return Crumb{}, false
	}
	c := Crumb{CWD: strings.TrimSpace(rows[0]), Path: strings.TrimSpace(rows[1])}
	for _, row := range rows[2:] {
		c.Fresh = c.Fresh || strings.TrimSpace(row) == "fresh"
	}
	return c, filepath.IsAbs(c.CWD) && filepath.IsAbs(c.Path)
}

// Of reports whether the note is about the working directory cwd. real resolves
// the links in a path, as far as it can; nil: no path has links.
func (c Crumb) Of(cwd string, real func(path string) (string, bool)) bool {
	resolve := func(path string) string {
		if real != nil {
			if resolved, ok := real(path); ok {
				path = resolved
			}
		}
		return filepath.Clean(path)
	}
	return resolve(c.CWD) == resolve(cwd)
}
