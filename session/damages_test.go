package session_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/session"
)

var damages = flag.Int("damages", 210, "how many random damages TestManyDamages does")

// A whole is a session without damage and what a plain reading of it says.
type whole struct {
	data  []byte
	start map[string]int // where the line of an entry begins
	lines map[string]string
	chain bool // it has no branches
	o     session.Options
	s     *session.Session
}

// chained is a session of n messages, each the child of the one before.
func chained(rng *rand.Rand, n int) []byte {
	lines := []string{headerLine}
	parent := ""
	for i := range n {
		id := fmt.Sprintf("%08x", rng.Uint32()&^0xfff|uint32(i))
		text := strings.Repeat("a word of \\\""+id+"\\\" and more; ", rng.IntN(12))
		lines = append(lines, strings.Replace(say(id, parent), "text of "+id, "text of "+id+text, 1))
		parent = id
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// newWhole makes a session of 20 to 2,000 entries: a chain, or one with branches,
// compactions and all kinds of entries, of one of the four dialects.
func newWhole(t *testing.T, seed uint64) *whole {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 10_000))
	n := int(20 * math.Pow(100, rng.Float64()))
	d := sessiongen.Dialects()[seed%4]
	w := &whole{start: map[string]int{}, lines: map[string]string{}, o: session.Options{ReadOnly: true, Env: env(t.TempDir())}}
	if w.chain = seed%3 == 0; w.chain {
		w.data = chained(rng, n)
	} else {
		w.data = sessiongen.Random(rng, sessiongen.Options{Dialect: d, Clean: true, Entries: n}).Bytes
		w.o.Dialect = dialect.Name(d)
	}
	at := 0
	for line := range bytes.SplitSeq(w.data, []byte("\n")) {
		if id, ok := jsonedit.Text(line, "id"); ok {
			if kind, _ := jsonedit.Text(line, "type"); kind != "session" {
				w.start[id], w.lines[id] = at, strings.TrimRight(string(line), "\r")
			}
		}
		at += len(line) + 1
	}
	path := filepath.Join(t.TempDir(), "whole.jsonl")
	if err := os.WriteFile(path, w.data, 0o600); err != nil {
		t.Fatal(err)
	}
	w.s = open(t, path, w.o)
	if w.s.Len() != len(w.start) {
		t.Fatalf("seed %d: %d entries, the file has %d", seed, w.s.Len(), len(w.start))
	}
	return w
}

// spared reports whether no byte of an entry's line was touched.
func (w *whole) spared(id string, wound sessiongen.Wound) bool {
	at, ok := w.start[id]
	return ok && (at >= wound.Offset+wound.Length || at+len(w.lines[id]) <= wound.Offset)
}

// inContext returns the ids of the entries that a context shows.
func inContext(t *testing.T, s *session.Session, leaf string) []string {
	t.Helper()
	o := session.ContextOptions{Leaf: &leaf}
	if leaf == "" {
		o = session.ContextOptions{}
	}
	c, err := s.Context(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		id, _ := s.List().ID(m.Entry)
		all = append(all, string(id))
	}
	return all
}

// A share is how many of how many undamaged entries are there.
type share struct{ got, of int }

func (s *share) count(there bool) {
	s.of++
	if there {
		s.got++
	}
}

func (s share) percent() float64 {
	if s.of == 0 {
		return 100
	}
	return 100 * float64(s.got) / float64(s.of)
}

// wanted is the leaf whose context a damaged session should show: its own, when
// that was spared; else where the damaged one goes on, or what comes before it.
func (w *whole) wanted(wound sessiongen.Wound, got string) string {
	leaf, _ := w.s.Leaf()
	if w.spared(leaf, wound) {
		return leaf
	}
	if _, ok := w.start[got]; ok {
		return got
	}
	parent, _ := jsonedit.Text([]byte(w.lines[leaf]), "parentId")
	return parent
}

