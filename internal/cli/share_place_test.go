//go:build share

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSharePlace: a session of a store, recorded on another machine, does not choose
// where anything runs here.
func TestSharePlace(t *testing.T) { eachStore(t, testSharePlace) }

func testSharePlace(t *testing.T, url string) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	there, here := filepath.Join(top, "there"), filepath.Join(top, "here")
	for _, dir := range []string{there, here} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	one, two := newHome(t, there, url), newHome(t, here, url)
	path := strings.TrimSpace(one.run(t, "", 0, "new", "--id", "1111111111111111"))
	one.run(t, user("here"), 0, "append", path)
	refused := func(said string, args ...string) {
		t.Helper()
		if got := two.run(t, "", 6, append([]string{"run"}, append(args, "--shell", "touch ran; pwd")...)...); !strings.Contains(got, said) {
			t.Errorf("%v: %s, want %q", args, got, said)
		}
		nothingRan(t, there, here)
	}
	refused(`it was recorded in another directory, "`+there+`"`, "--resume", path)
	refused("is in another project", "--resume", "1111111111111111")
	if err := os.Remove(there); err != nil {
		t.Fatal(err)
	}
	refused("where nothing is run: there is no such directory; `cambium run --cwd "+here+" --resume", "--resume", path)
	if got := strings.TrimSpace(two.run(t, "", 0, "run", "--cwd", here, "--resume", path, "--shell", "pwd -P")); got != here {
		t.Errorf("it ran in %q, want %q", got, here)
	}
	root := strings.TrimSpace(one.run(t, "", 0, "new", "--id", "2222222222222222", "--cwd", "/"))
	one.run(t, user("of all"), 0, "append", root)
	refused("it is the root of the file system", "--resume", root, "--yes")
}
