// Package gitroot tells which git repository a directory belongs to, wherever
// it was moved or cloned to: by its first commit.
//
// It reads the repository's files and never runs git: looking at a directory
// must start no program that its settings name. Branches that are loose or
// packed, linked worktrees, loose and packed objects with deltas, and alternates
// are understood; reftables are not. What cannot be read is no repository.
package gitroot

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxCommits is how long a history may be to be followed: about a second.
const maxCommits = 20_000

// A Repo is a repository as seen from one working tree.
type Repo struct {
	// Top is the top directory of the working tree.
	Top string

	fs     vfs.FS
	own    string // the directory of this working tree: HEAD
	common string // that of the repository: branches, objects
}

// Find returns the repository in whose working tree dir lies, and false when it
// lies in none. A directory or a repository that belongs to somebody else ends
// the search, as it does for git.
func Find(fsys vfs.FS, dir string) (*Repo, bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if info, err := fsys.Stat(at); err == nil && info.Theirs() {
			return nil, false
		}
		if r, ok := open(fsys, at); ok {
			return r, true
		}
		if at == filepath.Dir(at) {
			return nil, false
		}
	}
}

// open returns the repository whose working tree begins at top.
func open(fsys vfs.FS, top string) (*Repo, bool) {
	own := filepath.Join(top, ".git")
	info, err := fsys.Stat(own)
	if err != nil || info.Theirs() {
		return nil, false
	}
	r := &Repo{Top: top, fs: fsys, own: own}
	if !info.Mode.IsDir() {
		to, ok := strings.CutPrefix(r.line(own), "gitdir: ")
		if !ok {
			return nil, false
		}
		r.own = join(top, to)
	}
	r.common = r.own
	if to := r.line(filepath.Join(r.own, "commondir")); to != "" {
		r.common = join(r.own, to)
	}
	return r, r.line(filepath.Join(r.own, "HEAD")) != ""
}

// join is path as seen from dir.
func join(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// First returns the id of the first commit: where the first parents of the
// commit that is checked out end. It is false when there is none yet, or when
// the way there cannot be followed (a shallow clone, a very long history).
func (r *Repo) First(ctx context.Context) (string, bool) {
	id, ok := r.head()
	if !ok {
		return "", false
	}
	store := r.objects()
	defer store.close()
	for range maxCommits {
		if ctx.Err() != nil {
			return "", false
		}
		text, ok := store.commit(id)
		if !ok {
			return "", false
		}
		parent, ok := parent(text)
		if !ok {
			return id, true
		}
		id = parent
	}
	return "", false
}

// Worktrees returns the top directories of the linked working trees that the
// repository knows of, those that are not there any more included.
func (r *Repo) Worktrees() []string {
	dir := filepath.Join(r.common, "worktrees")
	names, err := r.fs.Names(dir)
	if err != nil {
		return nil
	}
	var all []string
	for _, name := range names {
		if to := r.line(filepath.Join(dir, name, "gitdir")); to != "" {
			all = append(all, filepath.Dir(join(filepath.Join(dir, name), to)))
		}
	}
	return all
}

// head returns the id of the commit that is checked out.
func (r *Repo) head() (string, bool) {
	at := r.line(filepath.Join(r.own, "HEAD"))
	for range 5 { // branches that stand for others
		ref, symbolic := strings.CutPrefix(at, "ref: ")
		if !symbolic {
			return at, isID(at)
		}
		if !filepath.IsLocal(ref) {
			return "", false
		}
		if at = r.line(filepath.Join(r.own, ref)); at == "" {
			at = r.line(filepath.Join(r.common, ref))
		}
		if at == "" {
			at = r.packed(ref)
		}
	}
	return "", false
}

// packed returns the id of a branch that is packed with others.
func (r *Repo) packed(ref string) string {
	for row := range strings.Lines(r.text(filepath.Join(r.common, "packed-refs"), 16<<20)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(row), " "); ok && name == ref {
			return id
		}
	}
	return ""
}

// parent returns the first parent that a commit names.
func parent(commit []byte) (string, bool) {
	for row := range bytes.Lines(commit) {
		word, id, _ := strings.Cut(strings.TrimSpace(string(row)), " ")
		switch {
		case word == "parent" && isID(id):
			return id, true
		case word != "tree" && word != "parent":
			return "", false
		}
	}
	return "", false
}

// isID reports whether s is the id of an object: 40 or 64 hex digits.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// line returns the first line of a small file, "" when it cannot be read.
func (r *Repo) line(name string) string {
	line, _, _ := strings.Cut(r.text(name, 4096), "\n")
	return strings.TrimSpace(line)
}

// text returns what is in a file, "" when that cannot be read or is longer than
// most.
func (r *Repo) text(name string, most int64) string {
	f, err := r.fs.Open(name, os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil || info.Size > most {
		return ""
	}
	buf := make([]byte, info.Size)
	n, _ := f.ReadAt(buf, 0) // what could be read counts
	return string(buf[:n])
}
