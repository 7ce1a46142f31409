package session_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/session"
)

// TestFloodIsSmall: a line that is no entry takes no more memory than an entry does, and
// what is said of the damage is bounded and counts all of it.
func TestFloodIsSmall(t *testing.T) {
	const n, most = 200_000, 110 // bytes a line
	path := filepath.Join(t.TempDir(), "flood.jsonl")
	text := `{"type":"session","version":3,"id":"flood","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}` + "\n" + strings.Repeat("{}\n", n)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	text = ""
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	s, err := session.Open(t.Context(), path, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	d := defects.Of(s.Damage())
	if took := int(heap()-before) / n; took > most {
		t.Errorf("%d bytes a line, want at most %d", took, most)
	}
	if len(d.Healed) != defects.MaxTold || len(d.Healed)+d.HealedMore != n-1 || !strings.Contains(d.String(), "199999 missing parents") {
		t.Errorf("%d and %d more are told: %s", len(d.Healed), d.HealedMore, d)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
