package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only names that can be typed are offered, those with a blank in quotes.
func TestOddNamesBehindAt(t *testing.T) {
	top := t.TempDir()
	plant(t, top, "my own.txt", "odd dir/in it.txt", "odd dir/x", "esc\x1b[31m.txt", "new\nline.txt", "bad\xff.txt", `quo"te.txt`, "plain,.txt", "hid\u202eden.txt")
	for text, want := range map[string]string{
		"my":            `@"my own.txt"`,
		`"my o`:         `@"my own.txt"`,
		"odd":           `@"odd dir/ @"odd dir/in it.txt" @"odd dir/x"`,
		`"odd dir/i`:    `@"odd dir/in it.txt"`,
		"esc":           "",
		"line":          "",
		"bad":           "",
		"quo":           "",
		"hid":           "",
		"plain":         "@plain,.txt",
		`"nothing here`: "",
	} {
		if got := offered(t, top, text); got != want {
			t.Errorf("%q: it offers %s, want %s", text, got, want)
		}
	}
}

// TestPictureBehindALink: what a project links to is not attached for its name there,
// what a person names by its whole path is, also by a link of their own.
func TestPictureBehindALink(t *testing.T) {
	top := t.TempDir()
	const png = "\x89PNG\r\n\x1a\n"
	plant(t, top, "home/own.png="+png, "work/d/in.png="+png, "work/text.png")
	for name, to := range map[string]string{
		"work/out.png": "../home/own.png", "work/absolute.png": filepath.Join(top, "home/own.png"), "work/home": "../home",
		"work/stays.png": "d/in.png", "work/nowhere.png": "nowhere", "home/link.png": "own.png",
	} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	work, home := filepath.Join(top, "work"), filepath.Join(top, "home")
	for name, want := range map[string]string{
		"d/in.png": "read", "out.png": "refused", "absolute.png": "refused", "home/own.png": "refused", "stays.png": "refused", "nowhere.png": "refused",
		"./out.png": "refused", "d/../out.png": "refused", "none.png": "", "d": "", "out.txt": "", "text.png": "none that models take",
		"~/own.png": "read", "~/link.png": "read", filepath.Join(home, "link.png"): "read", "../home/own.png": "read",
	} {
		got := ""
		if p, ok := pictureAt(work, home, name); ok {
			got = "read"
			if _, err := p.read(); err != nil && strings.Contains(err.Error(), "symbolic link") {
				got = "refused"
			} else if err != nil {
				got = err.Error()
			}
		}
		if got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
