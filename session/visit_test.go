package session_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// TestVisits goes with one session through all that makes it another one, and
// looks at what is told.
func TestVisits(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	var told []session.Visit
	o := session.Options{
		Env: layout.Env{Home: home}, Dialect: dialect.Omp,
		OnVisit: func(v session.Visit) { told = append(told, v) },
	}
	expect := func(what string, want ...session.Visit) {
		t.Helper()
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		told = nil
	}
	say := func(s *session.Session, message string) {
		t.Helper()
		if _, err := s.Append(ctx, &entry.MessageBody{Message: entry.JSON(message)}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const answer = `{"role":"assistant","content":[],"stopReason":"stop","timestamp":1}`

	s, err := session.Create(ctx, "/w", o)
	check(err)
	first := session.Visit{Agent: dialect.Omp, CWD: "/w", Path: s.Path(), Fresh: true}
	expect("begun", first)
	say(s, `{"role":"user","content":"a","timestamp":1}`)
	expect("nothing written yet")
	say(s, answer)
	first.Fresh = false
	expect("first written", first)
	say(s, answer)
	expect("appended to")
	before := s.Capture()

	_, fork, err := s.Fork(ctx)
	check(err)
	expect("forked", session.Visit{Agent: dialect.Omp, CWD: "/w", Path: fork})
	check(s.Move(ctx, "/v"))
	expect("moved", session.Visit{Agent: dialect.Omp, CWD: "/v", Path: s.Path()})
	_, err = s.New(ctx, "")
	check(err)
	expect("new", session.Visit{Agent: dialect.Omp, CWD: "/v", Path: s.Path(), Fresh: true})
	check(s.Switch(ctx, first.Path))
	expect("switched", first)
	if err := s.Switch(ctx, home); err == nil {
		t.Error("switched to a directory")
	}
	expect("not switched")
	_, err = s.New(ctx, "")
	check(err)
	told = nil
	check(s.Restore(ctx, before))
	expect("restored", first)
	check(s.Close())
	expect("closed")

	o.ReadOnly = true
	s, err = session.Open(ctx, first.Path, o)
	check(err)
	check(s.Close())
	expect("looked at")
	o.ReadOnly = false
	s, err = session.Open(ctx, first.Path, o)
	check(err)
	check(s.Close())
	expect("opened", first)
	s, err = session.ForkFrom(ctx, first.Path, "/x", o)
	check(err)
	expect("forked from", session.Visit{Agent: dialect.Omp, CWD: "/x", Path: s.Path()})
	check(s.Close())
	s, err = session.InMemory("/w", o)
	check(err)
	check(s.Close())
	expect("in memory")
	if _, err := session.Open(ctx, filepath.Join(home, ".omp"), o); err == nil {
		t.Error("opened a directory")
	}
	expect("not opened")
}
