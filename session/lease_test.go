package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
)

// shareAt are the options of a machine that shares a store.
func shareAt(store storage.Store, host string, pid int, events *[]session.Event) session.Options {
	return session.Options{
		Store: store, Env: layout.Env{Home: "/"}, FirstWrite: session.Immediately,
		Holder:  storage.Holder{Host: host, PID: pid},
		OnEvent: func(e session.Event) { *events = append(*events, e) },
	}
}

// busy returns what the events say of others.
func busyText(events []session.Event) string {
	var all []string
	for _, e := range events {
		if e.Kind == session.Busy {
			all = append(all, e.Text)
		}
	}
	return strings.Join(all, "\n")
}

func adds(t *testing.T, s *session.Session, text string) entry.ID {
	t.Helper()
	id, err := s.Append(t.Context(), user(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Two machines with one session in a store that knows who has it open: the second
// is told of the first, takes it over, and the first goes on as another branch.
func TestLeases(t *testing.T) {
	store := memory.New(memory.Options{})
	var heard, other []session.Event
	one, err := session.Create(t.Context(), "/work", shareAt(store, "ada@laptop", 7, &heard))
	if err != nil {
		t.Fatal(err)
	}
	root := adds(t, one, "begun")
	name := one.Path()
	holders := func() (who []string) {
		list, err := store.(storage.Leaser).Holders(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range list {
			who = append(who, h.Host)
		}
		return who
	}
	if got := holders(); len(got) != 1 || got[0] != "ada@laptop" {
		t.Fatalf("held by %q", got)
	}

	refuse := errors.New("no")
	o := shareAt(store, "ada@server", 8, &other)
	o.IfBusy = func(others []presence.Holder) error {
		if got := session.Busily(others); !strings.HasPrefix(got, "open in cambium on ada@laptop (pid 7) since 20") {
			t.Errorf("it is %s", got)
		}
		return refuse
	}
	if _, err := session.Open(t.Context(), name, o); !errors.Is(err, refuse) {
		t.Fatalf("opened with %v", err)
	}
	if got := holders(); len(got) != 1 {
		t.Fatalf("what was refused is held by %q", got)
	}

	o.IfBusy, o.TakeOver = nil, true
	two, err := session.Open(t.Context(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := holders(); len(got) != 1 || got[0] != "ada@server" {
		t.Fatalf("held by %q", got)
	}
	a, b := adds(t, two, "over there"), adds(t, one, "still here")
	if got := busyText(heard); !strings.Contains(got, "was lost, it is open in cambium on ada@server (pid 8)") {
		t.Errorf("the first was told %q", got)
	}
	if got := holders(); len(got) != 2 {
		t.Errorf("held by %q", got)
	}
	before := len(heard)
	adds(t, one, "and on")
	for _, e := range heard[before:] {
		if e.Kind == session.Busy {
			t.Errorf("told again: %q", e.Text)
		}
	}
	for _, id := range []entry.ID{a, b} {
		i := one.List().Find(id)
		if parent, _ := one.List().ParentID(i); i < 0 || parent != root {
			t.Errorf("entry %s at %d follows %q, want %q", id, i, parent, root)
		}
	}
	for _, s := range []*session.Session{one, two} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := holders(); len(got) != 0 {
		t.Errorf("closed, it is held by %q", got)
	}
}

// A session that is renamed is held under its new name.
func TestLeaseMoves(t *testing.T) {
	store := memory.New(memory.Options{})
	var heard []session.Event
	s, err := session.Create(t.Context(), "/work", shareAt(store, "ada@laptop", 7, &heard))
	if err != nil {
		t.Fatal(err)
	}
	adds(t, s, "begun")
	old := s.Path()
	if err := s.Move(t.Context(), "/elsewhere"); err != nil {
		t.Fatal(err)
	}
	all, err := powers.Survey(t.Context(), store)
	if err != nil || len(all) != 1 || len(all[s.Path()]) != 1 || old == s.Path() {
		t.Errorf("held: %v, %v", all, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
