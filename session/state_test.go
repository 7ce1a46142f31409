package session_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/session"
)

// A state stays good whatever becomes of the session that it was captured from.
func TestRestoreAfterChanges(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		change func(s *session.Session) error
	}{
		{"first written and left", func(s *session.Session) error {
			add(t, s, answer("an answer"))
			_, err := s.New(ctx, "")
			return err
		}},
		{"renamed while held", func(s *session.Session) error {
			_, err := s.Rename(ctx, "a name", session.Title{})
			return err
		}},
		{"moved while held", func(s *session.Session) error { return s.Move(ctx, "/elsewhere") }},
		{"moved and written", func(s *session.Session) error {
			err := s.Move(ctx, "/elsewhere")
			add(t, s, answer("an answer"))
			return err
		}},
		{"left while held", func(s *session.Session) error {
			_, err := s.New(ctx, "")
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := create(t, session.Options{Dialect: "xcsh", Env: env(dir)})
			prompt := add(t, s, user("a prompt"))
			state := s.Capture()
			if err := c.change(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Restore(ctx, state); err != nil {
				t.Fatal(err)
			}
			if leaf, _ := s.Leaf(); leaf != prompt || s.ID() != state.SessionID {
				t.Errorf("restored %q at %q", s.ID(), leaf)
			}
			add(t, s, answer("goes on"))
			if text := read(t, s.Path()); !strings.Contains(text, "a prompt") || !strings.Contains(text, "goes on") {
				t.Errorf("session is %q", text)
			}
			if left := drafts(t, dir); len(left) != 0 {
				t.Errorf("drafts left: %v", left)
			}
		})
	}
}

// What is no longer there is not made anew by going back to it.
func TestRestoreMakesNothingAnew(t *testing.T) {
	ctx := context.Background()
	path := file(t, headerLine, userLine, answerLine)
	s := open(t, path, session.Options{})
	gone, other := s.Capture(), s.Capture()
	if _, err := s.New(ctx, ""); err != nil {
		t.Fatal(err)
	}
	now := s.ID()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, gone); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("restore of a removed session: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was made anew: %v", err)
	}
	other.Path = file(t, strings.Replace(headerLine, `"sess"`, `"other"`, 1), userLine)
	if err := s.Restore(ctx, other); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("restore of another session of its name: %v", err)
	}
	if s.ID() != now {
		t.Errorf("after failures: session %q", s.ID())
	}
}

// What is put back after the log was cut short is less than there was: that is
// said.
func TestCutShortIsSaid(t *testing.T) {
	path := file(t, headerLine, userLine, answerLine)
	var told []session.Event
	s := open(t, path, session.Options{OnEvent: func(e session.Event) { told = append(told, e) }})
	add(t, s, user("mine"))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	add(t, s, user("goes on"))
	said := slices.ContainsFunc(told, func(e session.Event) bool {
		return e.Kind == session.Restored && strings.Contains(e.Text, "cut short")
	})
	if text := read(t, path); !said || !strings.Contains(text, "mine") || !strings.Contains(text, "goes on") {
		t.Errorf("told %v; session %q", told, text)
	}
}
