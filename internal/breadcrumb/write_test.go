package breadcrumb_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
)

func TestWriteIsWhatIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent", "terminal-sessions")
	for _, want := range []breadcrumb.Crumb{
		{CWD: "/w", Path: "/s/a.jsonl"},
		{CWD: "/w", Path: "/s/b.jsonl", Fresh: true, Dir: breadcrumb.Identity{Dev: 1 << 63, Ino: 7}},
		{CWD: "/ö \t x", Path: "/s/c.jsonl", Dir: breadcrumb.Identity{Ino: 1}},
	} {
		if err := breadcrumb.Write(dir, "tmux-%1", want); err != nil {
			t.Fatal(err)
		}
		if got, ok := breadcrumb.Read(vfs.OS(), filepath.Join(dir, "tmux-%1")); !ok || got != want {
			t.Errorf("Read = %+v, %v; want %+v", got, ok, want)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("left in %q: %v, %v", dir, list, err)
	}
	if info, _ := list[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
}

func TestTextHasThePublishedLinesFirst(t *testing.T) {
	c := breadcrumb.Crumb{CWD: "/w", Path: "/s.jsonl"}
	if got := c.Text(); got != "/w\n/s.jsonl\n" {
		t.Errorf("Text = %q", got)
	}
	c.Fresh, c.Dir = true, breadcrumb.Identity{Dev: 3, Ino: 4}
	if got := c.Text(); got != "/w\n/s.jsonl\nfresh\ncwdstat 3 4\n" {
		t.Errorf("Text = %q", got)
	}
}

// TestWriteStaysInside gives notes names and places that lead elsewhere.
func TestWriteStaysInside(t *testing.T) {
	top := t.TempDir()
	dir, secret := filepath.Join(top, "notes"), filepath.Join(top, "secret")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := breadcrumb.Crumb{CWD: "/w", Path: "/s.jsonl"}
	for _, id := range []string{"../secret", "/etc/x", "a/../../secret", "..", ".", "", secret} {
		if err := breadcrumb.Write(dir, id, c); err == nil {
			t.Errorf("Write(%q) went through", id)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := scratch.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"link", "fifo"} {
		if err := breadcrumb.Write(dir, id, c); err != nil {
			t.Errorf("Write(%q): %v", id, err)
		}
		if got, ok := breadcrumb.Read(vfs.OS(), filepath.Join(dir, id)); !ok || got != c {
			t.Errorf("Read(%q) = %+v, %v", id, got, ok)
		}
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "mine" {
		t.Errorf("outside: %q, %v", data, err)
	}
	list, _ := os.ReadDir(dir)
	for _, f := range list {
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("left behind: %q", f.Name())
		}
	}
}

func TestWriteRefusesWhatNobodyCouldRead(t *testing.T) {
	for _, c := range []breadcrumb.Crumb{
		{CWD: "w", Path: "/s"}, {CWD: "/w", Path: "s"}, {CWD: "/w\n/x", Path: "/s"}, {CWD: "/w", Path: "/s\r"}, {},
	} {
		if err := breadcrumb.Write(t.TempDir(), "pts-1", c); err == nil {
			t.Errorf("Write(%+v) went through", c)
		}
	}
}

func TestWriteBesideOthers(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				_ = breadcrumb.Write(dir, "pts-1", breadcrumb.Crumb{CWD: "/w", Path: "/s.jsonl"}) // one may lose
				if c, ok := breadcrumb.Read(vfs.OS(), filepath.Join(dir, "pts-1")); ok && c.Path != "/s.jsonl" {
					t.Errorf("half a note: %+v", c)
				}
			}
		})
	}
	all.Wait()
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

func TestRegister(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "custom-session-files")
	for range 2 {
		if err := breadcrumb.Register(dir, "/elsewhere/s.jsonl"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || len(list[0].Name()) != 7 {
		t.Fatalf("%v, %v", list, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, list[0].Name())); string(data) != "/elsewhere/s.jsonl" {
		t.Errorf("it says %q", data)
	}
}

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []breadcrumb.Place{
		{CWD: "/w", Dir: breadcrumb.Identity{Dev: 1, Ino: 2}},
		{CWD: "/w", Dir: breadcrumb.Identity{Dev: 1, Ino: 2}, Commit: "abc", Inside: "."},
		{CWD: "/w/a b", Dir: breadcrumb.Identity{Dev: 1, Ino: 2}, Commit: "abc", Inside: "a b"},
	} {
		if err := breadcrumb.WritePlace(dir, want); err != nil {
			t.Fatal(err)
		}
		if got, ok := breadcrumb.ReadPlace(vfs.OS(), dir, want.CWD); !ok || got != want {
			t.Errorf("ReadPlace = %+v, %v; want %+v", got, ok, want)
		}
	}
	if _, ok := breadcrumb.ReadPlace(vfs.OS(), dir, "/other"); ok {
		t.Error("a note about a directory nobody was in")
	}
	if err := breadcrumb.WritePlace(dir, breadcrumb.Place{CWD: "/w\nx"}); err == nil {
		t.Error("a name with a line break was noted")
	}
	if got, ok := breadcrumb.Identify(vfs.OS(), dir); !ok || got.Ino == 0 {
		t.Errorf("Identify = %+v, %v", got, ok)
	}
	if _, ok := breadcrumb.Identify(vfs.OS(), filepath.Join(dir, "gone")); ok {
		t.Error("identified what is not there")
	}
}
