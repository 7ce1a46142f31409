package repair_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/session"
)

var copies = flag.Int("copies", 200, "how many damaged sessions TestRepairedMeansTheSame repairs")

// TestRepairedMeansTheSame: a repaired session has the tree and the context that it
// had before, leaf by leaf.
func TestRepairedMeansTheSame(t *testing.T) {
	mended := 0
	for seed := range uint64(*copies) {
		data, name := sessiontest.Damaged(seed)
		disk, was := crashfs.New(), crashfs.New()
		onDisk(t, disk, data)
		onDisk(t, was, data)
		m := machine(t, disk)
		o := vfs.On(session.Options{ReadOnly: true, Env: m.env, Dialect: dialect.Name(name)}, was)
		s, err := session.Open(t.Context(), memoryPath, o)
		if errors.Is(err, session.ErrNotSession) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := m.look()
		if err := m.doctor().Fix(t.Context(), r); err != nil {
			t.Errorf("seed %d: %v; found %s", seed, err, kinds(r))
		}
		for _, f := range r.Findings {
			if f.Kind == "parent" && f.Fixed {
				mended++
			}
		}
		o = vfs.On(o, disk)
		now, err := session.Open(t.Context(), memoryPath, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := sessiontest.SameHealed(s, now); err != nil {
			t.Errorf("seed %d: %v; found %s", seed, err, kinds(r))
		}
		if err := errors.Join(s.Close(), now.Close()); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if mended < *copies/8 {
		t.Errorf("only %d links were missing in %d sessions", mended, *copies)
	}
}
