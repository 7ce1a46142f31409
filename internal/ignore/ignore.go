package ignore

import (
	"bufio"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/project"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A rule is a line of a .gitignore, as gitignore(5) of git 2.39 defines it.
type rule struct {
	Glob
	// keeps says that what matches is not ignored after all ("!").
	keeps bool
	// dirs says that only directories match.
	dirs bool
	// anchored says that the path from the rule's directory must match, and
	// not the name alone.
	anchored bool
}

// newRule reads a line; false for one that says nothing, and for a pattern that
// matches nothing because it is not valid.
func newRule(line string) (r rule, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.keeps, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirs, line = true, line[:len(line)-1]
	}
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	var err error
	r.Glob, err = NewGlob(line, false)
	return r, err == nil
}

// trimBlanks takes away the blanks at the end but for one after a backslash.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") {
		before := line[:len(line)-1]
		slashes := len(before) - len(strings.TrimRight(before, `\`))
		if slashes%2 == 1 {
			return line
		}
		line = before
	}
	return line
}

// Rules are what one directory and those above it have ignored. They never change;
// nil Rules ignore nothing.
type Rules struct {
	above *Rules
	// dir is the directory, seen from the top, "" for the top.
	dir   string
	rules []rule
}

// With returns Rules that add those of the .gitignore of a directory, which is rel
// in a root, and dir seen from the top, with slashes, "" for the top itself. Without
// such a file it returns the Rules themselves.
func (g *Rules) With(root *os.Root, rel, dir string) *Rules {
	return g.with(dir, readRules(root, filepath.Join(rel, ".gitignore")))
}

func (g *Rules) with(dir string, rules []rule) *Rules {
	if len(rules) == 0 {
		return g
	}
	return &Rules{above: g, dir: dir, rules: rules}
}

// Ignores reports whether a path, seen from the top and with slashes, is ignored: the last rule of
// the nearest directory that matches says so. Whether a directory above it is
// ignored is not looked at.
func (g *Rules) Ignores(p string, isDir bool) bool {
	base := path.Base(p)
	for ; g != nil; g = g.above {
		rel := p
		if g.dir != "" {
			rel = strings.TrimPrefix(p, g.dir+"/")
		}
		for i := len(g.rules) - 1; i >= 0; i-- {
			r := &g.rules[i]
			if r.dirs && !isDir {
				continue
			}
			if r.anchored && r.Match(rel) || !r.anchored && r.Match(base) {
				return !r.keeps
			}
		}
	}
	return false
}

// maxIgnore is how much of a .gitignore is read, in bytes.
const maxIgnore = 1 << 20

// readRules reads the rules of a file in a root; none when it is not there or
// cannot be read. Like git it follows no link for it.
func readRules(root *os.Root, rel string) []rule {
	// Opening some devices does something, so look first.
	if info, err := root.Lstat(rel); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil // it is another by now
	}
	var rules []rule
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnore))
	lines.Buffer(nil, maxIgnore+1)
	for first := true; lines.Scan(); first = false {
		line := lines.Text()
		if first {
			line = strings.TrimPrefix(line, "\ufeff") // the mark of UTF-8
		}
		if r, ok := newRule(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// Above returns the Rules that hold in a directory because of those above it, up to
// the top of its project's git repository, with those of .git/info/exclude, or up to
// another directory where there is none; and the directory seen from that top, with
// slashes. What the .gitignore of the directory itself says is not among them, nor
// what cannot be read. Both directories are named without links.
func Above(dir, orTop string) (g *Rules, from string) {
	top := dir
	if p := project.Find(vfs.OS(), dir); p.Repo {
		top = p.Dirs[len(p.Dirs)-1]
	} else if _, ok := within(orTop, dir); ok {
		top = orTop
	}
	from, _ = within(top, dir)
	parts := strings.Split(from, string(filepath.Separator))
	for i := range parts {
		seen := filepath.Join(parts[:i]...)
		root, err := os.OpenRoot(filepath.Join(top, seen))
		if err != nil {
			continue
		}
		if i == 0 {
			g = g.with("", readRules(root, filepath.Join(".git", "info", "exclude")))
		}
		if from != "" {
			g = g.With(root, "", filepath.ToSlash(seen))
		}
		_ = root.Close() // nothing was written
	}
	return g, filepath.ToSlash(from)
}

// within returns a path seen from a directory, "" for the directory itself; false
// where it is outside.
func within(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		rel = ""
	}
	return rel, true
}
