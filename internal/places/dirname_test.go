package places_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// alice is the machine of the recorded results.
func alice() layout.Env {
	return layout.Env{Home: "/home/alice", TempDir: "/tmp", Cwd: "/work"}
}

func TestDirName(t *testing.T) {
	tests := []struct{ cwd, pi, omp string }{
		{"/work/pi", "--work-pi--", "--work-pi--"},
		{"/home/alice", "--home-alice--", "-"},
		{"/home/alice/code/app", "--home-alice-code-app--", "-code-app"},
		{"/home/alice/code-app", "--home-alice-code-app--", "-code-app"},
		{"/home/alice/a:b\\c", "--home-alice-a-b-c--", "-a-b-c"},
		{"/home/alicex/p", "--home-alicex-p--", "--home-alicex-p--"},
		{"/tmp/build/x", "--tmp-build-x--", "-tmp-build-x"},
		{"/tmp/x", "--tmp-x--", "-tmp-x"},
		{"/a:b\\c", "--a-b-c--", "--a-b-c--"},
		{"/", "----", "----"},
		{"/home/alice/..odd", "--home-alice-..odd--", "--home-alice-..odd--"},
		{"/work/pi/../q/", "--work-q--", "--work-q--"},
		{"/work/pi/../q", "--work-q--", "--work-q--"},
		{"/home/alice/my app", "--home-alice-my app--", "-my app"},
		{"/tmp", "--tmp--", "-tmp"},
		{"/srv/ü", "--srv-ü--", "--srv-ü--"},
		{"/a//b/./c", "--a-b-c--", "--a-b-c--"},
		{"/../..", "----", "----"},
		{"sub", "--work-sub--", "--work-sub--"},
		{"..", "----", "----"},
	}
	for _, test := range tests {
		want := map[string]string{"pi": test.pi, "cambium": test.pi, "omp": test.omp, "xcsh": test.omp}
		for name, want := range want {
			if got := places.DirName(name, test.cwd, alice()); got != want {
				t.Errorf("DirName(%s, %q) = %q, want %q", name, test.cwd, got, want)
			}
		}
	}
}

func TestDirNameOfTilde(t *testing.T) {
	env := alice()
	for cwd, want := range map[string]string{"~": "--home-alice--", "~/code": "--home-alice-code--", "~bob": "--work-~bob--"} {
		if got := places.DirName("pi", cwd, env); got != want {
			t.Errorf("DirName(pi, %q) = %q, want %q", cwd, got, want)
		}
	}
	if got, want := places.DirName("omp", "~/code", env), "--work-~-code--"; got != want {
		t.Errorf("DirName(omp, ~/code) = %q, want %q: omp expands nothing", got, want)
	}
}

func TestDirNameResolvesLinks(t *testing.T) {
	env := alice()
	env.Real = func(p string) (string, bool) {
		switch {
		case p == "/link":
			return "/home/data/code", true
		case strings.HasPrefix(p, "/home/alice"):
			return strings.Replace(p, "/home/alice", "/home/data", 1), true
		}
		return "", false
	}
	tests := []struct{ name, cwd, want string }{
		{"pi", "/link", "--link--"},
		{"cambium", "/link", "--link--"},
		{"omp", "/link", "-code"},
		{"xcsh", "/home/alice/code", "-code"},
		{"xcsh", "/home/data/code", "-code"},
		{"omp", "/elsewhere", "--elsewhere--"},
	}
	for _, test := range tests {
		if got := places.DirName(test.name, test.cwd, env); got != test.want {
			t.Errorf("DirName(%s, %q) = %q, want %q", test.name, test.cwd, got, test.want)
		}
	}
	got := places.DirNames("omp", "/link", env)
	for _, want := range []string{"-code", "--link--", "--home-data-code--", "--home-alice-code--"} {
		if !slices.Contains(got, want) {
			t.Errorf("DirNames(omp, /link) = %q, lacks %q", got, want)
		}
	}
}

func TestTempDirOfEnvironment(t *testing.T) {
	env := layout.Env{Home: "/home/alice", Getenv: vars("TMP", "/var/t/", "TEMP", "/other")}
	if got, want := places.DirName("omp", "/var/t/x", env), "-tmp-x"; got != want {
		t.Errorf("DirName = %q, want %q", got, want)
	}
	if got, want := places.DirName("omp", "/tmp/x", layout.Env{Home: "/home/alice"}), "-tmp-x"; got != want {
		t.Errorf("DirName without any variable = %q, want %q", got, want)
	}
}

