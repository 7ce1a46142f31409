package exchange_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestSyncWhileSwapped: in a synced directory, the agent's directory, that of a
// project and that of artifacts become links and directories again all the while:
// nothing that a link leads to is read, and nothing is written there.
func TestSyncWhileSwapped(t *testing.T) {
	keys, share := outside(t), t.TempDir()
	there := vfs.On(exchange.Directory(share), light())
	first := newMachine(t, "first")
	first.fsys = light()
	first.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", first.home+"/p"), line("00000001", "", "01", "one")))
	lay(t, first, map[string]string{"0.bash.log": "ours", "deep/0.x.log": "ours"})
	first.mustSync(t, there)
	session := only(t, share)

	// What the links lead to has the names that are looked for.
	file := filepath.Join(keys, "sessions", filepath.Base(filepath.Dir(session)), "s.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
		os.WriteFile(file, text(header("omp", "t", "/t"), line("00000001", "", "01", secret)), 0o600)); err != nil {
		t.Fatal(err)
	}
	was := stamps(t, keys)
	links := map[string]string{
		filepath.Join(share, "omp"): keys, filepath.Dir(session): filepath.Dir(file), ident.ArtifactDir(session): keys,
	}
	var pairs [][2]string
	for at, to := range links {
		link := filepath.Join(share, fmt.Sprintf(".link%d", len(pairs)))
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, [2]string{at, link}, [2]string{at, link})
	}
	stop := scratch.Swapping(pairs...)
	homes := t.TempDir()
	for i := range 40 {
		m := machineIn(t, homes, fmt.Sprint("m", i))
		m.fsys = light()
		m.write(t, "omp", "p", "n.jsonl", text(header("omp", fmt.Sprint("n", i), m.home+"/p"), line("00000002", "", "01", "two")))
		_, _, _ = m.sync(there, exchange.Options{}) // it may find nothing, or refuse
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if now := stamps(t, keys); now != was {
		t.Errorf("outside is\n%s\nand was\n%s", now, was)
	}
	for _, dir := range []string{homes, share} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && bytes.Contains(read(t, path), []byte("PRIVATE")) {
				t.Errorf("%s holds what is outside", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
