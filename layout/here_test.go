package layout_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// TestHere: the environment of this process, whole.
func TestHere(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // which comes first on Windows
	t.Setenv("CAMBIUM_TEST_EMPTY", "")
	env, err := layout.Here()
	if err != nil {
		t.Fatal(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if env.Home != home || env.Cwd != cwd || env.Separator != filepath.Separator {
		t.Errorf("home %q, working directory %q, separator %q", env.Home, env.Cwd, env.Separator)
	}
	if v, set := env.LookupEnv("CAMBIUM_TEST_EMPTY"); v != "" || !set {
		t.Error("a variable that is set to nothing is not set")
	}
	if err := os.Symlink(home, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	want, _ := filepath.EvalSymlinks(home)
	if real, ok := env.Real(filepath.Join(home, "link")); !ok || real != want || !env.Exists(home) || env.Exists(home+"/none") {
		t.Errorf("the link leads to %q, %v", real, ok)
	}
	if got, want := places.Own(env).State, places.Own(layout.Process(os.Environ(), cwd)).State; got != want {
		t.Errorf("state in %q and %q", got, want)
	}
}

// TestProcess: of several variables of a name the last one counts.
func TestProcess(t *testing.T) {
	env := layout.Process([]string{"HOME=", "USERPROFILE=/u", "A=1", "A=2", "odd"}, "/w")
	if env.Home != "/u" || env.Getenv("A") != "2" || env.Getenv("odd") != "" {
		t.Errorf("home %q, A %q", env.Home, env.Getenv("A"))
	}
}

// TestInStore: a store knows nothing of the machine but where a person's home is.
func TestInStore(t *testing.T) {
	near := layout.Env{Home: "/home/ada", Cwd: "/home/ada/w", Getenv: func(string) string { return "set" }, Real: func(p string) (string, bool) { return "", false }}
	far := near.InStore()
	if far.Home != "/" || far.Getenv("HOME") != "" || far.Cwd != near.Cwd {
		t.Errorf("%+v", far)
	}
	if real, ok := far.Real("~/w"); real != "/home/ada/w" || !ok {
		t.Errorf("~/w is %q, %v", real, ok)
	}
	if real, ok := far.Real("/srv/w"); real != "/srv/w" || ok {
		t.Errorf("/srv/w is %q, %v", real, ok)
	}
}
