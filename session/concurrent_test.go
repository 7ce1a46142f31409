package session_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// shown returns the messages of a context, joined.
func shown(t *testing.T, c *replay.Context) string {
	t.Helper()
	var all strings.Builder
	for m, err := range c.Messages() {
		if err != nil {
			t.Error(err)
			break
		}
		all.Write(m.JSON)
	}
	return all.String()
}

// A context is read line by line, and is of the moment at which it was asked
// for, whatever becomes of the log until then.
func TestContextOutlivesRewrites(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		change func(s *session.Session, path string) error
	}{
		{"rewritten", func(s *session.Session, _ string) error {
			return s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
				return []byte(strings.Replace(string(e.Raw()), `"hi"`, `"something much longer"`, 1)), nil
			})
		}},
		{"renamed", func(s *session.Session, _ string) error {
			_, err := s.Rename(ctx, "a name", session.Title{})
			return err
		}},
		{"moved", func(s *session.Session, _ string) error { return s.Move(ctx, "/elsewhere") }},
		{"forked", func(s *session.Session, _ string) error { _, _, err := s.Fork(ctx); return err }},
		{"replaced by others", func(s *session.Session, path string) error {
			text := strings.Join([]string{headerLine, answerLine, ""}, "\n")
			if err := os.WriteFile(path+".tmp", []byte(text), 0o600); err != nil {
				return err
			}
			if err := os.Rename(path+".tmp", path); err != nil {
				return err
			}
			_, err := s.Refresh(ctx)
			return err
		}},
	} {
		path := file(t, headerLine, userLine, answerLine)
		s := open(t, path, session.Options{Dialect: dialect.Xcsh})
		replayed, err := s.Context(ctx, session.ContextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Context(ctx, session.ContextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before := shown(t, replayed)
		if err := c.change(s, path); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(before, shown(t, again)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", c.name, diff)
		}
	}
}

// Everything at once, for the race detector.
func TestConcurrentChanges(t *testing.T) {
	ctx := context.Background()
	for _, d := range spelling.All() {
		s := open(t, file(t, headerLine, userLine, answerLine), session.Options{Dialect: d.Name, Sync: session.SyncNone})
		var wait sync.WaitGroup
		run := func(work func(i int) error) {
			wait.Go(func() {
				for i := range 6 {
					if err := work(i); err != nil {
						t.Errorf("%s: %v", d.Name, err)
					}
				}
			})
		}
		run(func(int) error { _, err := s.Append(ctx, user("x")); return err })
		run(func(i int) error { _, err := s.Rename(ctx, fmt.Sprint("name ", i), session.Title{}); return err })
		run(func(i int) error { return s.Move(ctx, fmt.Sprint("/elsewhere/", i)) })
		run(func(int) error {
			return s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) { return nil, nil })
		})
		run(func(i int) error {
			if i%5 > 0 {
				return nil
			}
			_, _, err := s.Fork(ctx)
			return err
		})
		run(func(int) error {
			c, err := s.Context(ctx, session.ContextOptions{})
			if err == nil {
				shown(t, c)
			}
			return err
		})
		run(func(int) error {
			_, _ = s.Title()
			_, _ = s.Leaf()
			_, _ = s.HeaderJSON(), s.Path()
			_, _ = s.Damage(), s.Tree()
			_, err := s.Usage(ctx)
			return err
		})
		wait.Wait()
	}
}
