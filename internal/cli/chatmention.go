package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/term"
)

// mentioned returns the pictures that a prompt names with "@".
func (c *chat) mentioned(text string) []string {
	dir := c.a.Dir
	if s := c.agent().Session(); s != nil {
		dir = s.CWD()
	}
	var all []string
	for _, name := range mentions(text) {
		for _, name := range []string{name, strings.TrimRight(name, ".,;:!?)]}>'\"*_`")} {
			if full, ok := c.picture(dir, name); ok {
				all = append(all, full)
				break
			}
		}
	}
	return all
}

// picture returns where a picture of a name lies, if there is one.
func (c *chat) picture(dir, name string) (string, bool) {
	if !slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(name))) {
		return "", false
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		name = filepath.Join(c.a.env.Home, rest)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

// mentions returns what stands behind each "@" that begins a word: the word, or
// what stands in quotes there.
func mentions(text string) []string {
	var all []string
	before := ' '
	for i, r := range text {
		begins := r == '@' && !unicode.IsLetter(before) && !unicode.IsDigit(before)
		before = r
		if !begins {
			continue
		}
		rest := text[i+1:]
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			if name, _, ok := strings.Cut(quoted, `"`); ok && !strings.Contains(name, "\n") {
				all = append(all, name)
				continue
			}
		}
		if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
			rest = rest[:end]
		}
		if rest != "" {
			all = append(all, rest)
		}
	}
	return all
}

// mentionable reports whether a path can be typed as it is called.
func mentionable(path string) bool {
	return utf8.ValidString(path) && term.Line(path) == path && !strings.Contains(path, `"`)
}