// look counts which undamaged entries of a damaged session are in view, and
// which of those that belong there in context.
func (w *whole) look(t *testing.T, path string, wound sessiongen.Wound, view, context *share) {
	t.Helper()
	s, err := session.Open(t.Context(), path, w.o)
	there, shown := map[string]bool{}, map[string]bool{}
	leaf := ""
	if err == nil {
		defer s.Close()
		for e, err := range s.Entries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			there[string(e.Raw())] = true
		}
		for _, id := range inContext(t, s, "") {
			shown[id] = true
		}
		id, _ := s.Leaf()
		leaf = string(id)
	} else if !errors.Is(err, session.ErrNotSession) {
		t.Fatal(err)
	}
	for id, line := range w.lines {
		if w.spared(id, wound) {
			view.count(there[line])
		}
	}
	if leaf = w.wanted(wound, leaf); leaf == "" {
		return
	}
	for _, id := range inContext(t, w.s, leaf) {
		if w.spared(id, wound) {
			context.count(shown[id])
		}
	}
}

// TestManyDamages wounds sessions of 20 to 2,000 entries, once each time, and
// wants 99.9 % of the entries that were not touched in view, and of those that
// belong there in context. Of the sessions with branches 99.88 % have to be: they go
// back to any earlier entry at every seventh, and of a lost line that began a branch
// nothing may be left. The long form is "make damage": 10,000.
func TestManyDamages(t *testing.T) {
	kinds := []func(*rand.Rand, []byte) ([]byte, sessiongen.Wound){
		sessiongen.Flip, sessiongen.Cut, sessiongen.Nuls, sessiongen.Glue, sessiongen.Drop, sessiongen.Tear, sessiongen.Repeat,
	}
	var view, context share
	var branched, straight [2]share // in view and in context
	views, contexts := map[string]*share{}, map[string]*share{}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	var w *whole
	for n := range *damages {
		seed := uint64(n)
		if n%21 == 0 {
			w = newWhole(t, seed/21)
		}
		rng := rand.New(rand.NewPCG(seed, 999))
		data, wound := kinds[n%len(kinds)](rng, w.data)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if views[wound.Kind] == nil {
			views[wound.Kind], contexts[wound.Kind] = &share{}, &share{}
		}
		var v, c share
		w.look(t, path, wound, &v, &c)
		if v.percent() < 90 || c.percent() < 90 {
			t.Logf("damage %d, %s at %d, %d bytes: %d of %d in view, %d of %d in context", n, wound.Kind, wound.Offset, wound.Length, v.got, v.of, c.got, c.of)
		}
		kind := &branched
		if w.chain {
			kind = &straight
		}
		for _, sum := range []struct{ to, of *share }{{&kind[0], &v}, {&kind[1], &c}, {&view, &v}, {&context, &c}, {views[wound.Kind], &v}, {contexts[wound.Kind], &c}} {
			sum.to.got, sum.to.of = sum.to.got+sum.of.got, sum.to.of+sum.of.of
		}
	}
	for kind := range views {
		t.Logf("%-7s %9d of %9d in view, %9d of %9d in context", kind, views[kind].got, views[kind].of, contexts[kind].got, contexts[kind].of)
	}
	t.Logf("without branches: of the undamaged entries %.4f %% in view, %.4f %% (of %d) in context", straight[0].percent(), straight[1].percent(), straight[1].of)
	t.Logf("with branches: of the undamaged entries %.4f %% in view, %.4f %% (of %d) in context", branched[0].percent(), branched[1].percent(), branched[1].of)
	t.Logf("%d damages: of the undamaged entries %.4f %% in view, %.4f %% in context", *damages, view.percent(), context.percent())
	if view.percent() < 99.9 || context.percent() < 99.9 || branched[0].percent() < 99.9 || branched[1].percent() < 99.88 {
		t.Error("less than 99.9 %")
	}
}
