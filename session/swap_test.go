package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
)

// A swapping is a session in root/p and, outside, what a name in root leads to
// from some operation on.
type swapping struct {
	t                   *testing.T
	root, outside, path string
	step                errorfs.Counter
	fs                  vfs.FS
}

// newSwapping makes the session, and outside one of the same id and a file that is
// none.
func newSwapping(t *testing.T) *swapping {
	t.Helper()
	s := &swapping{t: t, root: t.TempDir(), outside: t.TempDir()}
	s.path = filepath.Join(s.root, "p/s.jsonl")
	own, foreign := headerLine+"\n"+userLine+"\n"+answerLine+"\n", headerLine+"\n"+userLine+"\n"
	for path, text := range map[string]string{
		s.path: own, filepath.Join(s.root, "p/s/0.bash.log"): "own",
		filepath.Join(s.outside, "p/s.jsonl"): foreign, filepath.Join(s.outside, "p/s/0.bash.log"): secret,
		filepath.Join(s.outside, "q/s.jsonl"): foreign, filepath.Join(s.outside, "key"): secret,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s.fs = errorfs.Wrap(errorfs.Light(vfs.OS()), func(op errorfs.Op) *errorfs.Fault { return s.step.Inject(op) })
	return s
}

func (s *swapping) options() session.Options {
	return vfs.On(session.Options{Env: env(s.root), Dir: filepath.Join(s.root, "q")}, s.fs)
}

// open opens the session as a command does, has f change it and closes it.
func (s *swapping) open(o session.Options, f func(*session.Session) error) error {
	fsys, release, err := vfs.PinFile(vfs.Of(o), s.path)
	if err != nil {
		return err
	}
	defer release()
	o = vfs.On(o, fsys)
	at, err := session.Open(s.t.Context(), s.path, o)
	if err != nil {
		return err
	}
	return errors.Join(f(at), at.Close())
}

// all describes what is below a directory, links not followed.
func all(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimPrefix(path, dir) + "\n")
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			b.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChangedWhileSwapped has the session file, or a directory, become a link
// before each operation of what changes a session in its place or moves it: nothing
// outside is moved, changed or added to, and nothing of it comes in.
func TestChangedWhileSwapped(t *testing.T) {
	acts := map[string]func(s *swapping) error{
		"move": func(s *swapping) error {
			return s.open(s.options(), func(at *session.Session) error { return at.Move(t.Context(), "/v") })
		},
		"rename": func(s *swapping) error {
			return s.open(s.options(), func(at *session.Session) error {
				_, err := at.Rename(t.Context(), "named", session.Title{})
				return err
			})
		},
		"undo a move": func(s *swapping) error {
			c := state.Change{Op: state.Move, Session: "sess", To: s.path, Path: filepath.Join(s.root, "q/s.jsonl")}
			c.Before, c.After = []byte(headerLine), []byte(headerLine)
			_, _, err := session.Revert(t.Context(), c, s.options())
			return err
		},
		"reinitialize": func(s *swapping) error {
			if err := os.WriteFile(s.path, []byte("no session\n"), 0o600); err != nil {
				return err
			}
			o := s.options()
			o.Reinitialize = true
			return s.open(o, func(*session.Session) error { return nil })
		},
	}
	swaps := map[string]struct{ name, to string }{
		"file": {"p/s.jsonl", "key"}, "session": {"p/s.jsonl", "p/s.jsonl"}, "directory": {"p", "p"}, "new directory": {"q", "q"},
	}
	for act, do := range acts {
		for swap, to := range swaps {
			t.Run(act+", "+swap, func(t *testing.T) {
				t.Parallel()
				// The first operations look whether the session, or what is on the way to it, is a
				// person's own link.
				first := int64(strings.Count(newSwapping(t).path, "/")) + 1
				n := first
				for changedWhile(t, n, to.name, to.to, do) {
					n++
				}
				if n < first+6 {
					t.Errorf("%d operations", n-1)
				}
			})
		}
	}
}

// changedWhile swaps a name before the n-th operation of what do does, and reports
// whether there were so many.
func changedWhile(t *testing.T, n int64, name, to string, do func(*swapping) error) bool {
	s := newSwapping(t)
	was := all(t, s.outside)
	s.step = errorfs.Counter{At: n, Then: func(errorfs.Op) {
		at := filepath.Join(s.root, name)
		_ = os.Rename(at, at+"-away") // it need not be there yet
		if err := os.Symlink(filepath.Join(s.outside, to), at); err != nil {
			t.Error(err)
		}
	}}
	err := do(s) // it may fail, and it may be done
	now := all(t, s.outside)
	if name == "q" { // what is in it before it is pinned is where the session goes
		now, _, _ = strings.Cut(now, "/q/s.restored-1")
	}
	if now != was {
		t.Errorf("swapped at operation %d (%v): outside is\n%s", n, err, now)
	}
	if strings.Contains(all(t, s.root), "PRIVATE") {
		t.Errorf("swapped at operation %d (%v): what is outside came in", n, err)
	}
	if !s.step.Fired() && err != nil {
		t.Errorf("left alone: %v", err)
	}
	return s.step.Fired()
}
