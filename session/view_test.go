package session_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// TestViewsBesideAWriter: a view is of one moment, and read while the session is
// written to, by several goroutines.
func TestViewsBesideAWriter(t *testing.T) {
	ctx := t.Context()
	s := create(t, session.Options{FirstWrite: session.Immediately})
	if _, err := s.Append(ctx, user("0")); err != nil {
		t.Fatal(err)
	}
	const writes = 150
	done := make(chan struct{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				if err := readView(t, s.View()); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	first, _ := s.Leaf()
	for n := range writes {
		if n%10 == 9 {
			if _, err := s.SaveLeaf(ctx, first); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Append(ctx, user(fmt.Sprint(n+1))); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	wait.Wait()
	last := s.View()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := readView(t, last); err != nil {
		t.Errorf("after the session was closed: %v", err)
	}
	if last.Len() != 1+writes+writes/10 {
		t.Errorf("%d entries", last.Len())
	}
}

// readView reads a view twice, and returns how it is not one moment.
func readView(t *testing.T, v session.View) error {
	var before []string
	for range 2 {
		var ids []string
		for e, err := range v.Entries(t.Context()) {
			if err != nil {
				return err
			}
			ids = append(ids, e.ID)
		}
		if before != nil && fmt.Sprint(ids) != fmt.Sprint(before) || len(ids) != v.Len() {
			return fmt.Errorf("%v, and then %v", before, ids)
		}
		before = ids
	}
	parent := ""
	for e, err := range v.Branch(t.Context()) {
		if err != nil {
			return err
		}
		if e.ParentID != parent {
			return fmt.Errorf("%q follows %q, not %q", e.ID, e.ParentID, parent)
		}
		parent = e.ID
	}
	return nil
}

// TestSaveLeaf: the leaf is where it was moved to when the session is opened again.
func TestSaveLeaf(t *testing.T) {
	ctx := t.Context()
	s := create(t, session.Options{FirstWrite: session.Immediately})
	first, err := s.AppendMessage(ctx, &message.User{Content: message.TextContent("one")})
	if err != nil {
		t.Fatal(err)
	}
	left, err := s.Append(ctx, user("two"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveLeaf(ctx, "none"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("moved to an entry that is not there: %v", err)
	}
	if at, _ := s.Leaf(); at != left {
		t.Errorf("the leaf is %q", at)
	}
	moved, err := s.SaveLeaf(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := session.Open(ctx, s.Path(), session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	branch, err := gathered(again.Branch(nil))
	if err != nil || len(branch) != 2 || branch[0].ID != first || branch[1].ID != moved {
		t.Errorf("the branch is %+v, %v", branch, err)
	}
}

// TestClosedSessionIsRead: what is said of Close.
func TestClosedSessionIsRead(t *testing.T) {
	ctx := t.Context()
	s := create(t, session.Options{FirstWrite: session.Immediately})
	id, err := s.Append(ctx, user("one"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, answer("two")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range s.Entries(ctx) {
		if err != nil {
			t.Error(err)
		}
		n++
	}
	branch, err := gathered(s.Branch(nil))
	if err != nil || n != 2 || len(branch) != 2 || s.Len() != 2 || s.Header().ID != s.ID() {
		t.Errorf("%d entries, a branch of %d, %v", n, len(branch), err)
	}
	if e, err := s.Entry(id); err != nil || e.Kind != entry.Message {
		t.Errorf("%+v, %v", e, err)
	}
	if c, err := s.Context(ctx, session.ContextOptions{}); err != nil || shown(t, c) == "" {
		t.Errorf("no context: %v", err)
	}
	for what, err := range map[string]error{
		"Append":   second(s.Append(ctx, user("three"))),
		"SaveLeaf": second(s.SaveLeaf(ctx, id)),
		"Rename":   second(s.Rename(ctx, "name", session.Title{})),
		"Refresh":  second(s.Refresh(ctx)),
		"Move":     s.Move(ctx, "/elsewhere"),
		"MoveLeaf": s.MoveLeaf(id),
		"Flush":    s.Flush(ctx),
		"EnsureOn": s.EnsureOnDisk(ctx),
	} {
		if !errors.Is(err, session.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
