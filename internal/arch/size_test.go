package arch_test

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"

	"github.com/cambium-dev/cambium/internal/arch"
)

// What a room, or a type, is at most.
const (
	mostFiles   = 40
	mostLines   = 6000
	mostMutable = 12
)

// larger are those that are larger than that, and what they may not grow beyond. A row
// that is not needed any more goes; nothing comes.
func larger() map[string]arch.Size {
	return map[string]arch.Size{
		"entry.Index":                 {Mutable: 13},
		"internal/journal.Journal":    {Mutable: 18},
		"internal/tui/chatview.Model": {Mutable: 24},
		"replay.Context":              {Mutable: 18},
		"storage/local.log":           {Mutable: 17},
	}
}

// mostMethods are those of the types that everything went through.
func mostMethods() map[string]int {
	return map[string]int{"internal/cli.app": 4, "session.Session": 184, "internal/work.Library": 103}
}

// TestSizes: rooms and types do not grow beyond what can be known.
func TestSizes(t *testing.T) {
	all, err := arch.Sizes(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	rows, methods := larger(), mostMethods()
	for _, s := range all {
		name := s.Room
		if s.Type != "" {
			name += "." + s.Type
		}
		limit := arch.Size{Files: mostFiles, Lines: mostLines, Mutable: mostMutable}
		row, listed := rows[name]
		if listed {
			limit.Files, limit.Lines, limit.Mutable = max(row.Files, mostFiles), max(row.Lines, mostLines), max(row.Mutable, mostMutable)
		}
		if s.Files > limit.Files || s.Lines > limit.Lines || s.Mutable > limit.Mutable {
			t.Errorf("%s has %d files, %d lines, sets %d fields of its own: more than %+v", name, s.Files, s.Lines, s.Mutable, limit)
		}
		if listed && s.Files <= mostFiles && s.Lines <= mostLines && s.Mutable <= mostMutable {
			t.Errorf("%s is no larger than others: its row can go", name)
		}
		if most, ok := methods[name]; ok && s.Methods > most {
			t.Errorf("%s has %d methods, and had %d", name, s.Methods, most)
		}
		delete(rows, name)
		delete(methods, name)
	}
	for name := range rows {
		t.Errorf("%s is not there: its row can go", name)
	}
	for name := range methods {
		t.Errorf("%s is not there: its row can go", name)
	}
}

// TestSizesOf: what is counted.
func TestSizesOf(t *testing.T) {
	root := fstest.MapFS{
		"a/a.go":      {Data: []byte("package a\n\ntype T struct{ n, m, k int }\n\nfunc (t *T) Set() { t.n = 1; t.m++; x := t.k; _ = x }\nfunc (t T) Get() int { return t.n }\n")},
		"a/b.go":      {Data: []byte("package a\n\ntype G[V any] struct{ v V }\n\nfunc (g *G[V]) Put(v V) { g.v = v }\nfunc F() {}\n")},
		"a/a_test.go": {Data: []byte("package a\n\nfunc (t *T) More() { t.k = 1 }\n")},
	}
	all, err := arch.Sizes(root, "m")
	want := "[{Room:a Type: Files:2 Lines:12 Methods:0 Mutable:0} {Room:a Type:G Files:0 Lines:0 Methods:1 Mutable:1} {Room:a Type:T Files:0 Lines:0 Methods:2 Mutable:2}]"
	if got := fmt.Sprintf("%+v", all); err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
