package session_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/session"
)

// recorded returns options under which changes are recorded, and the record.
func recorded(t *testing.T, d dialect.Name) (session.Options, *state.Journal) {
	t.Helper()
	dir := t.TempDir()
	j := state.New(state.Options{Dir: filepath.Join(dir, "state"), Now: time.Now, Random: rand.Reader})
	return session.Options{Env: env(dir), Dialect: d, Undo: j, FirstWrite: session.Immediately}, j
}

func mustClose(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// undo takes an operation back.
func undo(t *testing.T, j *state.Journal, o session.Options, id string) (state.Restored, error) {
	t.Helper()
	return j.Undo(t.Context(), id, func(ctx context.Context, c state.Change) (string, string, error) {
		return session.Revert(ctx, c, o)
	})
}

func mustUndo(t *testing.T, j *state.Journal, o session.Options) state.Restored {
	t.Helper()
	r, err := undo(t, j, o, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reopened opens a session to look at it.
func reopened(t *testing.T, path string, o session.Options) *session.Session {
	t.Helper()
	o.ReadOnly, o.Undo = true, nil
	return open(t, path, o)
}

// A title is taken back in each dialect, with what was appended since kept; the
// header line is the old one to the byte.
func TestUndoRename(t *testing.T) {
	ctx := context.Background()
	for _, d := range []dialect.Name{"cambium", "pi", "omp", "xcsh"} {
		t.Run(string(d), func(t *testing.T) {
			o, j := recorded(t, d)
			s := create(t, o)
			add(t, s, user("a prompt"))
			add(t, s, answer("an answer"))
			header := strings.SplitN(read(t, s.Path()), "\n", 2)[0]
			for _, name := range []string{"first", "second"} {
				if ok, err := s.Rename(ctx, name, session.Title{}); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
			add(t, s, user("said since"))
			entries := s.Len()
			mustClose(t, s)

			all, err := j.List(ctx)
			if err != nil || len(all) != 2 || all[0].Status != state.Done {
				t.Fatalf("List = %v, %v", all, err)
			}
			if _, err := undo(t, j, o, all[0].ID); !errors.Is(err, state.ErrConflict) {
				t.Errorf("undo of the first of two renames = %v", err)
			}
			for _, want := range []string{"first", ""} {
				mustUndo(t, j, o)
				now := reopened(t, s.Path(), o)
				if got, _ := now.Title(); got != want {
					t.Errorf("title %q, want %q", got, want)
				}
				if now.Len() < entries {
					t.Errorf("%d entries of %d", now.Len(), entries)
				}
			}
			if got := strings.SplitN(read(t, s.Path()), "\n", 2)[0]; got != header {
				t.Errorf("header is %s, want %s", got, header)
			}
			if _, err := undo(t, j, o, ""); !errors.Is(err, state.ErrUnknown) {
				t.Errorf("third undo = %v", err)
			}
			if _, err := undo(t, j, o, all[1].ID); !errors.Is(err, state.ErrUndone) {
				t.Errorf("second undo of one = %v", err)
			}
		})
	}
}

// The slot of omp gets the old title, too.
func TestUndoRenameOfSlot(t *testing.T) {
	o, j := recorded(t, "omp")
	slot := spelling.FormatSlot("before", "user", "2026-01-01T00:00:00.000Z")
	path := file(t, strings.TrimSuffix(string(slot[:]), "\n"), headerLine, userLine, answerLine)
	s := open(t, path, o)
	if _, err := s.Rename(t.Context(), "after", session.Title{}); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	mustUndo(t, j, o)
	if s := reopened(t, path, o); !strings.Contains(read(t, path)[:256], `"before"`) {
		t.Errorf("slot: %s", read(t, path)[:256])
	} else if got, _ := s.Title(); got != "before" {
		t.Errorf("title %q", got)
	}
}

// A header that something else changed since loses the title only.
func TestUndoRenameOfChangedHeader(t *testing.T) {
	ctx := context.Background()
	o, j := recorded(t, "xcsh")
	s := create(t, o)
	add(t, s, user("a prompt"))
	add(t, s, answer("an answer"))
	if _, err := s.Rename(ctx, "a name", session.Title{}); err != nil {
		t.Fatal(err)
	}
	all, _ := j.List(ctx)
	if err := s.Move(ctx, "/elsewhere"); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	if _, err := undo(t, j, o, all[0].ID); !errors.Is(err, state.ErrConflict) {
		t.Errorf("undo of the rename of a session that is elsewhere = %v", err)
	}
	mustUndo(t, j, o)
	path := all[0].Path
	write := strings.Replace(read(t, path), `"cwd":`, `"more":1,"cwd":`, 1)
	if err := os.WriteFile(path, []byte(write), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := undo(t, j, o, all[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); strings.Contains(got, "title") || !strings.Contains(got, `"more":1`) {
		t.Errorf("header: %s", got)
	}
}

// A move is taken back with artifacts and what was appended since; a place that
// is taken is left alone.
func TestUndoMove(t *testing.T) {
	ctx := context.Background()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			o, j := recorded(t, "omp")
			s := create(t, o)
			add(t, s, user("a prompt"))
			add(t, s, answer("an answer"))
			_, w, err := s.NewArtifact(ctx, "bash")
			if err != nil {
				t.Fatal(err)
			}
			mustClose(t, w)
			old, before := s.Path(), read(t, s.Path())
			if err := s.Move(ctx, "/elsewhere"); err != nil {
				t.Fatal(err)
			}
			since := add(t, s, user("said since"))
			mustClose(t, s)
			if taken {
				if err := os.WriteFile(old, []byte("other"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := mustUndo(t, j, o)
			if (r.Now == old) == taken || (r.Note != "") != taken {
				t.Errorf("put back at %q, note %q", r.Now, r.Note)
			}
			now := reopened(t, r.Now, o)
			if files, err := now.Artifacts(); err != nil || len(files) != 1 {
				t.Errorf("artifacts %v, %v", files, err)
			}
			if _, err := now.Entry(since); err != nil {
				t.Error(err)
			}
			if got := read(t, r.Now); !strings.HasPrefix(got, before) {
				t.Errorf("got %s, want %s first", got, before)
			}
			if taken && read(t, old) != "other" {
				t.Error("what took the place was changed")
			}
		})
	}
}

const (
	oldHeader = `{"type":"session","id":"old","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`
	oldUser   = `{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1}}`
)

// A migration is taken back to the byte while nothing was appended; else the old
// bytes are put beside.
func TestUndoMigrate(t *testing.T) {
	for name, tc := range map[string]struct{ end, since string }{
		"as left":    {end: "\n"},
		"no newline": {end: ""},
		"grew":       {end: "\n", since: userLine + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o, j := recorded(t, "pi")
			path := filepath.Join(t.TempDir(), "s.jsonl")
			old := oldHeader + "\n" + oldUser + tc.end
			if err := os.WriteFile(path, []byte(old), 0o640); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			mustClose(t, open(t, path, o))
			migrated := read(t, path) + tc.since
			if migrated == old {
				t.Fatal("not migrated")
			}
			if err := os.WriteFile(path, []byte(migrated), 0o640); err != nil {
				t.Fatal(err)
			}
			r := mustUndo(t, j, o)
			if got := read(t, r.Now); got != old {
				t.Errorf("got %q, want %q", got, old)
			}
			if info, err := os.Stat(r.Now); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if beside := r.Now != path; beside != (tc.since != "") || beside && read(t, path) != migrated {
				t.Errorf("put at %q; the session holds %q", r.Now, read(t, path))
			}
		})
	}
}

// What a new session was made of comes back.
func TestUndoReinitialize(t *testing.T) {
	for _, grew := range []bool{false, true} {
		o, j := recorded(t, "pi")
		o.Reinitialize = true
		path := file(t, "no session")
		s := open(t, path, o)
		if grew {
			add(t, s, user("a prompt"))
		}
		mustClose(t, s)
		r := mustUndo(t, j, o)
		if got := read(t, r.Now); got != "no session\n" || (r.Now == path) == grew {
			t.Errorf("%q holds %q", r.Now, got)
		}
		if grew && reopened(t, path, o).Len() != 1 {
			t.Error("what was said since is lost")
		}
	}
}

// refuses is a record that cannot be written.
type refuses struct{}

func (refuses) Begin(context.Context, state.Change) (string, error) {
	return "", errors.New("no room")
}
func (refuses) End(context.Context, string, error) error   { return nil }
func (refuses) EndAt(context.Context, string, int64) error { return nil }

// What cannot be recorded is not done.
func TestNoRecordNoChange(t *testing.T) {
	ctx := context.Background()
	o, _ := recorded(t, "xcsh")
	o.Undo = refuses{}
	s := create(t, o)
	add(t, s, user("a prompt"))
	add(t, s, answer("an answer"))
	before, path := read(t, s.Path()), s.Path()
	if ok, err := s.Rename(ctx, "a name", session.Title{}); ok || err == nil {
		t.Error(ok, err)
	}
	if err := s.Move(ctx, "/elsewhere"); err == nil {
		t.Error("moved")
	}
	if got, _ := s.Title(); got != "" || s.Path() != path || read(t, path) != before {
		t.Errorf("title %q, path %q", got, s.Path())
	}
	old := file(t, oldHeader, oldUser)
	was := read(t, old)
	if _, err := session.Open(ctx, old, o); err == nil || read(t, old) != was {
		t.Errorf("migrated without a record: %v", err)
	}
}

// Entries that were replaced come back to the byte, or beside when the session
// grew since.
func TestUndoRewrite(t *testing.T) {
	for _, grew := range []bool{false, true} {
		o, j := recorded(t, "pi")
		path := file(t, headerLine, userLine, "damaged", answerLine)
		was := read(t, path)
		s := open(t, path, o)
		err := s.Rewrite(t.Context(), func(e entry.Entry) ([]byte, error) {
			return []byte(strings.Replace(string(e.Raw()), `"hi"`, `"ho"`, 1)), nil
		})
		if err != nil || read(t, path) == was {
			t.Fatal(err, read(t, path))
		}
		if grew {
			add(t, s, user("said since"))
		}
		mustClose(t, s)
		rewritten := read(t, path)
		r := mustUndo(t, j, o)
		if r.Op != state.Rewrite || read(t, r.Now) != was || (r.Now == path) == grew || (r.Note != "") != grew {
			t.Errorf("%s undone at %q (%s): %s", r.Op, r.Now, r.Note, read(t, r.Now))
		}
		if grew && read(t, path) != rewritten {
			t.Error("what was said since is lost")
		}
	}
}

// A meddler appends to the session while a change to it is recorded.
type meddler struct {
	*state.Journal
	when string
	do   func()
}

func (m meddler) Begin(ctx context.Context, c state.Change) (string, error) {
	id, err := m.Journal.Begin(ctx, c)
	if m.when == "begun" {
		m.do()
	}
	return id, err
}

func (m meddler) EndAt(ctx context.Context, id string, size int64) error {
	if m.when == "done" {
		m.do()
	}
	return m.Journal.EndAt(ctx, id, size)
}

// What others append while a file is replaced is not taken back with it.
func TestUndoSparesOthers(t *testing.T) {
	for name, c := range map[string]struct {
		lines  []string
		change func(s *session.Session) error
	}{
		"migrate": {lines: []string{oldHeader, oldUser}},
		"reinit":  {lines: []string{"no session"}},
		"rewrite": {[]string{headerLine, userLine}, func(s *session.Session) error {
			return s.Rewrite(t.Context(), func(e entry.Entry) ([]byte, error) {
				return []byte(strings.Replace(string(e.Raw()), `"hi"`, `"ho"`, 1)), nil
			})
		}},
	} {
		for _, when := range []string{"begun", "done"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				o, j := recorded(t, "pi")
				path := file(t, c.lines...)
				o.Reinitialize = true
				o.Undo = meddler{j, when, func() {
					f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
					if err == nil {
						_, err = f.WriteString(answerLine + "\n")
					}
					if err := errors.Join(err, f.Close()); err != nil {
						t.Fatal(err)
					}
				}}
				s := open(t, path, o)
				if c.change != nil {
					if err := c.change(s); err != nil {
						t.Fatal(err)
					}
				}
				mustClose(t, s)
				now := read(t, path)
				r := mustUndo(t, j, o)
				if got := read(t, r.Now); got != strings.Join(c.lines, "\n")+"\n" && (name != "reinit" || when != "begun") {
					t.Errorf("put back: %s", got)
				}
				if read(t, path) != now || r.Now == path && when == "done" {
					t.Errorf("the session became %s", read(t, path))
				}
				if name != "reinit" || when == "done" {
					if _, err := reopened(t, path, o).Entry("a1"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestUndoKeepsBytes: what is around the header and at the end of the file is as it was
// after a new name or a move is taken back.
func TestUndoKeepsBytes(t *testing.T) {
	for name, text := range map[string]string{
		"mark":         "\uFEFF" + headerLine + "\n" + userLine + "\n" + answerLine + "\n",
		"CR":           headerLine + "\r\n" + userLine + "\r\n" + answerLine + "\r\n",
		"blanks":       " " + headerLine + " \t\n" + userLine + "\n" + answerLine + "\n",
		"no newline":   headerLine + "\n" + userLine + "\n" + answerLine,
		"all of them":  "\uFEFF" + headerLine + " \r\n" + userLine + "\r\n" + answerLine,
		"header alone": "\uFEFF" + headerLine,
	} {
		for op, change := range map[string]func(s *session.Session) error{
			"rename": func(s *session.Session) error {
				_, err := s.Rename(t.Context(), "a name", session.Title{})
				return err
			},
			"move": func(s *session.Session) error { return s.Move(t.Context(), "/elsewhere") },
		} {
			t.Run(op+"/"+name, func(t *testing.T) {
				o, j := recorded(t, "xcsh")
				path := filepath.Join(t.TempDir(), "s.jsonl")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				s := open(t, path, o)
				if err := change(s); err != nil {
					t.Fatal(err)
				}
				mustClose(t, s)
				r := mustUndo(t, j, o)
				if got := read(t, r.Now); r.Now != path || got != text {
					t.Errorf("%s is\n%q, want\n%q", r.Now, got, text)
				}
			})
		}
	}
}
