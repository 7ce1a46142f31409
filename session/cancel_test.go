package session_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// fuse is a context that is cancelled after it was asked left times.
type fuse struct {
	context.Context
	left atomic.Int64
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func (f *fuse) Done() <-chan struct{} {
	if f.Err() == nil {
		return nil
	}
	done := make(chan struct{})
	close(done)
	return done
}

// files returns the files under dir with what is in them.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[path] = read(t, filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Wherever an operation is cancelled, it is either done or undone, and the
// session goes on.
func TestCancelledAnywhere(t *testing.T) {
	for name, operate := range map[string]func(context.Context, *session.Session) error{
		"fork": func(ctx context.Context, s *session.Session) error { _, _, err := s.Fork(ctx); return err },
		"move": func(ctx context.Context, s *session.Session) error { return s.Move(ctx, "/elsewhere") },
		"new":  func(ctx context.Context, s *session.Session) error { _, err := s.New(ctx, ""); return err },
		"save": func(ctx context.Context, s *session.Session) error {
			leaf, _ := s.Leaf()
			_, err := s.SaveBranch(ctx, leaf)
			return err
		},
		"rename": func(ctx context.Context, s *session.Session) error {
			_, err := s.Rename(ctx, "a name", session.Title{})
			return err
		},
		"rewrite": func(ctx context.Context, s *session.Session) error {
			return s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
				return []byte(strings.Replace(string(e.Raw()), "a prompt", "a pro", 1)), nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range []dialect.Name{"pi", "xcsh"} {
				for left := int64(0); !cancelledAt(t, d, left, operate); left++ {
					if left > 200 {
						t.Fatal("it never ends")
					}
				}
			}
		})
	}
}

// cancelledAt cancels an operation when the context was asked left times, and
// reports whether it was done by then.
func cancelledAt(t *testing.T, d dialect.Name, left int64, operate func(context.Context, *session.Session) error) bool {
	t.Helper()
	dir := t.TempDir()
	s := create(t, session.Options{Dialect: d, Env: env(dir), Sync: session.SyncNone})
	add(t, s, user("a prompt"))
	add(t, s, answer("an answer"))
	_, w, err := s.NewArtifact(t.Context(), "tool")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before, path := files(t, dir), s.Path()
	ctx := &fuse{Context: t.Context()}
	ctx.left.Store(left)
	err = operate(ctx, s)
	if err != nil && (!maps.Equal(before, files(t, dir)) || s.Path() != path) {
		t.Errorf("%s, after %d: %v; path %q (-before +after):\n%s", d, left, err, s.Path(), cmp.Diff(before, files(t, dir)))
	}
	add(t, s, user("goes on"))
	add(t, s, answer("and on"))
	again := open(t, s.Path(), session.Options{ReadOnly: true, Dialect: d, Env: env(dir)})
	if again.Len() != s.Len() || again.Damage().Any() {
		t.Errorf("%s, after %d: %d entries of %d, %s", d, left, again.Len(), s.Len(), again.Damage())
	}
	return err == nil
}
