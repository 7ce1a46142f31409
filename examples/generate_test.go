// Package examples_test writes the sessions in this folder and checks that they
// are what it would write and mean what README.md says of them. After a change:
//
//	go test ./examples -update
package examples_test

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

var update = flag.Bool("update", false, "write the examples anew")

// stories are the examples; whole says that one has everything an example of
// its dialect is to show.
var stories = []struct {
	name  string
	write func(*testing.T) *writer
	whole bool
}{
	{"pi, a bug hunt", early, true},
	{"pi, short", pump, false},
	{"omp", charts, true},
	{"xcsh", forecast, true},
	{"cambium", winter, true},
}

func TestUpToDate(t *testing.T) {
	want := map[string][]byte{}
	for _, story := range stories {
		w := story.write(t)
		maps.Copy(want, w.files)
		want[w.path] = w.file.Bytes()
	}
	if *update {
		rewrite(t, want)
		return
	}
	for _, path := range found(t) {
		if _, ok := want[path]; !ok {
			t.Errorf("%s belongs to no example", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		got, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Errorf("%v (go test ./examples -update writes it)", err)
		} else if !bytes.Equal(got, want[path]) {
			t.Errorf("%s is not what the test writes (go test ./examples -update)", path)
		}
	}
}

func rewrite(t *testing.T, files map[string][]byte) {
	t.Helper()
	for _, path := range found(t) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// found returns the files of the agent directories in this folder.
func found(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, name := range places.Names() {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				all = append(all, filepath.ToSlash(path))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestMeaning opens every example as a reader does who knows nothing but the
// file and its agent directory.
func TestMeaning(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			w := story.write(t)
			s, err := session.Open(t.Context(), filepath.Join(here, w.path), session.Options{
				ReadOnly: true, AgentDir: filepath.Join(here, w.home), Env: layout.Env{Home: t.TempDir(), Cwd: here},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if story.whole && s.Dialect() != w.rules.Name {
				t.Errorf("the marks in it say %s, it is of %s", s.Dialect(), w.rules.Name)
			}
			messages(t, s)
			if d := s.Damage(); d.Any() {
				t.Errorf("damage: %s", d)
			}
			if story.whole {
				complete(t, s, w)
			}
		})
	}
}

// messages checks that the model sees a conversation that an answer ends.
func messages(t *testing.T, s *session.Session) {
	t.Helper()
	c, err := s.Context(context.Background(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var roles []entry.Role
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(m.JSON, []byte(blob.Prefix)) {
			t.Errorf("entry %d: its image is not there", m.Entry)
		}
		roles = append(roles, m.Role)
	}
	if len(roles) < 3 || roles[len(roles)-1] != entry.RoleAssistant {
		t.Errorf("roles = %v, want a conversation that ends with an answer", roles)
	}
}

// complete checks that an example has all that there is to learn from one.
func complete(t *testing.T, s *session.Session, w *writer) {
	t.Helper()
	kinds := map[entry.Kind]int{}
	hidden, image := false, false
	for e, err := range s.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kinds[e.Kind]++
		if e.Kind == entry.CustomMessage {
			display, _ := jsonedit.Get(e.Raw(), "display")
			hidden = hidden || string(display) == "false"
		}
		image = image || bytes.Contains(e.Raw(), []byte(`"type":"image"`))
	}
	for _, kind := range []entry.Kind{entry.Compaction, entry.Label, entry.ThinkingLevelChange, entry.BranchSummary, entry.ModelChange} {
		if kinds[kind] == 0 {
			t.Errorf("no entry of type %s", kind)
		}
	}
	if kinds[entry.ThinkingLevelChange] < 2 {
		t.Error("the thinking level never changes")
	}
	if !hidden || !image {
		t.Errorf("message that is not displayed: %v, image: %v", hidden, image)
	}
	if len(s.Tree().Tips()) < 2 {
		t.Error("it has one branch only")
	}
	if title, _ := s.Title(); title == "" {
		t.Error("it has no title")
	}
	blobs := slices.Sorted(maps.Keys(w.files))
	blobs = slices.DeleteFunc(blobs, func(path string) bool { return !strings.Contains(path, "/blobs/") })
	if inline := w.rules.Name == dialect.Pi; inline == (len(blobs) > 0) {
		t.Errorf("blobs = %v", blobs)
	}
}
