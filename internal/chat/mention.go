package chat

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
func (d *desk) mentioned(line chatview.Line) []Picture {
	meant, unmeant := line.Mentions()
	for _, p := range d.picturesAt(unmeant) {
		d.pump.put(chatview.Told{Text: fmt.Sprintf("picture %q is not sent: its @ was not typed here; type it anew in a prompt to send it", p.Path)})
	}
	return d.picturesAt(meant)
}

// picturesAt returns the pictures that there are of some names, with the signs that
// may stand behind a name or without.
func (d *desk) picturesAt(names []string) []Picture {
	var all []Picture
	for _, name := range names {
		for _, name := range []string{name, strings.TrimRight(name, ".,;:!?)]}>'\"*_`")} {
			if p, ok := PictureAt(d.dir(), d.lib.Env.Home, name); ok {
				all = append(all, p)
				break
			}
		}
	}
	return all
}

// PictureAt finds the picture of a name. In the directory no link is followed for
// it: names there are completed, and a project may have any. What a person names by
// its whole path may be a link of their own.
func PictureAt(dir, home, name string) (p Picture, ok bool) {
	if !slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(name))) {
		return p, false
	}
	p = Picture{FS: vfs.OS(), Path: name, Name: name}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		p.Path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(p.Path) {
		p.Path = filepath.Join(dir, name)
		if filepath.IsLocal(name) {
			p.FS = vfs.Under(p.FS, dir)
		}
	}
	info, err := p.FS.Stat(p.Path)
	if errors.Is(err, vfs.ErrLink) {
		return p, true // reading it says so
	}
	if err != nil || !info.Regular() {
		return p, false
	}
	if real, err := vfs.Resolve(p.FS, p.Path); err == nil {
		p.Path = real
	}
	return p, true
}

// mentionable reports whether a path can be typed as it is called.
func mentionable(path string) bool {
	return utf8.ValidString(path) && term.Line(path) == path && !strings.Contains(path, `"`)
}
