package cambium_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/memory"
)

func open(t *testing.T, o cambium.Options) *cambium.Engine {
	t.Helper()
	if o.Env.Home == "" {
		o.Env = layout.Env{Home: t.TempDir(), Cwd: "/work/garden"}
	}
	e, err := cambium.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// kept makes a session with a question and an answer and returns its id and
// path.
func kept(t *testing.T, e *cambium.Engine, cwd string, n cambium.New) (id, path string) {
	t.Helper()
	s, err := e.Create(context.Background(), cwd, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{question, answer} {
		if _, err := s.Append(context.Background(), &entry.MessageBody{Message: message}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.ID(), s.Path()
}

func TestOpenRefusesWhatCannotBeMeant(t *testing.T) {
	ctx := context.Background()
	if _, err := cambium.Open(ctx, cambium.Options{}); err == nil {
		t.Error("opened without a home")
	}
	if _, err := cambium.Open(ctx, cambium.Options{Env: layout.Env{Home: "/h"}, Agent: "nobody"}); err == nil {
		t.Error("opened for an agent that is not known")
	}
	for _, o := range []cambium.Options{{AgentDir: "/a"}, {SessionDir: "/s"}, {Store: memory.New(memory.Options{})}} {
		if _, err := cambium.Open(ctx, o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestResume(t *testing.T) {
	ctx := context.Background()
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			e := open(t, cambium.Options{Agent: d.Name})
			id, path := kept(t, e, "/work/garden", cambium.New{ID: "oak-0001"})
			kept(t, e, "/work/garden", cambium.New{ID: "oak-0002"})
			other, _ := kept(t, e, "/work/house", cambium.New{ID: "elm-0001"})

			for _, arg := range []string{id, "OAK-0001", path} {
				s, err := e.Resume(ctx, "/work/garden", arg)
				if err != nil {
					t.Fatalf("resume %q: %v", arg, err)
				}
				if s.ID() != id || s.Len() < 2 || s.ReadOnly() {
					t.Errorf("resume %q: id %q, %d entries", arg, s.ID(), s.Len())
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			var ambiguous *catalog.Ambiguous
			if _, err := e.Resume(ctx, "/work/garden", "oak-"); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
				t.Errorf("resume by what two have: %v", err)
			}
			var none *catalog.NotFound
			if _, err := e.Resume(ctx, "/work/garden", "ash-"); !errors.As(err, &none) {
				t.Errorf("resume by what none has: %v", err)
			}
			var elsewhere *cambium.OtherProject
			if _, err := e.Resume(ctx, "/work/garden", other); !errors.As(err, &elsewhere) || elsewhere.Info.CWD != "/work/house" {
				t.Errorf("resume of another project's: %v", err)
			}
		})
	}
}

func TestContinue(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{})
	_, older := kept(t, e, "/work/garden", cambium.New{ID: "oak-0001"})
	kept(t, e, "/work/house", cambium.New{ID: "elm-0001"})
	newer, path := kept(t, e, "/work/garden", cambium.New{ID: "oak-0002"})
	now := time.Now()
	for file, age := range map[string]time.Duration{older: time.Hour, path: time.Minute} {
		if err := os.Chtimes(file, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.Continue(ctx, "/work/garden")
	if err != nil {
		t.Fatal(err)
	}
	if s.ID() != newer {
		t.Errorf("continued %q, want %q", s.ID(), newer)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, err = e.Continue(ctx, "/work/shed")
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 0 || s.CWD() != "/work/shed" || s.OnDisk() {
		t.Errorf("continued something in an empty project: %q", s.Path())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestReadChangesNothing(t *testing.T) {
	e := open(t, cambium.Options{})
	_, path := kept(t, e, "/work/garden", cambium.New{})
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(context.Background(), &entry.MessageBody{Message: question}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append to what is read: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the file changed: %v, %v", after, err)
	}
	if _, err := e.Read(context.Background(), filepath.Join(filepath.Dir(path), "no.jsonl")); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("read of what is missing: %v", err)
	}
}

// brokenIndex knows nothing and says why.
type brokenIndex struct{}

var errIndex = errors.New("disk image is malformed")

func (brokenIndex) Known(context.Context) iter.Seq2[catalog.Record, error] {
	return func(yield func(catalog.Record, error) bool) { yield(catalog.Record{}, errIndex) }
}

func (brokenIndex) Keep(context.Context, []catalog.Record, []string) error { return errIndex }

func TestFinding(t *testing.T) {
	ctx := context.Background()
	var said bytes.Buffer
	e := open(t, cambium.Options{Agent: dialect.Pi, Index: brokenIndex{}, Log: slog.New(slog.NewTextHandler(&said, nil))})
	kept(t, e, "/work/garden", cambium.New{ID: "oak-0001"})
	kept(t, e, "/work/house", cambium.New{ID: "elm-0001"})
	var recent, listed []string
	for g, err := range e.Recent(ctx, cambium.Query{CWD: "/work/garden"}) {
		if err != nil {
			t.Fatal(err)
		}
		recent = append(recent, g.ID)
	}
	if !slices.Equal(recent, []string{"oak-0001"}) {
		t.Errorf("recent %q", recent)
	}
	for i, err := range e.Sessions(ctx, cambium.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, i.ID)
	}
	if slices.Sort(listed); !slices.Equal(listed, []string{"elm-0001", "oak-0001"}) {
		t.Errorf("listed %q", listed)
	}
	if n := strings.Count(said.String(), errIndex.Error()); n != 1 {
		t.Errorf("the index was complained of %d times: %s", n, said.String())
	}
}

func TestSearch(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{Agent: dialect.Pi})
	kept(t, e, "/work/garden", cambium.New{ID: "oak-0001", Title: "Watering"})
	kept(t, e, "/work/house", cambium.New{ID: "elm-0001"})
	query, err := search.Parse("in:title water*", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for hit, err := range e.Search(ctx, query, cambium.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, hit.Info.ID+" "+hit.Role+" "+hit.Snippet)
	}
	if !slices.Equal(found, []string{"oak-0001 title Watering"}) {
		t.Errorf("found %q", found)
	}
}

// TestSharedStore: sessions in a store are listed, found and gone on with as those on
// the disk are.
func TestSharedStore(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{Store: memory.New(memory.Options{}), FirstWrite: session.Immediately})
	id, path := kept(t, e, "/work/garden", cambium.New{})
	listed := 0
	for info, err := range e.Sessions(ctx, cambium.Query{}) {
		if err != nil || info.ID != id || info.Path != path {
			t.Errorf("listed %+v, %v", info, err)
		}
		listed++
	}
	for glimpse, err := range e.Recent(ctx, cambium.Query{}) {
		if err != nil || glimpse.ID != id {
			t.Errorf("recent: %+v, %v", glimpse, err)
		}
		listed++
	}
	for found, err := range e.Entries(ctx, cambium.Query{}, catalog.EntryQuery{}) {
		if err != nil || found.Session.ID != id || !found.Active {
			t.Errorf("entry %+v, %v", found, err)
		}
		listed++
	}
	query, err := search.Parse("room", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for hit, err := range e.Search(ctx, query, cambium.Query{}) {
		if err != nil || hit.Info.ID != id {
			t.Errorf("found %+v, %v", hit, err)
		}
		listed++
	}
	if listed != 5 {
		t.Errorf("%d listed", listed)
	}
	for how, again := range map[string]func() (*session.Session, error){
		"resume":   func() (*session.Session, error) { return e.Resume(ctx, "/work/garden", id) },
		"continue": func() (*session.Session, error) { return e.Continue(ctx, "/work/garden") },
		"by id":    func() (*session.Session, error) { return e.OpenID(ctx, id) },
	} {
		s, err := again()
		if err != nil || s.ID() != id {
			t.Fatalf("%s: %v", how, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Delete(ctx, path); !errors.Is(err, cambium.ErrNoRecord) {
		t.Errorf("delete in a store that has no name: %v", err)
	}
}

func TestStore(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{Store: memory.New(memory.Options{}), SessionDir: "/sessions", FirstWrite: session.Immediately})
	id, path := kept(t, e, "/work/garden", cambium.New{})
	s, err := e.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.ID() != id || s.Len() != 2 {
		t.Errorf("opened %q with %d entries", s.ID(), s.Len())
	}
	for info, err := range e.Sessions(ctx, cambium.Query{CWD: "/work/garden"}) {
		if err != nil || info.ID != id || info.Messages != 2 {
			t.Errorf("listed %+v, %v", info, err)
		}
		id = ""
	}
	if id != "" {
		t.Error("the session of a store is not listed")
	}
	for g, err := range e.Recent(ctx, cambium.Query{}) {
		if err != nil || g.Path != path {
			t.Errorf("recents of a store: %+v, %v", g, err)
		}
	}
	again, err := e.Continue(ctx, "/work/garden")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.ID() != s.ID() {
		t.Errorf("continued %q, want %q", again.ID(), s.ID())
	}
	if _, err := e.Resume(ctx, "/work/meadow", s.ID()); !errors.As(err, new(*cambium.OtherProject)) {
		t.Errorf("resumed of another project: %v", err)
	}
}
