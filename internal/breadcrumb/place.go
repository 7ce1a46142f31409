package breadcrumb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Place is one note about a working directory: what it was when a session was
// last used in it.
type Place struct {
	// CWD is the working directory, absolute.
	CWD string
	// Dir is which directory it was.
	Dir Identity
	// Commit is the first commit of the repository it was in, "" for none;
	// Inside is where in it, "." for its top.
	Commit, Inside string
}

// ReadPlace returns the note about the working directory cwd in dir, and false
// when there is none that can be used.
func ReadPlace(fsys vfs.FS, dir, cwd string) (Place, bool) {
	text, ok := read(fsys, filepath.Join(dir, placeName(cwd)))
	if !ok {
		return Place{}, false
	}
	rows := strings.Split(text, "\n")
	p := Place{CWD: rows[0]}
	for _, row := range rows[1:] {
		word, rest, _ := strings.Cut(row, " ")
		first, second, two := strings.Cut(rest, " ")
		switch {
		case !two:
		case word == statWord:
			p.Dir, _ = parseIdentity(first, second)
		case word == gitWord:
			p.Commit, p.Inside = first, second
		}
	}
	return p, p.CWD == cwd && filepath.IsLocal(p.inside())
}

// gitWord begins the line about the repository.
const gitWord = "git"

func (p Place) inside() string {
	if p.Inside == "" {
		return "."
	}
	return p.Inside
}

// WritePlace keeps the note in dir, which is made if it is not there.
func WritePlace(dir string, p Place) error {
	text := fmt.Sprintf("%s\n%s %d %d\n", p.CWD, statWord, p.Dir.Dev, p.Dir.Ino)
	if p.Commit != "" {
		text += fmt.Sprintf("%s %s %s\n", gitWord, p.Commit, p.inside())
	}
	if !filepath.IsAbs(p.CWD) || strings.ContainsAny(p.CWD+p.Inside, "\n\r") {
		return fmt.Errorf("write note about %q: it cannot be noted", p.CWD)
	}
	return put(dir, placeName(p.CWD), text)
}

// placeName is what the note about a directory is called.
func placeName(cwd string) string { return hash(cwd)[:16] }

// hash returns the SHA-256 of a text in hex.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
