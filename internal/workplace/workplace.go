// Package workplace says whether a directory that a session names may be worked in.
//
// The header of a session is the word of whoever wrote the file. A place that it
// names is never worked in for that: a person agrees to it, having seen it whole,
// and some places are not even asked about. The package looks and judges; who asks,
// and who works, is elsewhere.
package workplace

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/shellword"
)

// A Place is a directory that a session names, looked at.
type Place struct {
	// Named is the directory as the session has it.
	Named string
	// Dir is the directory itself, absolute and without links: what is to be
	// shown, and what is to be worked in. "" where Unfit says why.
	Dir string
	// Unfit says why nothing is to be worked on there, as the end of a sentence:
	// "it is a home directory"; "" for a place that may be asked about.
	Unfit string
	// Gone says that the place is unfit because nothing is there.
	Gone bool
}

// A Machine is what is asked of the disk. All are needed.
type Machine struct {
	// Home is the person's home directory.
	Home string
	// Real returns a path without links, false where there is nothing.
	Real func(path string) (string, bool)
	// IsDir reports whether a directory is at a path, or something that may not be
	// looked at.
	IsDir func(path string) bool
}

// Look looks at the directory that a session names. Unfit are those that are not
// absolute, that are not written plainly (with "..", say, or with characters that
// cannot be seen), that are not there, and the wide ones, below which other things
// than projects lie: the root, a home directory, what has homes in it.
func Look(named string, m Machine) Place {
	p := Place{Named: named}
	if p.Unfit = odd(named); p.Unfit != "" {
		return p
	}
	dir, ok := m.Real(named)
	switch {
	case !ok && m.IsDir(named):
		p.Unfit = "it cannot be looked into"
	case !ok || !m.IsDir(dir):
		p.Unfit, p.Gone = "there is no such directory", true
	case !shellword.Visible(dir):
		p.Unfit = "it leads to a directory whose name cannot be shown"
	default:
		p.Unfit = wide(dir, m)
	}
	if p.Unfit == "" {
		p.Dir = dir
	}
	return p
}

// odd says what is wrong with the name of a place, "" for nothing.
func odd(named string) string {
	switch {
	case named == "":
		return "it is empty"
	case !shellword.Visible(named):
		return "it has characters that cannot be seen"
	case !filepath.IsAbs(named):
		return "it is not absolute"
	case filepath.Clean(named) != named && filepath.Clean(named)+string(filepath.Separator) != named:
		return "it is not written plainly"
	}
	return ""
}

// wide says why a directory is too wide to work in, "" if it is not.
func wide(dir string, m Machine) string {
	up := filepath.Dir(dir)
	home := m.Home
	if real, ok := m.Real(home); ok {
		home = real
	}
	switch {
	case up == dir:
		return "it is the root of the file system"
	case dir == home, dir == filepath.Clean(m.Home), dir == filepath.FromSlash("/root"), ofHomes(up):
		return "it is a home directory"
	case home != "" && strings.HasPrefix(home, dir+string(filepath.Separator)), ofHomes(dir):
		return "it has home directories in it"
	}
	return ""
}

// ofHomes reports whether home directories lie in a directory, by its name: /home,
// /Users, /var/home, /export/home, C:\Users.
func ofHomes(dir string) bool {
	rest := strings.TrimPrefix(dir, filepath.VolumeName(dir))
	return slices.Contains([]string{"/home", "/Users", "/usr/home", "/var/home", "/export/home"}, filepath.ToSlash(rest))
}