func TestDirNames(t *testing.T) {
	tests := []struct {
		name, cwd string
		first     string
		also      []string
	}{
		{"omp", "/work/pi", "--work-pi--", []string{"--work--pi--"}},
		{"pi", "/work/pi", "--work-pi--", []string{"--work--pi--"}},
		{"omp", "/home/alice/code", "-code", []string{"--home-alice-code--", "--home--alice--code--"}},
		{"pi", "/home/alice/code", "--home-alice-code--", []string{"-code", "--home--alice--code--"}},
		{"cambium", "/home/user/my-project", "--home-user-my-project--", []string{"--home--user--my-project--"}},
		{"xcsh", "/tmp", "-tmp", []string{"--tmp--"}},
		{"xcsh", "/", "----", nil},
	}
	for _, test := range tests {
		got := places.DirNames(test.name, test.cwd, alice())
		if got[0] != test.first {
			t.Errorf("DirNames(%s, %q)[0] = %q, want %q", test.name, test.cwd, got[0], test.first)
		}
		for _, want := range test.also {
			if !slices.Contains(got, want) {
				t.Errorf("DirNames(%s, %q) = %q, lacks %q", test.name, test.cwd, got, want)
			}
		}
	}
}

func TestDirNamesHashed(t *testing.T) {
	long := strings.Repeat("x", 100)
	tests := []struct{ cwd, want string }{
		{"/work/pi", "abs-pi-" + sha("/work/pi")},
		{"/home/alice/My Äpp (1)", "home-My-pp-1-" + sha("/home/alice/My Äpp (1)")},
		{"/home/alice", "home-alice-" + sha("/home/alice")},
		{"/tmp/b", "tmp-b-" + sha("/tmp/b")},
		{"/", "abs-project-" + sha("/")},
		{"/srv/日本", "abs-project-" + sha("/srv/日本")},
		{"/srv/" + long, "abs-" + long[:80] + "-" + sha("/srv/"+long)},
		{`/srv/a\b`, "abs-a-b-" + sha("/srv/a/b")},
	}
	for _, test := range tests {
		got := places.DirNames("omp", test.cwd, alice())
		if !slices.Contains(got, test.want) {
			t.Errorf("DirNames(omp, %q) = %q, lacks %q", test.cwd, got, test.want)
		}
	}
}

func TestDirNameOnWindows(t *testing.T) {
	env := layout.Env{Home: `C:\Users\alice`, TempDir: `C:\Temp\`, Cwd: `C:\work`, Separator: '\\'}
	tests := []struct{ name, cwd, want string }{
		{"pi", `C:\work\pi`, "--C--work-pi--"},
		{"pi", `C:/work/./pi/`, "--C--work-pi--"},
		{"omp", `c:\users\Alice\Code`, "-Code"},
		{"omp", `C:\Temp\x`, "-tmp-x"},
		{"omp", `D:\x`, "--D--x--"},
		{"pi", `\x`, "--C--x--"},
		{"pi", `C:x`, "--C--work-x--"},
		{"pi", `D:x`, "--D--x--"},
		{"pi", `\\host\share\dir\..\x`, "---host-share-x--"},
		{"pi", "/c/work/pi", "--C--work-pi--"},
		{"pi", "/mnt/d/x", "--D--x--"},
		{"pi", `~\code`, "--C--Users-alice-code--"},
		{"omp", `D:\`, "--D----"},
		{"omp", `C:\Users\alice`, "-"},
		{"omp", `\\host\share\d`, "---host-share-d--"},
	}
	for _, test := range tests {
		if got := places.DirName(test.name, test.cwd, env); got != test.want {
			t.Errorf("DirName(%s, %q) = %q, want %q", test.name, test.cwd, got, test.want)
		}
	}
}

func TestDirNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := alice()
		if rapid.Bool().Draw(t, "windows") {
			env.Separator = '\\'
		}
		part := rapid.SampledFrom([]string{"", ".", "..", "a", "a-b", "..odd", "home", "alice", "tmp", "C:", "ü", "x y", `b\c`, "~"})
		cwd := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "/")
		name := rapid.SampledFrom(places.Names()).Draw(t, "name")
		got := places.DirNames(name, cwd, env)
		if got[0] != places.DirName(name, cwd, env) {
			t.Fatalf("DirNames(%q) = %q does not begin with the living form", cwd, got)
		}
		sorted := slices.Sorted(slices.Values(got))
		if len(slices.Compact(sorted)) != len(got) {
			t.Fatalf("DirNames(%q) = %q repeats itself", cwd, got)
		}
		for _, dir := range got {
			if dir == "" || dir == "." || dir == ".." || strings.ContainsAny(dir, `/\:`) {
				t.Fatalf("DirNames(%s, %q) has %q, which is no path element", name, cwd, dir)
			}
		}
		// Spelling that means the same gives the same names. More behind them
		// makes another path of nothing, "~", "C:" and Windows' "//host".
		if cwd == "" || cwd == "~" || strings.HasSuffix(cwd, "C:") || strings.HasPrefix(cwd, "//") {
			return
		}
		if diff := cmp.Diff(got, places.DirNames(name, cwd+"/./", env)); diff != "" {
			t.Fatalf("DirNames(%q) differs with /./ behind it:\n%s", cwd, diff)
		}
	})
}
