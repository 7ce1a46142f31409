package session_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzOpen opens any bytes as a session of every dialect: reading them ends,
// gives JSON and changes nothing; one entry appended to them is read again, and
// nothing that was there is lost.
func FuzzOpen(f *testing.F) {
	all, err := vectors.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range all {
		if file, ok := vectors.File(v.Input); ok && len(file) < 10_000 {
			f.Add(file, uint8(len(file)))
		}
	}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 53))
		d := sessiongen.Dialects()[seed%4]
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Entries: 6, Version: 1 + int(seed%3)})
		f.Add(s.Bytes, uint8(seed))
		damaged, _ := sessiongen.Damage(rng, s.Bytes)
		f.Add(damaged, uint8(seed))
	}
	f.Add([]byte("{\"type\":\"session\",\"version\":4,\"id\":\"x\"}\n{\"type\":\"custom\"}"), uint8(0))
	f.Add([]byte("\uFEFF{\"type\":\"session\",\n\"id\":\"x\"}\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		dir := t.TempDir()
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		rules := spelling.All()[int(which)%len(spelling.All())]
		o := session.Options{Dialect: rules.Name, Sync: session.SyncNone, Env: layout.Env{Home: filepath.Join(dir, "home"), TempDir: "/nowhere", Cwd: dir}}
		o.ReadOnly = true
		fuzzRead(t, path, o)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Fatalf("reading changed %q to %q (%v)", data, after, err)
		}
		o.ReadOnly = false
		fuzzAppend(t, path, data, o)
	})
}

// fuzzRead reads all that a session says, and returns how many entries it has.
func fuzzRead(t *testing.T, path string, o session.Options) int {
	s, err := session.Open(t.Context(), path, o)
	if errors.Is(err, session.ErrNotSession) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	valid := func(what string, v entry.JSON) {
		if !jsontext.Value(v).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("%s is not JSON: %q", what, v)
		}
	}
	valid("header", s.HeaderJSON())
	c, err := s.Context(t.Context(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		valid("message", m.JSON)
	}
	sent, _ := s.LLM(t.Context(), c)
	for m, err := range sent {
		if err != nil {
			t.Fatal(err)
		}
		valid("message to a model", m)
	}
	n := 0
	for e, err := range s.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		valid("entry", e.Raw())
		n++
	}
	if n != s.Len() {
		t.Fatalf("%d entries, Len is %d", n, s.Len())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// fuzzAppend appends an entry and reads it again.
func fuzzAppend(t *testing.T, path string, before []byte, o session.Options) {
	s, err := session.Open(t.Context(), path, o)
	if errors.Is(err, session.ErrNotSession) || errors.Is(err, session.ErrReadOnly) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	opened, err := os.ReadFile(path) // migrated, or begun
	if err != nil {
		t.Fatal(err)
	}
	n := s.Len()
	body, err := entry.ParseBody([]byte(`{"type":"message","message":{"role":"user","content":"appended","timestamp":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Append(t.Context(), body)
	if errors.Is(err, session.ErrReadOnly) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(after, opened) {
		t.Fatalf("appending to %q made %q (%v)", opened, after, err)
	}
	if n > 0 && len(opened) == 0 {
		t.Fatalf("%q was lost by opening", before)
	}
	o.ReadOnly = true
	again, err := session.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, _ := again.Leaf(); leaf != id || again.Len() != n+1 {
		t.Fatalf("%d entries with the leaf %q after appending %q to %d of %q", again.Len(), leaf, id, n, opened)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
