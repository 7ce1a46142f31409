package claude_test

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// any is a program that has every file.
type anywhere struct{ foreign.Program }

func (anywhere) Owns(string, layout.Env) bool { return true }

// open opens a session of the samples.
func open(t *testing.T, path string) *session.Session {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	env := layout.Env{Home: t.TempDir(), Cwd: t.TempDir()}
	o := foreign.On(session.Options{Env: env}, foreign.Programs{All: []foreign.Program{anywhere{claude.New()}}, Env: env})
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

// TestRequests compares what the model sees of each sample with what the program sent when it
// went on with it.
func TestRequests(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/samples/*/*.request.json")
	if err != nil || len(all) < 20 {
		t.Fatalf("%d samples, %v", len(all), err)
	}
	for _, request := range all {
		t.Run(filepath.Base(filepath.Dir(request))+"/"+filepath.Base(request)[:8], func(t *testing.T) {
			t.Parallel()
			s := open(t, strings.TrimSuffix(request, ".request.json")+".jsonl")
			c, err := s.Context(context.Background(), session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := foreigntest.Neutral(t, c), foreigntest.Request(t, request)
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
