package tool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/ignore"
)

// A walk goes through a directory in the order of names. It follows no link,
// leaves out .git and what .gitignore files ignore, and passes over what cannot
// be read.
type walk struct {
	root *os.Root
	// from is the directory seen from the top of the rules.
	from string
	// visit is told of every file and directory, by its path seen from the
	// directory, with slashes.
	visit func(path string, e fs.DirEntry) error
	// unread counts directories that cannot be read.
	unread int
	// deep counts directories that are too deep to be gone into.
	deep int
}

// mostLevels is how deep a walk goes. Each directory is opened from the one the walk
// began at, so that one more costs as much as it is deep.
const mostLevels = 128

// errEnough ends a walk.
var errEnough = errors.New("enough")

// walkPlace goes through the directory at a place.
func walkPlace(ctx context.Context, p *place, env Env, w *walk) error {
	root, err := p.root.OpenRoot(p.rel)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing was written
	dir, err := filepath.EvalSymlinks(env.Dir)
	if err != nil {
		return err
	}
	w.root = root
	var rules *ignore.Rules
	if !p.kept {
		rules, w.from = ignore.Above(p.real, dir)
	}
	entries, err := readDir(ctx, root, ".")
	if err == nil {
		err = w.through(ctx, "", 1, entries, rules)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// through goes through the entries of a directory, which are so many levels down.
func (w *walk) through(ctx context.Context, dir string, level int, entries []fs.DirEntry, rules *ignore.Rules) error {
	seen := slashed(w.from, dir)
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			rules = rules.With(w.root, dir, seen)
		}
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Name() == ".git" || rules.Ignores(slashed(seen, e.Name()), e.IsDir()) {
			continue
		}
		path := slashed(dir, e.Name())
		if err := w.visit(path, e); err != nil {
			return err
		}
		if !e.IsDir() {
			continue
		}
		if level == mostLevels {
			w.deep++
			continue
		}
		below, err := readDir(ctx, w.root, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.unread++
			continue
		}
		if err := w.through(ctx, path, level+1, below, rules); err != nil {
			return err
		}
	}
	return nil
}

// slashed is a name in a directory, "" for none.
func slashed(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}
