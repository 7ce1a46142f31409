package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
)

// TestForkWhileSwapped: directories of artifacts become links and directories again
// all the while a session is forked and converted: nothing that a link leads to is
// copied, or touched.
func TestForkWhileSwapped(t *testing.T) {
	dir, path := house(t)
	beside := ident.ArtifactDir(path)
	for _, name := range []string{"0.bash.log", "deep/0.x.log"} {
		at := filepath.Join(beside, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(output), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var pairs [][2]string
	links := map[string]string{beside: filepath.Join(dir, "p/to"), filepath.Join(beside, "deep"): filepath.Join(beside, "to")}
	for at, link := range links {
		to := filepath.Join(dir, "outside")
		if at != beside {
			to += "/deep"
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, [2]string{at, link})
	}
	stop := scratch.Swapping(pairs...)
	o := vfs.On(session.Options{Env: env(dir), Dir: filepath.Join(dir, "q")}, errorfs.Light(vfs.OS()))
	for i := range 150 {
		if s, err := session.ForkFrom(t.Context(), path, "/v", o); err == nil {
			_, err = s.Convert(t.Context(), session.ConvertOptions{To: dialect.Pi, Path: filepath.Join(dir, "r", ident.FileName("2026-01-01T00:00:00.000Z", string(rune('a'+i%26))+"x"))})
			_ = errors.Join(err, s.Close()) // a copy that met what changed may fail
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if found := secrets(t, dir); len(found) > 0 {
		t.Errorf("it was copied to %q", found)
	}
}
