package chat

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/ignore"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// Bounds of looking for files.
const (
	mostFiles  = 20000 // are looked at
	mostFound  = 50    // are offered
	mostLevels = 12
)

// errFound ends a search.
var errFound = errors.New("enough was found")

// A fileSearch looks for what a person may mean behind "@".
type fileSearch struct {
	ctx    context.Context
	root   *os.Root
	dir    string
	from   string // the directory, seen from the top of the rules
	text   string // what is typed, in lower case
	hidden bool   // a name in it begins with a dot
	looked int

	spelt, begin, hold []chatview.Choice
}

// files returns the files and directories below a directory whose path holds a
// text: those that begin with it first. What .gitignore files ignore and what begins
// with a dot is left out, unless the text spells it out. Links are not followed.
func files(ctx context.Context, dir, text string) []chatview.Choice {
	text = strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(text), `"`), "./")
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // nothing was written
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	s := &fileSearch{ctx: ctx, root: root, dir: dir, text: strings.ToLower(text), hidden: strings.Contains("/"+text, "/.")}
	var rules *ignore.Rules
	rules, s.from = ignore.Above(dir, dir)
	if !strings.HasPrefix(text, "/") {
		s.spell(text, rules)
	}
	_ = s.through("", 0, rules) // what cannot be read is not offered
	all := append(append(s.spelt, s.begin...), s.hold...)
	return all[:min(len(all), mostFound)]
}

// in returns the entries of a directory and the rules that hold in it.
func (s *fileSearch) in(dir string, rules *ignore.Rules) ([]fs.DirEntry, *ignore.Rules) {
	f, err := s.root.Open(filepath.FromSlash(path.Join(".", dir)))
	if err != nil {
		return nil, rules
	}
	defer func() { _ = f.Close() }()   // nothing was written
	entries, _ := f.ReadDir(mostFiles) // those that could be read
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			rules = rules.With(s.root, filepath.FromSlash(dir), path.Join(s.from, dir))
		}
	}
	return entries, rules
}

// ignored reports whether a path is offered only to who spells it out.
func (s *fileSearch) ignored(p string, isDir bool, rules *ignore.Rules) bool {
	return path.Base(p) == "node_modules" || rules.Ignores(path.Join(s.from, p), isDir)
}

// spell offers what is ignored and spelt out: by its whole name, by the beginning
// of one that begins with a dot, or by that of any name in an ignored directory.
func (s *fileSearch) spell(text string, rules *ignore.Rules) {
	dir, last := path.Split(text)
	at, within := "", false
	for part := range strings.FieldsFuncSeq(dir, func(r rune) bool { return r == '/' }) {
		_, rules = s.in(at, rules)
		at = path.Join(at, part)
		info, err := s.root.Lstat(filepath.FromSlash(at))
		if err != nil || !info.IsDir() || part == ".git" {
			return
		}
		within = within || s.ignored(at, true, rules)
	}
	entries, rules := s.in(at, rules)
	for _, e := range entries {
		name, p := e.Name(), path.Join(at, e.Name())
		dotted := strings.HasPrefix(name, ".")
		switch begins := strings.HasPrefix(strings.ToLower(name), strings.ToLower(last)); {
		case name == ".git" || !begins || dotted && !strings.HasPrefix(last, "."):
		case within, s.ignored(p, e.IsDir(), rules) && (dotted || len(name) == len(last)):
			if len(s.spelt) < mostFound && mentionable(p) {
				s.spelt = append(s.spelt, choiceOf(p, e.IsDir()))
			}
		}
	}
}

// through looks at what is below a directory and not ignored.
func (s *fileSearch) through(dir string, level int, rules *ignore.Rules) error {
	entries, rules := s.in(dir, rules)
	for _, e := range entries {
		if s.looked++; s.looked > mostFiles || len(s.begin) >= mostFound {
			return errFound
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		name, p := e.Name(), path.Join(dir, e.Name())
		if name == ".git" || strings.HasPrefix(name, ".") && !s.hidden || s.ignored(p, e.IsDir(), rules) || e.IsDir() && level >= mostLevels {
			continue
		}
		s.offer(name, p, e.IsDir())
		if !e.IsDir() {
			continue
		}
		if err := s.through(p, level+1, rules); err != nil {
			return err
		}
	}
	return nil
}

// offer takes a path if it holds the text.
func (s *fileSearch) offer(name, p string, isDir bool) {
	if !mentionable(p) {
		return
	}
	low := strings.ToLower(p)
	if isDir {
		low += "/"
	}
	switch {
	case strings.HasPrefix(low, s.text) || strings.HasPrefix(strings.ToLower(name), s.text):
		s.begin = append(s.begin, choiceOf(p, isDir))
	case strings.Contains(low, s.text) && len(s.hold) < mostFound:
		s.hold = append(s.hold, choiceOf(p, isDir))
	}
}

// choiceOf is a path as it is mentioned. The quotes of a directory stay open: one
// goes on there.
func choiceOf(p string, isDir bool) chatview.Choice {
	text := "@" + p
	quoted := strings.Contains(p, " ")
	if quoted {
		text = `@"` + p
	}
	switch {
	case isDir:
		text += "/"
	case quoted:
		text += `"`
	}
	return chatview.Choice{Text: text}
}
