package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
)

// TestSearchNamesEntriesOfVersionOne: a hit in a session of version 1 has the id
// that every reading of the entry has, and stands on the branch that it is on.
func TestSearchNamesEntriesOfVersionOne(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--w--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lines := []string{`{"type":"session","id":"0198c2a1-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`}
	for i := range 3 {
		lines = append(lines, fmt.Sprintf(`{"type":"message","timestamp":"2026-01-02T03:04:0%d.000Z","message":{"role":"user","content":"fish %d"}}`, i+6, i))
	}
	lines = append(lines, `{"type":"compaction","timestamp":"2026-01-02T03:04:09.000Z","summary":"none","firstKeptEntryIndex":2,"tokensBefore":1}`)
	path := filepath.Join(dir, "2026-01-02T03-04-05-000Z_0198c2a1-0000-7000-8000-000000000001.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := layout.Env{Home: home}
	s, err := session.Open(t.Context(), path, session.Options{Env: env, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := map[string]search.Branch{}
	for i := range 3 {
		id, _ := s.List().ID(i)
		if want[id] = search.Active; i == 0 {
			want[id] = search.Compacted
		}
	}
	q, err := search.Parse("fish", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]search.Branch{}
	for hit, err := range search.Run(t.Context(), q, search.Options{Options: catalog.Options{Env: env}}) {
		if err != nil {
			t.Fatal(err)
		}
		got[hit.EntryID] = hit.Branch
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
