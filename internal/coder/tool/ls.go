package tool

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

// lsTool lists a directory.
type lsTool struct{}

const (
	lsWords = `List a directory: names in order, hidden ones too, directories with a "/" at the end, symbolic links with
where they lead.`
	lsForm = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The directory; the session's if not given."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"How many names to show; 500 if not given."}` +
		`},"additionalProperties":false}`
)

// Spec implements Tool.
func (lsTool) Spec() provider.Tool { return spec("ls", lsWords, lsForm) }

// Changes implements Tool.
func (lsTool) Changes() bool { return false }

// Run implements Tool.
func (lsTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	a := readArguments(arguments)
	path := a.textOr("path", ".")
	limit := a.whole("limit", 500, 1, MaxLines)
	if err := a.err(); err != nil {
		return failed(err)
	}
	p, err := locate(env, path, true)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	info, err := p.root.Lstat(p.rel)
	switch {
	case err != nil:
		return failed(fmt.Errorf("%q cannot be listed: %w", p.name, because(err)))
	case !info.IsDir():
		return failed(fmt.Errorf("%q is no directory", p.name))
	}
	entries, err := readDir(ctx, p.root, p.rel)
	if err != nil {
		return failedIn(ctx, fmt.Errorf("%q cannot be listed: %w", p.name, because(err)))
	}
	var l listing
	for _, e := range entries[:min(limit, len(entries))] {
		if !l.add(entryName(p, e)) {
			break
		}
	}
	text := l.b.String()
	if len(entries) == 0 {
		text = "[the directory is empty]"
	}
	if l.lines < len(entries) {
		text = notef(text, "%d of %d names; see more with a larger limit (at most %d) or with find", l.lines, len(entries), MaxLines)
	}
	return said(text, struct {
		Path      string `json:"path"`
		Entries   int    `json:"entries"`
		Total     int    `json:"total"`
		Truncated bool   `json:"truncated"`
	}{clean(p.name), l.lines, len(entries), l.lines < len(entries)})
}

// entryName is how a directory's entry is listed.
func entryName(p *place, e fs.DirEntry) string {
	name := cleanName(e.Name())
	switch {
	case e.IsDir():
		return name + "/"
	case e.Type()&fs.ModeSymlink != 0:
		if to, err := p.root.Readlink(join(p.rel, e.Name())); err == nil {
			return name + " -> " + cleanName(to)
		}
	}
	return name
}

// join is a name within a path seen from a root.
func join(rel, name string) string {
	if rel == "." || rel == "" {
		return name
	}
	return rel + separator + name
}

// readDir returns the entries of a directory in the order of their names.
func readDir(ctx context.Context, root *os.Root, rel string) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|onlyDirectory, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	var all []fs.DirEntry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some, err := f.ReadDir(1024)
		all = append(all, some...)
		if len(some) == 0 {
			slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			if err == io.EOF {
				return all, nil
			}
			return nil, err
		}
	}
}
