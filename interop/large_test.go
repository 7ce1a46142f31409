//go:build large

package interop_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
)

// gigabyte is the size of the sessions here.
const gigabyte = 1_000_000_000

// most is what a session of that size may take, in KiB: 100 MB.
const most = 100_000_000 / 1024

// TestLarge opens sessions of 1 GB in a fresh process, rebuilds their contexts,
// and looks at the greatest memory the process ever had. Memory goes with the
// number of entries, not with their size: of the small ones there are a million
// and a half.
func TestLarge(t *testing.T) {
	program := built(t, "./bench")
	for _, kind := range []string{"big", "dense", "small"} {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if out, err := exec.CommandContext(t.Context(), program, "corpus", kind, fmt.Sprint(gigabyte), path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() < gigabyte*9/10 {
			t.Fatalf("%s: %v, %v", kind, info, err)
		}
		for _, op := range []string{"open", "context"} {
			out, err := exec.CommandContext(t.Context(), program, op, path).Output()
			if err != nil {
				t.Fatalf("%s %s: %v", kind, op, err)
			}
			var m struct {
				Milliseconds float64 `json:"ms"`
				PeakKB       int64   `json:"rssKb"`
			}
			if err := json.Unmarshal(bytes.TrimSpace(out), &m); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d bytes, %s: %.0f ms, at most %d KiB", kind, info.Size(), op, m.Milliseconds, m.PeakKB)
			if m.PeakKB == 0 || m.PeakKB > most {
				t.Errorf("%s %s took %d KiB, limit %d", kind, op, m.PeakKB, most)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
