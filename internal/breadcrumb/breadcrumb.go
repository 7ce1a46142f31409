// Package breadcrumb keeps the notes about each terminal: which session was last
// used in it, and where; and those about each working directory: by what it is
// found again when it was moved.
//
// A note about a terminal is a small file named after it (package places says
// how and where): the working directory and the path of the session, a line
// each, and for omp further lines (dialects of xcsh 17.4.4, omp 18.2.3;
// published P1). A note about a directory ([Place]) is Cambium's own. What cannot
// be read is no note: notes are a convenience, never an error.
package breadcrumb

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxSize is how much of a note is read, in bytes: two paths and a little more.
const maxSize = 64 << 10

// A Crumb is one note about a terminal.
type Crumb struct {
	// CWD is the working directory, Path the session's file, both absolute.
	CWD, Path string
	// Fresh says that the session had no file yet (omp).
	Fresh bool
	// Dir is which directory CWD was when the note was written; the zero value
	// when that is not known (omp).
	Dir Identity
}

// An Identity is what a file system calls a directory, whatever its name. The
// zero value is none.
type Identity struct{ Dev, Ino uint64 }

// Identify returns what the directory at a path is, following links; false when
// there is none.
func Identify(fsys vfs.FS, dir string) (Identity, bool) {
	info, err := fsys.Stat(dir)
	if err != nil || !info.Mode.IsDir() {
		return Identity{}, false
	}
	return Identity{info.Dev, info.Ino}, true
}

// Read returns the note at name, and false when there is none that can be used.
func Read(fsys vfs.FS, name string) (Crumb, bool) {
	text, ok := read(fsys, name)
	if !ok {
		return Crumb{}, false
	}
	return Parse(text)
}

func read(fsys vfs.FS, name string) (string, bool) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || info.Stranger() != "" {
		return "", false // somebody else could have written it
	}
	buf := make([]byte, maxSize)
	n, _ := f.ReadAt(buf, 0) // what could be read counts
	return string(buf[:n]), true
}

// statWord begins omp's line about the directory.
const statWord = "cwdstat"

// Parse reads the text of a note. Lines that it does not know are passed over.
func Parse(text string) (Crumb, bool) {
	rows := strings.Split(strings.TrimSpace(text), "\n")
	if len(rows) < 2 {
		return Crumb{}, false
	}
	c := Crumb{CWD: strings.TrimSpace(rows[0]), Path: strings.TrimSpace(rows[1])}
	for _, row := range rows[2:] {
		switch words := strings.Fields(row); {
		case len(words) == 1 && words[0] == "fresh":
			c.Fresh = true
		case len(words) == 3 && words[0] == statWord:
			c.Dir, _ = parseIdentity(words[1], words[2])
		}
	}
	return c, filepath.IsAbs(c.CWD) && filepath.IsAbs(c.Path)
}

func parseIdentity(dev, ino string) (Identity, bool) {
	d, errD := strconv.ParseUint(dev, 10, 64)
	i, errI := strconv.ParseUint(ino, 10, 64)
	if errD != nil || errI != nil {
		return Identity{}, false
	}
	return Identity{d, i}, true
}

// Text returns the note as it is written: the published two lines, and one for
// each of omp's further facts that is set. It is "" for what a reader could not
// take apart again: a path that is not absolute, or with a line break in it.
func (c Crumb) Text() string {
	for _, path := range []string{c.CWD, c.Path} {
		if !filepath.IsAbs(path) || strings.ContainsAny(path, "\n\r") || path != strings.TrimSpace(path) {
			return ""
		}
	}
	text := c.CWD + "\n" + c.Path + "\n"
	if c.Fresh {
		text += "fresh\n"
	}
	if c.Dir != (Identity{}) {
		text += fmt.Sprintf("%s %d %d\n", statWord, c.Dir.Dev, c.Dir.Ino)
	}
	return text
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
