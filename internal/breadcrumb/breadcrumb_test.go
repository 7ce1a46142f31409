package breadcrumb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want breadcrumb.Crumb
		ok   bool
	}{
		{"/w\n/s/a.jsonl\n", breadcrumb.Crumb{CWD: "/w", Path: "/s/a.jsonl"}, true},
		{"\n /w \r\n/s/a.jsonl", breadcrumb.Crumb{CWD: "/w", Path: "/s/a.jsonl"}, true},
		{"/w\n/s/a.jsonl\ncwdstat 1 2\nfresh\n", breadcrumb.Crumb{CWD: "/w", Path: "/s/a.jsonl", Fresh: true, Dir: breadcrumb.Identity{Dev: 1, Ino: 2}}, true},
		{"/w\n/s/a.jsonl\ncwdstat 1 x\ncwdstat 1\n", breadcrumb.Crumb{CWD: "/w", Path: "/s/a.jsonl"}, true},
		{"/w\n/s/a.jsonl\nlater words\n", breadcrumb.Crumb{CWD: "/w", Path: "/s/a.jsonl"}, true},
		{text: "/w\n"},
		{text: ""},
		{text: "w\n/s/a.jsonl\n"},
		{text: "/w\n../a.jsonl\n"},
		{text: "\x00\x00\n\x00"},
	}
	for _, tt := range tests {
		got, ok := breadcrumb.Parse(tt.text)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestReadOnlyWhatIsANote(t *testing.T) {
	dir := t.TempDir()
	note := filepath.Join(dir, "pts-1")
	if err := os.WriteFile(note, []byte("/w\n/s.jsonl\n"+strings.Repeat("x\n", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := scratch.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, ok := breadcrumb.Read(vfs.OS(), note); !ok || c.Path != "/s.jsonl" {
		t.Errorf("Read = %+v, %v", c, ok)
	}
	open := filepath.Join(dir, "pts-2") // to everybody, whatever the umask
	if err := errors.Join(os.WriteFile(open, []byte("/w\n/s.jsonl\n"), 0o600), os.Chmod(open, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "gone"), dir, fifo, open} {
		if c, ok := breadcrumb.Read(vfs.OS(), name); ok {
			t.Errorf("Read(%q) = %+v", name, c)
		}
	}
}

func TestOfResolvesLinks(t *testing.T) {
	real := func(p string) (string, bool) {
		if p == "/link" {
			return "/w", true
		}
		return "", false
	}
	c := breadcrumb.Crumb{CWD: "/w/"}
	for cwd, want := range map[string]bool{"/w": true, "/link": true, "/w/": true, "/other": false} {
		if got := c.Of(cwd, real); got != want {
			t.Errorf("Of(%q) = %v, want %v", cwd, got, want)
		}
	}
}
