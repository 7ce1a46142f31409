package tool

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/ignore"
	"github.com/cambium-dev/cambium/message"
)

// findTool finds files by their names.
type findTool struct{}

const (
	findWords = `Find files and directories by a glob. A pattern without "/" is about names anywhere below the directory
("*.go"), one with "/" about whole paths seen from it ("src/**/*_test.go"); "{a,b}" is one of several. What .gitignore
files ignore, and .git, are left out; links are not followed. Directories end in "/".`
	findForm = `{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"The glob."},` +
		`"path":{"type":"string","description":"Where to look; the session's directory if not given."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"How many paths to show; 1000 if not given."}` +
		`},"required":["pattern"],"additionalProperties":false}`
)

// Spec implements Tool.
func (findTool) Spec() provider.Tool { return spec("find", findWords, findForm) }

// Changes implements Tool.
func (findTool) Changes() bool { return false }

// Run implements Tool.
func (findTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	a := readArguments(arguments)
	pattern := a.text("pattern")
	path := a.textOr("path", ".")
	limit := a.whole("limit", 1000, 1, MaxLines)
	if err := a.err(); err != nil {
		return failed(err)
	}
	names, err := newNames(pattern)
	if err != nil {
		return failed(err)
	}
	p, err := locate(env, path, true)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	if err := p.directory(); err != nil {
		return failed(err)
	}
	var l listing
	more := false
	w := &walk{visit: func(path string, e fs.DirEntry) error {
		if !names.match(path) {
			return nil
		}
		line := cleanName(p.below(path))
		if e.IsDir() {
			line += "/"
		}
		if l.lines == limit || !l.add(line) {
			more = true
			return errEnough
		}
		return nil
	}}
	if err := walkPlace(ctx, p, env, w); err != nil {
		return failedIn(ctx, fmt.Errorf("%q cannot be searched: %w", p.name, because(err)))
	}
	text := l.b.String()
	if l.lines == 0 {
		text = "[nothing found]"
	}
	if more {
		text = notef(text, "only the first %d; there are more", l.lines)
	}
	return said(w.unreadNote(text), struct {
		Path      string `json:"path"`
		Files     int    `json:"files"`
		Truncated bool   `json:"truncated"`
	}{clean(p.name), l.lines, more})
}

// names are the paths that a glob of a call means.
type names struct {
	ignore.Glob
	whole bool // paths, not names alone
}

func newNames(pattern string) (names, error) {
	if pattern == "" {
		return names{}, fmt.Errorf(`the pattern is empty; "*" is everything`)
	}
	trimmed := strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	n := names{whole: strings.Contains(trimmed, "/")}
	trimmed = strings.TrimPrefix(trimmed, "/")
	var err error
	if n.Glob, err = ignore.NewGlob(trimmed, true); err != nil {
		return names{}, fmt.Errorf("the glob %q cannot be understood: %w", pattern, err)
	}
	return n, nil
}

func (n names) match(path string) bool {
	if !n.whole {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return n.Match(path)
}

// below is how a path below the place is called.
func (p *place) below(path string) string { return join(p.name, path) }

// directory says what the place is if it is no directory.
func (p *place) directory() error {
	info, err := p.root.Lstat(p.rel)
	if err != nil {
		return fmt.Errorf("%q cannot be searched: %w", p.name, because(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is no directory", p.name)
	}
	return nil
}

// unreadNote says what was passed over.
func (w *walk) unreadNote(text string) string {
	if w.unread > 0 {
		text = notef(text, "%s could not be read", count(int64(w.unread), "directory"))
	}
	return w.deepNote(text)
}

// deepNote says what was too deep.
func (w *walk) deepNote(text string) string {
	if w.deep == 0 {
		return text
	}
	return notef(text, "what lies deeper than %d directories was not looked at", mostLevels)
}
