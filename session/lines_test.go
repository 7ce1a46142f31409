package session_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// Lines that are looked at one by one are those that are stored, in whatever
// order, damaged, glued, long, or of this process.
func TestLinesAreThoseStored(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		data := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Entries: 60}).Bytes
		if seed%3 == 0 {
			data, _ = sessiongen.Damage(rng, data)
		}
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), path, session.Options{Env: layout.Env{Home: t.TempDir(), Cwd: "/w"}, Dir: t.TempDir()})
		if errors.Is(err, session.ErrNotSession) {
			continue // the damage was to the header
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{10, 200_000, 30} {
			body, err := entry.ParseBody([]byte(`{"type":"message","message":{"role":"user","content":"` + strings.Repeat("w", n) + `","timestamp":1}}`))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Append(t.Context(), body); err != nil {
				t.Fatal(err)
			}
		}
		order := rng.Perm(s.Len())
		if seed%2 == 0 {
			slices.Sort(order)
		}
		order = append(order, s.Len(), -1, 0)
		n := 0
		for line, err := range s.Lines(slices.Values(order)) {
			want, wrong := s.Stored(order[n])
			if !bytes.Equal(line, want) || (err == nil) != (wrong == nil) || errors.Is(err, session.ErrNotFound) != errors.Is(wrong, session.ErrNotFound) {
				t.Fatalf("seed %d, entry %d: %.200q (%v), stored %.200q (%v)", seed, order[n], line, err, want, wrong)
			}
			n++
		}
		if n != len(order) {
			t.Errorf("%d lines of %d", n, len(order))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
