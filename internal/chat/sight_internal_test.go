package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// spoken is a session in which some things were said.
func spoken(t *testing.T, texts ...string) *session.Session {
	t.Helper()
	s, err := session.InMemory(t.TempDir(), session.Options{Env: layout.Env{Home: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, text := range texts {
		say(t, s, text)
	}
	return s
}

func say(t *testing.T, s *session.Session, text string) {
	t.Helper()
	message := fmt.Appendf(nil, `{"role":"user","content":%s,"timestamp":1}`, jsonedit.Quoted(text))
	if _, err := s.Append(t.Context(), &entry.MessageBody{Message: message}); err != nil {
		t.Fatal(err)
	}
}

// sourceFor is a source for a screen, and that.
func sourceFor(t *testing.T, high int) (*source, frame) {
	t.Helper()
	x := &source{ctx: t.Context(), pump: newPump(), foreign: map[entry.ID]bool{}, known: map[string]bool{}}
	t.Cleanup(x.stop)
	return x, frame{chatview.New(chatview.Options{}).Form(), high}
}

// bodies are the texts that came with rows, the last one first.
func bodies(m chatview.Rows) string {
	var all []string
	for _, b := range m.Bodies {
		for _, p := range b.Parts {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, " ")
}

// What was read while the agent was on its way is what is shown, unless more than
// settings came since, or the agent came to another session.
func TestArriveTakesWhatStands(t *testing.T) {
	high := "high"
	settings := func(t *testing.T, s *session.Session) *session.Session {
		if _, err := s.Append(t.Context(), &entry.ThinkingLevelChangeBody{ThinkingLevel: &high}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name  string
		then  func(t *testing.T, s *session.Session) *session.Session
		want  string
		stood bool
	}{
		{"nothing", func(_ *testing.T, s *session.Session) *session.Session { return s }, "beans seeds", true},
		{"settings", settings, "beans seeds", true},
		{"a message", func(t *testing.T, s *session.Session) *session.Session {
			say(t, settings(t, s), "peas")
			return s
		}, "peas beans seeds", false},
		{"another place", func(t *testing.T, s *session.Session) *session.Session {
			list, path := s.Snapshot()
			id, _ := list.ID(path[0])
			if err := s.MoveLeaf(id); err != nil {
				t.Fatal(err)
			}
			return s
		}, "seeds", false},
		{"another session", func(t *testing.T, s *session.Session) *session.Session { return spoken(t, "weeds") }, "weeds", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := spoken(t, "seeds", "beans")
			x, frame := sourceFor(t, 24)
			x.begin(s, frame)
			early := x.early
			early.read()
			to := tt.then(t, s)
			m, err := x.arrive(to, frame)
			if err != nil {
				t.Fatal(err)
			}
			if got := bodies(m); got != tt.want || !m.Reset {
				t.Errorf("the bodies are %q, want %q; reset %v", got, tt.want, m.Reset)
			}
			if stood := x.sight.context == early.sight.context; stood != tt.stood {
				t.Errorf("what was read early is shown: %v, want %v", stood, tt.stood)
			}
			if x.early != nil || x.watched != to {
				t.Error("the session is not watched, or what was read early is kept")
			}
			// What is said next comes, and nothing that is known.
			say(t, to, "worms")
			if m, err = x.rows(to, false, frame); err != nil || bodies(m) != "worms" {
				t.Errorf("then %q came: %v", bodies(m), err)
			}
		})
	}
}

// The context that the agent built of a session is what the screen shows it by, as
// long as nothing was said since; one of another session is not.
func TestTheAgentsContextIsShown(t *testing.T) {
	level := "high"
	for _, tt := range []struct {
		name string
		then entry.Body
		want bool
	}{
		{"nothing", nil, true},
		{"settings", &entry.ThinkingLevelChangeBody{ThinkingLevel: &level}, true},
		{"what an extension keeps", &entry.CustomBody{CustomType: "notes", Data: []byte(`{}`)}, false},
		{"a message", &entry.MessageBody{Message: []byte(`{"role":"user","content":"peas","timestamp":1}`)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := spoken(t, "seeds", "beans")
			c, err := s.Context(t.Context(), session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x, frame := sourceFor(t, 24)
			shared := c.Aside()
			x.offer(s, shared)
			if tt.then != nil {
				if _, err := s.Append(t.Context(), tt.then); err != nil {
					t.Fatal(err)
				}
			}
			m, err := x.rows(s, true, frame)
			if err != nil {
				t.Fatal(err)
			}
			if got := x.sight.context == shared; got != tt.want || !strings.HasSuffix(bodies(m), "beans seeds") {
				t.Errorf("it is shown: %v, want %v; the bodies are %q", got, tt.want, bodies(m))
			}
			if _, again := x.take(s); again {
				t.Error("it is taken twice")
			}
		})
	}
	x, frame := sourceFor(t, 24)
	s := spoken(t, "seeds")
	c, err := s.Context(t.Context(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x.offer(s, c.Aside())
	if m, err := x.rows(spoken(t, "weeds"), true, frame); err != nil || bodies(m) != "weeds" {
		t.Errorf("of another session %q is shown: %v", bodies(m), err)
	}
}

// Only as many bodies are read as the screen has lines for; the others are loaded
// when they are asked for.
func TestRowsFillTheScreen(t *testing.T) {
	var texts []string
	for i := range 50 {
		texts = append(texts, fmt.Sprintf("row %d\n\nof several\n\nlines", i))
	}
	s := spoken(t, texts...)
	x, frame := sourceFor(t, 12)
	m, err := x.rows(s, true, frame)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, b := range m.Bodies {
		lines += b.Lay(frame.form, false)
	}
	last := m.Bodies[len(m.Bodies)-1]
	if before := lines - last.Lay(frame.form, false); len(m.Rows) != 50 || lines < 12 || before >= 12 {
		t.Errorf("%d rows, of which %d have %d lines for a screen of 12", len(m.Rows), len(m.Bodies), lines)
	}
	row := m.Rows[3]
	row.Key = m.Key(row.Entry)
	loaded, ok := x.load([]chatview.Row{row})().(chatview.Bodies)
	if !ok || len(loaded.All) != 1 {
		t.Fatalf("loading a row brings %v", loaded)
	}
	if diff := cmp.Diff(texts[3], loaded.All[0].Parts[0].Text); diff != "" {
		t.Error(diff)
	}
}

// What is read of a session that goes on meanwhile is of one moment.
func TestSightIsOfOneMoment(t *testing.T) {
	s := spoken(t, "seeds")
	const more = 2000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range more {
			if _, err := s.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":"beans","timestamp":1}`)}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for going := true; going; {
		select {
		case <-done:
			going = false
		default:
		}
		sight, err := sightOf(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if last := sight.path[len(sight.path)-1]; sight.context.Leaf() != last || sight.list.Len() <= last {
			t.Fatalf("the context ends at %d, the path at %d, of %d entries", sight.context.Leaf(), last, sight.list.Len())
		}
	}
	if sight, err := sightOf(t.Context(), s); err != nil || len(sight.path) != more+1 {
		t.Errorf("%d entries at the end: %v", len(sight.path), err)
	}
}
