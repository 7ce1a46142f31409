package exchange_test

import (
	"bytes"
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

var copies = flag.Int("copies", 60, "how many damaged sessions TestCopiesMeanTheSame sends")

// relinked are seeds of sessions in which a link that is written says more of other
// entries.
var relinked = []uint64{1380}

// TestCopiesMeanTheSame: a damaged session that is sent to a side and from there to
// another machine has the tree and the context that it has here, leaf by leaf, and
// a second run finds nothing to do; also when it went on in between.
func TestCopiesMeanTheSame(t *testing.T) {
	linked := 0
	seeds := slices.Clone(relinked)
	for seed := range uint64(*copies) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		data, name := sessiontest.Damaged(seed)
		here, other := newMachine(t, "here"), newMachine(t, "other")
		path := here.write(t, string(name), "--p--", "2026-01-02T03-04-05-000Z_s.jsonl", data)
		o := session.Options{Env: here.env(), ReadOnly: true}
		s, err := session.Open(t.Context(), path, o)
		if errors.Is(err, session.ErrNotSession) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if defects.Of(s.Damage()).HeaderRebuilt || s.ID() == "" {
			s.Close()
			continue
		}
		there := exchange.Directory(filepath.Join(t.TempDir(), "there"))
		rep, failed, err := here.sync(there, exchange.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(failed) > 0 { // its header stands where sync does not look for it
			s.Close()
			continue
		}
		linked += rep.Relinked
		other.mustSync(t, there)
		arrived := only(t, other.home)
		copied, err := session.Open(t.Context(), arrived, session.Options{Env: other.env(), ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := sessiontest.SameHealed(s, copied); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := errors.Join(s.Close(), copied.Close()); err != nil {
			t.Fatal(err)
		}
		if rep := here.mustSync(t, there); rep.Out.Entries+rep.In.Entries > 0 {
			t.Errorf("seed %d: a second run moved %+v", seed, rep)
		}
		goesOn(t, seed, here, other, there, path, arrived)
		if t.Failed() {
			return
		}
	}
	if linked < *copies/20 {
		t.Errorf("only %d links were missing in %d sessions", linked, *copies)
	}
}

// goesOn has the session go on here and sends that too: nothing that was sent comes
// twice, and both sides have as many entries.
func goesOn(t *testing.T, seed uint64, here, other *machine, there exchange.Side, path, arrived string) {
	t.Helper()
	s, err := session.Open(t.Context(), path, session.Options{Env: here.env()})
	if errors.Is(err, session.ErrReadOnly) || errors.Is(err, session.ErrNotSession) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":"went on","timestamp":1}`)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	here.mustSync(t, there)
	if rep := other.mustSync(t, there); rep.In.Entries == 0 {
		t.Errorf("seed %d: what was said later did not arrive", seed)
	}
	if rep := here.mustSync(t, there); rep.Out.Entries+rep.In.Entries > 0 {
		t.Errorf("seed %d: another run moved %+v", seed, rep)
	}
	if got, want := len(entries(t, read(t, arrived))), len(entries(t, read(t, path))); got != want {
		t.Errorf("seed %d: %d entries arrived of %d", seed, got, want)
	}
}

// linked returns the lines of the entries of a session, each with the parent below
// which it is read, sorted.
func linked(t *testing.T, path string, m *machine) []string {
	t.Helper()
	s, err := session.Open(t.Context(), path, vfs.On(session.Options{ReadOnly: true, Env: m.env()}, m.fsys))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	links, err := tree.Of(s.Tree()).Relink(tree.Names(s.ID()))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, s.Len())
	for i := range all {
		line, err := s.List().Load(i)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = string(bytes.TrimSpace(links.Line(i, line)))
	}
	slices.Sort(all)
	return all
}
