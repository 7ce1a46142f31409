package session_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// TestRenamedIsTold: who has a session open is told of each new name, its own and
// that of others, once.
func TestRenamedIsTold(t *testing.T) {
	ctx := t.Context()
	for _, agent := range []string{"cambium", "pi", "omp", "xcsh"} {
		t.Run(agent, func(t *testing.T) {
			var told []string
			o := session.Options{Env: env(t.TempDir()), Dialect: dialect.Name(agent), FirstWrite: session.Immediately}
			s := create(t, o)
			add(t, s, user("a prompt"))
			listens := o
			listens.OnEvent = func(e session.Event) {
				if e.Kind == session.Renamed {
					told = append(told, fmt.Sprint(e.Text, " ", e.Foreign))
				}
			}
			other := open(t, s.Path(), listens)
			if _, err := other.Rename(ctx, "mine", session.Title{}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Rename(ctx, "theirs", session.Title{}); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			want := "[mine false theirs true]"
			if o.Dialect == dialect.Pi {
				add(t, other, &entry.SessionInfoBody{Name: "by entry"})
				want = "[mine false theirs true by entry false]"
			}
			if fmt.Sprint(told) != want {
				t.Errorf("told %v, want %v", told, want)
			}
			if _, err := other.New(ctx, ""); err != nil || fmt.Sprint(told) != want {
				t.Errorf("a new session: %v, %v", told, err)
			}
		})
	}
}
