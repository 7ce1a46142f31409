package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// mentioned returns the pictures that a line names with an "@" that a person typed.
// It tells of those that it names with another one, which are not sent.
func (d *desk) mentioned(line chatview.Line) []pictureFile {
	meant, unmeant := line.Mentions()
	for _, p := range d.picturesAt(unmeant) {
		d.pump.put(chatview.Told{Text: fmt.Sprintf("picture %q is not sent: its @ was not typed here; type it anew in a prompt to send it", p.path)})
	}
	return d.picturesAt(meant)
}

// picturesAt returns the pictures that there are of some names, with the signs that
// may stand behind a name or without.
func (d *desk) picturesAt(names []string) []pictureFile {
	var all []pictureFile
	for _, name := range names {
		for _, name := range []string{name, strings.TrimRight(name, ".,;:!?)]}>'\"*_`")} {
			if p, ok := pictureAt(d.dir(), d.a.lib.Env.Home, name); ok {
				all = append(all, p)
				break
			}
		}
	}
	return all
}

// pictureAt finds the picture of a name. In the directory no link is followed for
// it: names there are completed, and a project may have any. What a person names by
// its whole path may be a link of their own.
func pictureAt(dir, home, name string) (p pictureFile, ok bool) {
	if !slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(name))) {
		return p, false
	}
	p = pictureFile{vfs.OS(), name, name}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		p.path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(p.path) {
		p.path = filepath.Join(dir, name)
		if filepath.IsLocal(name) {
			p.fs = vfs.Under(p.fs, dir)
		}
	}
	info, err := p.fs.Stat(p.path)
	if errors.Is(err, vfs.ErrLink) {
		return p, true // reading it says so
	}
	if err != nil || !info.Regular() {
		return p, false
	}
	if real, err := vfs.Resolve(p.fs, p.path); err == nil {
		p.path = real
	}
	return p, true
}

// mentionable reports whether a path can be typed as it is called.
func mentionable(path string) bool {
	return utf8.ValidString(path) && term.Line(path) == path && !strings.Contains(path, `"`)
}
