package workplace_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/workplace"
)

// machine is a disk with these directories and links, and nothing else.
func machine(dirs []string, links map[string]string) workplace.Machine {
	there := map[string]bool{"/": true}
	for _, dir := range dirs {
		for d := dir; d != "/"; d = filepath.Dir(d) {
			there[d] = true
		}
	}
	return workplace.Machine{
		Home: "/home/ada",
		Real: func(path string) (string, bool) {
			path = filepath.Clean(path)
			if to, ok := links[path]; ok {
				path = to
			}
			return path, there[path]
		},
		IsDir: func(path string) bool { return there[path] || path == "/work/locked/in" },
	}
}

func TestLook(t *testing.T) {
	m := machine([]string{"/home/ada/code/garden", "/home/bob", "/work/a b", "/root/x", "/Users/eve", "/work/..x", "/work/x\u202ey", "/var/home/kim"},
		map[string]string{"/work/link": "/home/ada/code/garden", "/work/out": "/", "/work/mine": "/home/ada", "/work/odd": "/work/x\u202ey"})
	tests := []struct{ named, dir, unfit string }{
		{"/home/ada/code/garden", "/home/ada/code/garden", ""},
		{"/home/ada/code/garden/", "/home/ada/code/garden", ""},
		{"/work/a b", "/work/a b", ""},
		{"/work/..x", "/work/..x", ""},
		{"/work/link", "/home/ada/code/garden", ""},
		{"/", "", "the root"},
		{"//", "", "the root"},
		{"/home", "", "home directories in it"},
		{"/home/ada", "", "a home directory"},
		{"/home/bob", "", "a home directory"},
		{"/root", "", "a home directory"},
		{"/root/x", "/root/x", ""},
		{"/Users/eve", "", "a home directory"},
		{"/var/home/kim", "", "a home directory"},
		{"/var/home", "", "home directories in it"},
		{"/work/out", "", "the root"},
		{"/work/mine", "", "a home directory"},
		{"/work/odd", "", "cannot be shown"},
		{"", "", "empty"},
		{"code/garden", "", "not absolute"},
		{"~/code", "", "not absolute"},
		{".", "", "not absolute"},
		{"..", "", "not absolute"},
		{"/work/../home/ada/code/garden", "", "not written plainly"},
		{"/work/./link", "", "not written plainly"},
		{"/work//link", "", "not written plainly"},
		{"/work/x\u202ey", "", "cannot be seen"},
		{"/work/a\nb", "", "cannot be seen"},
		{"/work/\x1b[2J", "", "cannot be seen"},
		{"/work/\xff", "", "cannot be seen"},
		{"/work/a\u00a0b", "", "cannot be seen"},
		{"/work/gone", "", "no such directory"},
		{"/work/locked/in", "", "cannot be looked into"},
	}
	for _, test := range tests {
		p := workplace.Look(test.named, m)
		if p.Named != test.named || p.Dir != test.dir || (p.Unfit == "") != (test.unfit == "") || !strings.Contains(p.Unfit, test.unfit) {
			t.Errorf("%q: %+v, want %q, %q", test.named, p, test.dir, test.unfit)
		}
		if p.Gone != (test.unfit == "no such directory") {
			t.Errorf("%q: gone %t", test.named, p.Gone)
		}
	}
}

// holds checks what is promised of any name.
func holds(t *testing.T, named string, m workplace.Machine) {
	t.Helper()
	p := workplace.Look(named, m)
	switch {
	case (p.Dir == "") == (p.Unfit == ""):
		t.Fatalf("%q: %+v is neither fit nor unfit", named, p)
	case p.Dir == "":
		return
	}
	real, ok := m.Real(p.Dir)
	if !ok || real != p.Dir || !filepath.IsAbs(p.Dir) || !m.IsDir(p.Dir) {
		t.Fatalf("%q: %q is no directory without links", named, p.Dir)
	}
	if !filepath.IsAbs(named) || strings.Contains(named+"/", "/../") || fmt.Sprintf("%q", named) != `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(named)+`"` {
		t.Fatalf("%q is taken for a name that can be shown", named)
	}
	for _, never := range []string{"/", "/home", "/root", "/Users", m.Home} {
		if p.Dir == never || filepath.Dir(p.Dir) == "/home" {
			t.Fatalf("%q leads to %q", named, p.Dir)
		}
	}
}

// TestLookAtAnything looks at ten thousand names made of what names are attacked
// with.
func TestLookAtAnything(t *testing.T) {
	m := machine([]string{"/home/ada/code", "/home/bob/x", "/work/a b", "/tmp/-rf"},
		map[string]string{"/work/up": "/", "/work/home": "/home/ada", "/tmp/l": "/work/a b"})
	parts := []string{"/", "/", "/", "..", ".", "home", "ada", "code", "bob", "x", "work", "a b", "up", "home", "tmp", "l", "-rf", "~", "",
		"\n", "\x1b]0;", "\u202e", "\u200b", "\u00a0", "\xff", "\x00", "$(touch F)", "'", `\`}
	r := rand.New(rand.NewPCG(1, 2))
	fit := 0
	for range 10_000 {
		var name strings.Builder
		for range 1 + r.IntN(5) {
			if r.IntN(4) > 0 {
				name.WriteByte('/')
			}
			name.WriteString(parts[r.IntN(len(parts))])
		}
		holds(t, name.String(), m)
		if workplace.Look(name.String(), m).Dir != "" {
			fit++
		}
	}
	if fit < 20 {
		t.Errorf("only %d names were of a place", fit)
	}
}

// TestLookOnDisk looks at a disk that is there.
func TestLookOnDisk(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := workplace.Machine{
		Home: filepath.Join(dir, "home"),
		Real: func(p string) (string, bool) { real, err := filepath.EvalSymlinks(p); return real, err == nil },
		IsDir: func(p string) bool {
			info, err := os.Stat(p)
			return err == nil && info.IsDir()
		},
	}
	for _, sub := range []string{"home", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": "/", "in": filepath.Join(dir, "work"), "self": "self"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"work": "work", "in": "work", "out": "", "self": "", "file": "", "home": "", "": ""} {
		p := workplace.Look(filepath.Join(dir, name), m)
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if p.Dir != want || (p.Unfit == "") != (want != "") {
			t.Errorf("%q: %+v, want %q", name, p, want)
		}
	}
}

func FuzzLook(f *testing.F) {
	for _, s := range []string{"/work/a b", "/home/ada", "/work/../etc", "\x1b[2J", "relative", ""} {
		f.Add(s)
	}
	m := machine([]string{"/home/ada/code", "/work/a b"}, map[string]string{"/work/up": "/"})
	f.Fuzz(func(t *testing.T, named string) { holds(t, named, m) })
}
