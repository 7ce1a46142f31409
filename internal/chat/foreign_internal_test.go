package chat

import (
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// beside is a session in which another program said "beans" beside "peas", as a
// source that watches it heard, and the id of that.
func beside(t *testing.T, x *source, f frame) (*session.Session, entry.ID) {
	t.Helper()
	s := spoken(t, "seeds", "beans")
	if _, err := x.arrive(s, f); err != nil {
		t.Fatal(err)
	}
	list, path := s.Snapshot()
	seeds, _ := list.ID(path[0])
	beans, _ := list.ID(path[1])
	if err := s.MoveLeaf(seeds); err != nil {
		t.Fatal(err)
	}
	say(t, s, "peas")
	x.heard(session.Event{Kind: session.Appended, Foreign: true, IDs: []entry.ID{beans}})
	return s, beans
}

// marked are the texts of all rows, those of others with their mark.
func marked(t *testing.T, x *source, m chatview.Rows) []string {
	t.Helper()
	var all []string
	for _, row := range m.Rows {
		if row.Key == announced {
			continue
		}
		row.Key = m.Key(row.Entry)
		text := x.sight.body(row).Parts[0].Text
		if row.Foreign {
			text = "┊ " + text
		}
		all = append(all, text)
	}
	return all
}

// What another program appended stands at the end with a mark while it is beside
// the branch that is shown; on that branch it stands once, without.
func TestOthersAreMarkedBesideTheBranchOnly(t *testing.T) {
	x, frame := sourceFor(t, 24)
	s, beans := beside(t, x, frame)
	for _, step := range []struct {
		to   entry.ID
		want []string
	}{
		{"", []string{"seeds", "peas", "┊ beans"}},
		{beans, []string{"seeds", "beans"}},
	} {
		if step.to != "" {
			if err := s.MoveLeaf(step.to); err != nil {
				t.Fatal(err)
			}
		}
		m, err := x.rows(s, true, frame)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, marked(t, x, m)); diff != "" {
			t.Errorf("at %q: %s", step.to, diff)
		}
	}
}

// What others appended is news as long as the session is looked at: after another
// one it is a branch like any.
func TestOthersAreForgottenInAnotherSession(t *testing.T) {
	x, frame := sourceFor(t, 24)
	s, _ := beside(t, x, frame)
	if _, err := x.arrive(spoken(t, "weeds"), frame); err != nil {
		t.Fatal(err)
	}
	m, err := x.arrive(s, frame)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"seeds", "peas"}, marked(t, x, m)); diff != "" {
		t.Error(diff)
	}
}
