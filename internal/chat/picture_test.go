package chat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/work"
)

// TestPictureBehindALink: what a project links to is not attached for its name there,
// what a person names by its whole path is, also by a link of their own.
func TestPictureBehindALink(t *testing.T) {
	top := t.TempDir()
	const png = "\x89PNG\r\n\x1a\n"
	for name, text := range map[string]string{"home/own.png": png, "work/d/in.png": png, "work/text.png": "x"} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"work/out.png": "../home/own.png", "work/absolute.png": filepath.Join(top, "home/own.png"), "work/home": "../home",
		"work/stays.png": "d/in.png", "work/nowhere.png": "nowhere", "home/link.png": "own.png",
	} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	dir, home := filepath.Join(top, "work"), filepath.Join(top, "home")
	for name, want := range map[string]string{
		"d/in.png": "read", "out.png": "refused", "absolute.png": "refused", "home/own.png": "refused", "stays.png": "refused", "nowhere.png": "refused",
		"./out.png": "refused", "d/../out.png": "refused", "none.png": "", "d": "", "out.txt": "", "text.png": "none that models take",
		"~/own.png": "read", "~/link.png": "read", filepath.Join(home, "link.png"): "read", "../home/own.png": "read",
	} {
		got := ""
		if p, ok := chat.PictureAt(dir, home, name); ok {
			got = "read"
			if _, err := work.Pictures([]work.Picture{p}); err != nil && strings.Contains(err.Error(), "symbolic link") {
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
