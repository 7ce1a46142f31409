package pathname_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-dev/cambium/internal/pathname"
)

// systems are the machines of the vectors.
func systems() map[string]pathname.Machine {
	return map[string]pathname.Machine{
		"linux":   {Home: "/home/ada", Exists: func(p string) bool { return p == "/home/ada" }},
		"wsl":     {Home: "/home/ada", Distro: "Debian"},
		"macos":   {Home: "/Users/ada", Exists: func(p string) bool { return strings.EqualFold(p, "/Users/ada") }},
		"windows": {Kind: pathname.Windows},
	}
}

// TestSame: which spellings are of one path, on which systems.
func TestSame(t *testing.T) {
	const composed, taken = "/work/caf\u00e9", "/work/cafe\u0301"
	for _, test := range []struct{ a, b, on string }{
		{"/work/pi", "/work/pi", "linux wsl macos windows"},
		{"/work/pi", "/work/pi/", "linux wsl macos windows"},
		{"/work/pi", "/Work/Pi", "macos windows"},
		{composed, taken, "macos"},
		{"/work/CAF\u00c9", taken, "macos"},
		{"/work/stra\u00dfe", "/work/strasse", ""},
		{"/work/\u03c3", "/work/\u03c2", "macos windows"},
		{`C:\work\pi`, `c:\WORK\pi`, "wsl macos windows"},
		{`C:\work\pi`, `C:/work/./pi/`, "windows"},
		{`C:\work\pi`, "/mnt/c/work/pi", "wsl windows"},
		{`C:\work\pi`, "/c/work/pi", "windows"},
		{`C:\work\pi`, "/cygdrive/c/work/pi", "windows"},
		{`C:\work\pi`, `\\?\C:\work\pi`, "windows"},
		{`C:\work\pi`, `D:\work\pi`, ""},
		{`\\host\share\d`, `\\?\UNC\HOST\share\d`, "windows"},
		{`\\host\share\d`, `//host/share/d`, "windows"},
		{`\\wsl$\Debian\home\ada`, `\\wsl.localhost\Debian\home\ada`, "wsl windows"},
		{`\\wsl$\Debian\home\ada`, `/home/ada`, "wsl"},
		{`\\wsl$\Other\home\ada`, `/home/ada`, ""},
		{"/mnt/c/Work", "/mnt/c/work", "wsl macos windows"},
		{"/mnt/data/Work", "/mnt/data/work", "macos windows"},
		{`/work/a\b`, "/work/a/b", "windows"},
		{"", "", ""},
		{"", "/work", ""},
	} {
		for name, m := range systems() {
			want := strings.Contains(" "+test.on+" ", " "+name+" ")
			if got := m.Same(test.a, test.b); got != want {
				t.Errorf("on %s: Same(%q, %q) = %v", name, test.a, test.b, got)
			}
			if got := m.Same(test.b, test.a); got != want {
				t.Errorf("on %s: Same(%q, %q) = %v", name, test.b, test.a, got)
			}
		}
	}
}

// TestSameResolvesLinks: links are followed before spellings are compared.
func TestSameResolvesLinks(t *testing.T) {
	m := systems()["windows"]
	m.Real = func(p string) (string, bool) { return `\\?\C:\Real`, strings.EqualFold(p, `C:\link`) }
	if !m.Same("/c/link", `c:\real`) || m.Same(`C:\other`, `C:\real`) {
		t.Error("a link is another path")
	}
	plain := pathname.Machine{Real: func(p string) (string, bool) { return "/real", p == "/link" }}
	if !plain.Same("/link", "/real") || plain.Same("/link", "/REAL") {
		t.Error("a link is another path on Linux")
	}
}

// TestSameIsAnEquivalence: whatever the spelling, in whatever order.
func TestSameIsAnEquivalence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "A", "\u00e9", "e\u0301", "C:", "mnt", "c", `\`, "/", "//", ".", "wsl$", "?"})
		path := rapid.Custom(func(t *rapid.T) string { return "/" + strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "") })
		a, b, c := path.Draw(t, "a"), path.Draw(t, "b"), path.Draw(t, "c")
		for name, m := range systems() {
			if !m.Same(a, a) || m.Same(a, b) != m.Same(b, a) {
				t.Fatalf("on %s: %q and %q", name, a, b)
			}
			if m.Same(a, b) && m.Same(b, c) && !m.Same(a, c) {
				t.Fatalf("on %s: %q, %q and %q", name, a, b, c)
			}
		}
	})
}
