//go:build peers

package interop_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
)

// synced is how many sessions of each program are synced to another home.
const synced = 20

// TestSyncedSessionsOpen has each real program write sessions in one home, syncs
// them to a directory and from there into another home, and has the program open
// them there: it reads the same, at every entry. Then it goes on in both homes, and
// after another sync reads the same branches in both.
func TestSyncedSessionsOpen(t *testing.T) {
	dir := t.TempDir()
	syncedOpen(t, exchange.Directory(dir))
}

func syncedOpen(t *testing.T, there exchange.Side) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			ada, bob := newHome(t, p), newHome(t, p)
			store := filepath.Join(ada.Home(), "."+string(name), "agent", "sessions", "--work--")
			kinds := map[string]int{}
			paths := map[string]string{}
			for seed := range uint64(synced) {
				rng := rand.New(rand.NewPCG(seed, 53))
				call(t, ada, "create", filepath.Join(ada.Home(), "work"), store)
				if err := retell(program{ada}, rng, name, kinds); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				call(t, ada, "flush")
				path, _ := jsonedit.String(call(t, ada, "sessionFile"))
				id, _ := jsonedit.String(get(call(t, ada, "open", path), "sessionId"))
				paths[id] = path
			}
			syncHome(t, ada, there)
			syncHome(t, bob, there)
			came := sessionsIn(t, bob)
			if len(came) != len(paths) {
				t.Fatalf("%d sessions came, want %d", len(came), len(paths))
			}
			for _, there := range came {
				id, _ := jsonedit.String(get(call(t, bob, "open", there), "sessionId"))
				sameInBoth(t, ada, bob, paths[id], there)
				for i, d := range []*peers.Driver{ada, bob} {
					call(t, d, "open", []string{paths[id], there}[i])
					call(t, d, "message", map[string]any{"role": "user", "content": fmt.Sprint("went on in home ", i), "timestamp": 1_800_000_000_000 + i})
					call(t, d, "flush")
				}
			}
			for _, d := range []*peers.Driver{bob, ada, bob} {
				syncHome(t, d, there)
			}
			for _, there := range came {
				id, _ := jsonedit.String(get(call(t, bob, "open", there), "sessionId"))
				sameInBoth(t, ada, bob, paths[id], there)
				data, err := os.ReadFile(there)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 2 {
					if n := strings.Count(string(data), fmt.Sprint("went on in home ", i)); n != 1 {
						t.Errorf("%s: what was said in home %d is there %d times", there, i, n)
					}
				}
			}
			t.Logf("%s: %v", p, kinds)
		})
	}
}

// newHome runs a program in a home of its own.
func newHome(t *testing.T, p peers.Program) *peers.Driver {
	t.Helper()
	d, err := peers.StartIn(t.Context(), p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // the context has ended by now, which kills it
	return d
}

func syncHome(t *testing.T, d *peers.Driver, there exchange.Side) {
	t.Helper()
	env := layout.Env{Home: d.Home(), Cwd: d.Home()}
	_, err := exchange.Run(t.Context(), exchange.Homes(env, layout.Overrides{}), there, exchange.Options{
		Agents: []string{map[peers.Program]string{peers.Pi: "pi", peers.Omp: "omp"}[d.Program()]},
		State:  filepath.Join(d.Home(), "state"),
		Failed: func(f exchange.Failure) { t.Errorf("%s: %v", f.Name, f.Err) },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sessionsIn returns the session files of a home.
func sessionsIn(t *testing.T, d *peers.Driver) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(d.Home(), ".*", "agent", "sessions", "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameInBoth compares what the program says of a session in two homes: all but
// the header, whose directory is another one, and the order of the file.
func sameInBoth(t *testing.T, a, b *peers.Driver, here, there string) {
	t.Helper()
	var leaves []string
	for id := range jsonedit.Elements(get(call(t, a, "open", here), "entryIds")) {
		text, _ := jsonedit.String(id)
		leaves = append(leaves, text)
	}
	want, err := theirs(a, here, leaves)
	if err != nil {
		t.Fatal(err)
	}
	got, err := theirs(b, there, leaves)
	if err != nil {
		t.Fatal(err)
	}
	if len(leaves) == 0 || len(want) < len(leaves) {
		t.Fatalf("%s: %d entries, %d things said of it", here, len(leaves), len(want))
	}
	for name := range want {
		if name == "leafId" || name == "sessionId" || name == "name" || name == "labels" || strings.HasPrefix(name, "context") || strings.HasPrefix(name, "llm") {
			if err := peers.Compare(want[name], got[name]); err != nil {
				t.Errorf("%s and %s: %s: %.1000s", here, there, name, err)
			}
		}
	}
}
