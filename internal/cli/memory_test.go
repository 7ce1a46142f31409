package cli_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// remembered reports whether the index of a machine holds where the entries of
// a session are.
func remembered(t *testing.T, cache, path string) bool {
	t.Helper()
	x := index.New(index.Options{Dir: cache})
	defer x.Close()
	_, data, err := x.Recall(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return len(data) > 0
}

// A large session that was read once is not read whole again, and nobody can
// tell: every command says the same as without the index, before and after the
// session grew and after it was changed in place, and reading changes no byte.
func TestLargeSessionsAreRemembered(t *testing.T) {
	m := newMachine(t)
	cache := scratch.OwnDir(t)
	m.env = append(m.env, "CAMBIUM_CACHE_DIR="+cache)
	path := filepath.Join(m.dir, "s.jsonl")
	var data bytes.Buffer
	if _, err := sessiongen.Small(&data, rand.New(rand.NewPCG(1, 2)), 1_500_000); err != nil {
		t.Fatal(err)
	}
	write(t, path, data.Bytes())
	rest := func() {
		at := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	same := func(when string) {
		t.Helper()
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"show", "--json"}, {"tree", "--json"}, {"context", "--json"}} {
			args = append(args, path)
			want, said, code := m.run(append(args, "--no-index")...)
			got, also, again := m.run(args...)
			if got != want || also != said || again != code || code != 0 {
				t.Fatalf("%s: %v gives %d bytes, %q, %d; without the index %d, %q, %d", when, args, len(got), also, again, len(want), said, code)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("%s: reading changed the session (%v)", when, err)
		}
	}
	same("just written")
	if remembered(t, cache, path) {
		t.Error("what was written just now is remembered")
	}
	rest()
	same("at rest")
	if !remembered(t, cache, path) {
		t.Fatal("nothing is remembered")
	}
	same("known")
	m.stdin = `{"type":"message","message":{"role":"user","content":"more"}}` + "\n"
	if _, errs, code := m.run("append", path); code != 0 {
		t.Fatal(errs)
	}
	same("grown")
	grown, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, bytes.Replace(grown, []byte(`"role":"assistant"`), []byte(`"role":"aSSistant"`), 3))
	same("changed in place")
	rest()
	same("at rest again")
}
