package session_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/cambium-dev/cambium/session"
)

// A session that was captured before it had a file, and left when it had one,
// is opened again from that file.
func TestRestoreWrittenMeanwhile(t *testing.T) {
	ctx := context.Background()
	s := create(t, session.Options{Env: env(t.TempDir())})
	prompt := add(t, s, user("a prompt"))
	state, path := s.Capture(), s.Path()
	add(t, s, answer("an answer"))
	if _, err := s.New(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, state); err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(); leaf != prompt || s.Path() != path || s.Len() != 2 {
		t.Errorf("restored %q at %q with %d entries", s.Path(), leaf, s.Len())
	}
	add(t, s, user("goes on"))
	if err := s.Flush(ctx); err != nil {
		t.Error(err)
	}
}

// A state that went through JSON finds a session without a file again.
func TestRestoreFromPlainData(t *testing.T) {
	ctx := context.Background()
	s := create(t, session.Options{Env: env(t.TempDir())})
	add(t, s, user("a prompt"))
	was := s.Capture()
	if _, err := s.New(ctx, ""); err != nil {
		t.Fatal(err)
	}
	state := session.State{Path: was.Path, SessionID: was.SessionID, LeafID: was.LeafID}
	if err := s.Restore(ctx, state); err != nil || s.Len() != 1 || s.ID() != was.SessionID {
		t.Errorf("Restore = %v; %q with %d entries", err, s.ID(), s.Len())
	}
}

func TestRestoreWhatIsGone(t *testing.T) {
	ctx := context.Background()
	s := open(t, file(t, headerLine, userLine, answerLine), session.Options{})
	gone := "gone"
	for _, state := range []session.State{
		{Path: s.Path() + ".never", SessionID: "never", LeafID: nil},
		{SessionID: "in memory, elsewhere"},
		{Path: s.Path(), SessionID: "sess", LeafID: &gone},
	} {
		if err := s.Restore(ctx, state); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Restore(%+v) = %v", state, err)
		}
		if leaf, _ := s.Leaf(); leaf != "a1" || s.ID() != "sess" {
			t.Errorf("after Restore(%+v): %q at %q", state, s.ID(), leaf)
		}
	}
	if _, err := os.Stat(s.Path() + ".never"); err == nil {
		t.Error("restoring made a file")
	}
	// A session that was moved is still itself.
	first := "u1"
	if err := s.Restore(ctx, session.State{Path: "/moved/away.jsonl", SessionID: "sess", LeafID: &first}); err != nil {
		t.Error(err)
	}
	if leaf, _ := s.Leaf(); leaf != "u1" {
		t.Errorf("leaf %q", leaf)
	}
}
