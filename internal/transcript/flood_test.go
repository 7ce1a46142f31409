package transcript_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// TestDrawingIsSmall: what drawing a line takes is bounded, all that is let go of again
// counted.
func TestDrawingIsSmall(t *testing.T) {
	const n, most = 100_000, 200 // bytes a line
	path := filepath.Join(t.TempDir(), "flood.jsonl")
	text := `{"type":"session","version":3,"id":"flood","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}` + "\n" + strings.Repeat("{}\n", n)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // nothing was written
	for _, links := range []tree.Links{tree.Strict, tree.Healed} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows := 0
		for _, err := range transcript.Draw(s, transcript.DrawOptions{Links: links}).Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			rows++
		}
		runtime.ReadMemStats(&after)
		if took := int(after.TotalAlloc-before.TotalAlloc) / n; took > most || rows != n {
			t.Errorf("%d bytes a line for %d rows, want at most %d", took, rows, most)
		}
	}
}
