package codex_test

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// anywhere is a program that has every file.
type anywhere struct{ foreign.Program }

func (anywhere) Owns(string, layout.Env) bool { return true }

func open(t *testing.T, path string) *session.Session {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	env := layout.Env{Home: t.TempDir(), Cwd: t.TempDir()}
	o := foreign.On(session.Options{Env: env}, foreign.Programs{All: []foreign.Program{anywhere{codex.New()}}, Env: env})
	s, err := session.Open(context.Background(), abs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// file returns the newest file of a thread of a sample.
func file(t *testing.T, dir, id string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "rollout-*"+id+"*.jsonl"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no file of %s in %s", id, dir)
	}
	return slices.Max(all)
}

// ordered are the samples whose compaction Codex sends behind what it keeps, and Cambium in
// front of it.
var ordered = map[string]bool{"compact": true, "autocompact": true, "hand-compact-legacy": true, "hand-compact-paginated": true}

// TestRequests compares what the model sees of each sample with what the program sent when it
// went on with it.
func TestRequests(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/samples/*/*.request.json")
	if err != nil || len(all) < 18 {
		t.Fatalf("%d samples, %v", len(all), err)
	}
	for _, request := range all {
		dir := filepath.Dir(request)
		t.Run(filepath.Base(dir)+"/"+filepath.Base(request)[:18], func(t *testing.T) {
			t.Parallel()
			s := open(t, file(t, dir, strings.TrimSuffix(filepath.Base(request), ".request.json")))
			c, err := s.Context(context.Background(), session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := foreigntest.Cut(foreigntest.Neutral(t, c), false), foreigntest.Request(t, request)
			if ordered[filepath.Base(dir)] {
				for _, turns := range [][]foreigntest.Turn{got, want} {
					for _, turn := range turns {
						slices.SortFunc(turn.Parts, func(a, b foreigntest.Part) int { return strings.Compare(a.Text, b.Text) })
					}
				}
			}
			for n := range max(len(got), len(want)) {
				var g, w foreigntest.Turn
				if n < len(got) {
					g = got[n]
				}
				if n < len(want) {
					w = want[n]
				}
				if !reflect.DeepEqual(g, w) {
					t.Errorf("turn %d\n got %+v\nwant %+v", n, g, w)
				}
			}
			if d := s.Damage(); d.Any() {
				t.Errorf("damage: %v", d)
			}
		})
	}
}
