package session_test

import (
	"context"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// A draft stays where something was said, and only there.
func TestDraftOfNothingSaidGoes(t *testing.T) {
	level := "high"
	set := []entry.Body{
		&entry.ModelChangeBody{Model: "p/m"}, &entry.ThinkingLevelChangeBody{ThinkingLevel: &level}, &entry.ModeChangeBody{Mode: "plan"},
	}
	for name, c := range map[string]struct {
		more []entry.Body
		want int
	}{
		"settings":  {nil, 0},
		"a prompt":  {[]entry.Body{user("a prompt")}, 1},
		"a name":    {[]entry.Body{&entry.SessionInfoBody{Name: "beds"}}, 1},
		"something": {[]entry.Body{&entry.CustomBody{CustomType: "todos", Data: []byte(`["weed"]`)}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := create(t, session.Options{Env: env(dir)})
			for _, b := range append(append([]entry.Body(nil), set...), c.more...) {
				add(t, s, b)
			}
			if n := len(drafts(t, dir)); n != 1 {
				t.Errorf("%d drafts while it is open", n)
			}
			if _, err := s.New(context.Background(), ""); err != nil { // which leaves it for another, with settings too
				t.Fatal(err)
			}
			add(t, s, set[1])
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if n := len(drafts(t, dir)); n != c.want {
				t.Errorf("%d drafts at the end, want %d", n, c.want)
			}
		})
	}
}
