//go:build peers

package interop_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/session"
)

// TestRewrittenBesideAppends: pi saves a session of 30 MB in place, without what was
// appended since it read it, while a handle appends: what was acknowledged is there once.
func TestRewrittenBesideAppends(t *testing.T) {
	for p, name := range managers() {
		if name != dialect.Pi {
			continue // omp rewrites into another file
		}
		d := start(t, p)
		for round := range 4 {
			rewrittenBeside(t, d, uint64(round))
		}
	}
}

func rewrittenBeside(t *testing.T, d *peers.Driver, seed uint64) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sessiongen.Big(f, rand.New(rand.NewPCG(seed, 43)), 30_000_000); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path, options(dir, dialect.Pi))
	if err != nil {
		t.Fatal(err)
	}
	before := s.Len()
	body, err := entry.ParseBody([]byte(`{"type":"message","message":{"role":"user","content":"more","timestamp":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	call(t, d, "open", path)
	saved := make(chan error, 1)
	go func() {
		_, err := d.Call("rewrite")
		saved <- err
	}()
	want, left := map[string]int{}, -1
	for left != 0 && len(want) < 20_000 {
		id, err := s.Append(t.Context(), body)
		if err != nil {
			t.Fatalf("%s, append %d: %v", d.Program(), len(want), err)
		}
		want[id] = 0
		select {
		case err := <-saved:
			if err != nil {
				t.Fatal(err)
			}
			left = 50
		default:
			left--
		}
	}
	if left < 0 {
		if err := <-saved; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("%s: flush: %v", d.Program(), err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("%s: close: %v", d.Program(), err)
	}
	o := options(dir, dialect.Pi)
	o.ReadOnly = true
	if s, err = session.Open(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // only read
	for e, err := range s.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ours := want[e.ID]; ours {
			want[e.ID]++
		}
	}
	lost, twice := 0, 0
	for _, n := range want {
		switch {
		case n == 0:
			lost++
		case n > 1:
			twice++
		}
	}
	if lost > 0 || twice > 0 || s.Len() != before+len(want) {
		t.Errorf("%s: of %d acknowledged %d are lost, %d there twice; %d entries, want %d", d.Program(), len(want), lost, twice, s.Len(), before+len(want))
	}
	t.Logf("%s: %d acknowledged", d.Program(), len(want))
}
