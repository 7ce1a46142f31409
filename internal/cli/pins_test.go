package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/google/go-cmp/cmp"
)

// TestPins pins sessions beside what omp pinned, whose file stays as it is.
func TestPins(t *testing.T) {
	m := newMachine(t)
	own := filepath.Join(m.home, ".local/state/cambium/pins.json")
	omp := filepath.Join(m.home, ".omp/agent/session-pins.json")
	theirs := []byte("[\n\t\"o1\"\n]")
	if err := os.MkdirAll(filepath.Dir(omp), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(omp, theirs, 0o600); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		ids     []string
		on      bool
		refused []string
		want    []string // in our file
		pinned  []string // of pi's p1 p2 and omp's o1 o2
	}{
		{ids: []string{"p1", "o2", ""}, on: true, want: []string{"o2", "p1"}, pinned: []string{"p1", "o1", "o2"}},
		{ids: []string{"p2"}, on: true, want: []string{"o2", "p1", "p2"}, pinned: []string{"p1", "p2", "o1", "o2"}},
		{ids: []string{"p1", "o2"}, want: []string{"p2"}, pinned: []string{"p2", "o1"}},
		{ids: []string{"o1"}, refused: []string{"o1"}, want: []string{"p2"}, pinned: []string{"p2", "o1"}},
		{ids: []string{"p2"}, want: []string{}, pinned: []string{"o1"}},
	}
	for _, s := range steps {
		refused, pinned, err := cli.Pins(m.env, m.dir, s.ids, s.on)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(own)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		for _, diff := range []string{cmp.Diff(s.refused, refused), cmp.Diff(s.want, got), cmp.Diff(s.pinned, pinned)} {
			if diff != "" {
				t.Errorf("pin %v %v (-want +got):\n%s", s.ids, s.on, diff)
			}
		}
	}
	if now, err := os.ReadFile(omp); err != nil || string(now) != string(theirs) {
		t.Errorf("omp's pins are %q now, %v", now, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(own), ".pins-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.WriteFile(own, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, pinned, err := cli.Pins(m.env, m.dir, []string{"p1"}, true); err != nil || cmp.Diff([]string{"p1", "o1"}, pinned) != "" {
		t.Errorf("after damage %v are pinned, %v", pinned, err)
	}
	if kept, err := os.ReadFile(own + ".damaged"); err != nil || string(kept) != "{damaged" {
		t.Errorf("of the damaged file %q was kept, %v", kept, err)
	}
}
