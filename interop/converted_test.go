//go:build peers

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// TestConvertedSessionsOpen converts sessions of every other dialect for a real
// program: it opens them, and says of them what Cambium says, leaf by leaf.
func TestConvertedSessionsOpen(t *testing.T) {
	const each = 25
	for p, name := range managers() {
		k := &converter{desk: newDesk(t, p, name)}
		failures := 0
		for _, from := range sessiongen.Dialects() {
			if dialect.Name(from) == name {
				continue
			}
			examples, err := filepath.Glob(filepath.Join("..", "examples", string(from), "agent", "sessions", "*", "*.jsonl"))
			if err != nil || len(examples) == 0 {
				t.Fatalf("examples of %s: %v, %v", from, examples, err)
			}
			for _, path := range examples {
				if !k.converted(from, path, "example of "+string(from)) {
					failures++
				}
			}
			for seed := range uint64(each) {
				s := sessiongen.Random(rand.New(rand.NewPCG(seed, 47)), sessiongen.Options{Dialect: from, Clean: true})
				path := filepath.Join(k.dir, fmt.Sprintf("%s-%d.jsonl", from, seed))
				if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				if !k.converted(from, path, fmt.Sprintf("seed %d of %s", seed, from)) {
					failures++
				}
				if failures > 5 {
					t.Fatalf("%s: too many differ", name)
				}
			}
		}
		t.Logf("%s: %d sessions, not compared: %v", name, k.compared, k.excluded)
		if k.compared < 2*each {
			t.Errorf("%s: only %d sessions were compared", name, k.compared)
		}
	}
}

// A converter is a desk at which sessions of other programs are converted.
type converter struct {
	*desk
	compared int
}

// converted converts the session at a path for the desk's program and lets both
// read it.
func (k *converter) converted(from sessiongen.Dialect, path, what string) bool {
	k.t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		k.t.Fatal(err)
	}
	o := options(k.dir, dialect.Name(from))
	o.ReadOnly = true
	s, err := session.Open(k.t.Context(), path, o)
	if err != nil {
		k.t.Fatal(err)
	}
	done, err := s.Convert(k.t.Context(), session.ConvertOptions{
		To: k.name, Directories: layout.Overrides{AgentDir: k.options().AgentDir, SessionDir: filepath.Join(k.dir, "converted")},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		k.t.Fatal(err)
	}
	data, err := os.ReadFile(done.Path)
	if err != nil {
		k.t.Fatal(err)
	}
	if k.name != dialect.Pi && bytes.Contains(data, []byte(`"`+spelling.EditType+`"`)) {
		k.excluded["edits that only Cambium applies (D21)"]++
		return true
	}
	k.compared++
	return k.same(done.Path, what+", converted")
}
