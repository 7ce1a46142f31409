//go:build peers

package interop_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
)

// TestEveryOperationCanBeMeasured runs each operation once on a small corpus
// and checks that it did what its name says.
func TestEveryOperationCanBeMeasured(t *testing.T) {
	var corpus bytes.Buffer
	sum, err := sessiongen.Big(&corpus, rand.New(rand.NewPCG(1, 1)), 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "big.jsonl")
	if err := os.WriteFile(path, corpus.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		for _, op := range []string{"import", "open", "context", "tree", "append", "fork"} {
			m, err := peers.Measure(t.Context(), p, op, path, 50)
			if err != nil {
				t.Fatal(err)
			}
			if m.Op != op || m.PeakKB < 10_000 || (op != "import") != (m.Milliseconds > 0) {
				t.Errorf("%s %s: %+v", p, op, m)
			}
			if op == "context" && m.Messages != sum.Entries {
				t.Errorf("%s: %d messages in context, want %d", p, m.Messages, sum.Entries)
			}
			if op == "append" && (m.Entries != 50 || m.MicrosecondsPerEntry <= 0) {
				t.Errorf("%s append: %+v", p, m)
			}
		}
		if _, err := peers.Measure(t.Context(), p, "nosuch", path, 0); err == nil {
			t.Errorf("%s: an unknown operation was measured", p)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, corpus.Bytes()) {
		t.Errorf("measuring changed the file (%v)", err)
	}
}
