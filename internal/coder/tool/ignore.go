package tool

import (
	"bufio"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A rule is a line of a .gitignore, as gitignore(5) of git 2.39 defines it.
type rule struct {
	glob
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
	r.glob, err = newGlob(line, false)
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

// An ignore is the rules of one directory and of those above it. The nil ignore
// ignores nothing.
type ignore struct {
	above *ignore
	// dir is the directory, seen from the top, "" for the top.
	dir   string
	rules []rule
}

// with returns rules that add those of a directory.
func (g *ignore) with(dir string, rules []rule) *ignore {
	if len(rules) == 0 {
		return g
	}
	return &ignore{above: g, dir: dir, rules: rules}
}

// ignores reports whether a path, seen from the top, is ignored: the last rule of
// the nearest directory that matches says so. Whether a directory above it is
// ignored is not looked at.
func (g *ignore) ignores(p string, isDir bool) bool {
	for ; g != nil; g = g.above {
		rel := p
		if g.dir != "" {
			rel = strings.TrimPrefix(p, g.dir+"/")
		}
		for i := len(g.rules) - 1; i >= 0; i-- {
			r := g.rules[i]
			if r.dirs && !isDir {
				continue
			}
			if r.anchored && r.match(rel) || !r.anchored && r.match(path.Base(rel)) {
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
	f, _, err := openRegular(root, rel, rel)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // nothing was written
	var rules []rule
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnore))
	lines.Buffer(nil, maxIgnore+1)
	for first := true; lines.Scan(); first = false {
		line := lines.Text()
		if first {
			line = strings.TrimPrefix(line, byteOrderMark)
		}
		if r, ok := newRule(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// rulesAbove returns the rules that hold in a directory because of those above
// it, up to the top of its git repository, or of the session's directory where
// there is none; and the directory seen from that top.
func rulesAbove(dir, sessionDir string) (g *ignore, from string) {
	top, isRepo := dir, false
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			top, isRepo = at, true
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if !isRepo && within(sessionDir, dir) != "" {
		top = sessionDir
	}
	from = within(top, dir)
	if from == "." {
		from = ""
	}
	parts := strings.Split(from, separator)
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
			g = g.with(filepath.ToSlash(seen), readRules(root, ".gitignore"))
		}
		_ = root.Close() // nothing was written
	}
	return g, filepath.ToSlash(from)
}
