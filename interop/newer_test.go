//go:build peers

package interop_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/interop/peers"
)

// newer reports whether a vector is of a version that is not installed whole.
func newer(v vectors.Vector) bool { return v.Version == "1.5.2" || v.Version == "18.3.4" }

// TestNewerPi runs pi's recorded scripts on the session manager of the newer pi: those
// of its own version, and all of the older one but what it does in another way.
func TestNewerPi(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, peers.PiNewer)
	other := map[string]bool{"pi-07-missing-file-lazy.json": true} // it writes with the first user message
	ran := map[string]int{}
	for _, v := range all {
		if v.System != "pi" || v.Operation != "script" {
			continue
		}
		dir := t.TempDir()
		got, err := script(d, dir, v)
		if err != nil {
			t.Fatalf("%s: %v", v.File, err)
		}
		ran[v.Version]++
		want, _ := jsonedit.Get(v.Expected, "results")
		if err := match(dir, d.Home(), want, got); other[v.File] != (err != nil) {
			t.Errorf("%s: %v; %s", v.File, err, got)
		}
	}
	if ran["0.87.1"] < 20 || ran["1.5.2"] < 2 {
		t.Errorf("only %v vectors ran", ran)
	}
}
