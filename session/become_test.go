package session_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

func TestForkFromBadSources(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string
		is    error
	}{
		{"empty", nil, "Cannot fork: source session file is empty or invalid: ", session.ErrNotSession},
		{"no session", []string{"x"}, "Cannot fork: source session file is empty or invalid: ", session.ErrNotSession},
		{"no header", []string{userLine}, "Cannot fork: source session has no header: ", session.ErrNotSession},
		{"newer", []string{strings.Replace(headerLine, ":3,", ":4,", 1)}, "fork session ", session.ErrReadOnly},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.lines...)
			o := session.Options{Env: env(filepath.Dir(path)), Dir: filepath.Join(filepath.Dir(path), "dst")}
			_, err := session.ForkFrom(context.Background(), path, "/v", o)
			if !errors.Is(err, test.is) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("ForkFrom: %v", err)
			}
			if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was made: %v", err)
			}
		})
	}
}

// A long session is forked in parts, and no part of it is seen on the way.
func TestForkFromLongSession(t *testing.T) {
	lines := []string{headerLine, userLine}
	long := strings.Replace(answerLine, `"yo"`, `"`+strings.Repeat("y", 400_000)+`"`, 1)
	for range 8 {
		lines = append(lines, long)
	}
	path := file(t, lines...)
	o := session.Options{Env: env(filepath.Dir(path)), Dir: filepath.Join(filepath.Dir(path), "dst")}
	s, err := session.ForkFrom(context.Background(), path, "/v", o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, want, _ := strings.Cut(read(t, path), "\n")
	_, got, _ := strings.Cut(read(t, s.Path()), "\n")
	if got != want || s.CWD() != "/v" {
		t.Errorf("entries differ, or cwd is %q", s.CWD())
	}
	if names, _ := filepath.Glob(filepath.Join(o.Dir, ".*")); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestForkCopiesArtifacts(t *testing.T) {
	s := open(t, file(t, headerLine, userLine, answerLine), session.Options{})
	path, w, err := s.NewArtifact(context.Background(), "bash/../x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "output"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(path) != s.ArtifactDir() || filepath.Base(path) != "0.bash_x.log" {
		t.Errorf("artifact is %q", path)
	}
	if err := s.MoveLeaf("u1"); err != nil {
		t.Fatal(err)
	}
	old, now, err := s.Fork(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	copied, err := s.Artifact(0)
	if err != nil || read(t, copied) != "output" || filepath.Dir(copied) != strings.TrimSuffix(now, ".jsonl") {
		t.Errorf("artifact of the fork: %q, %v", copied, err)
	}
	if _, err := s.Artifact(7); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("artifact 7: %v", err)
	}
	if all, err := s.Artifacts(); err != nil || len(all) != 1 || all[0].Size != 6 {
		t.Errorf("artifacts: %v, %v", all, err)
	}
	if leaf, _ := s.Leaf(); leaf != "u1" {
		t.Errorf("leaf of the fork is %q", leaf)
	}
	_, want, _ := strings.Cut(read(t, old), "\n")
	_, got, _ := strings.Cut(read(t, now), "\n")
	if got != want {
		t.Errorf("fork holds %q, want %q", got, want)
	}
}

// A move that cannot be finished leaves everything where it was.
func TestMoveIsRolledBack(t *testing.T) {
	dir := t.TempDir()
	s := create(t, session.Options{Env: env(dir), Dialect: dialect.Xcsh, FirstWrite: session.Immediately})
	path := s.Path()
	_, w, err := s.NewArtifact(context.Background(), "bash")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// What is in the way: an artifact of the same name.
	root := filepath.Dir(filepath.Dir(path))
	target := filepath.Join(root, "--v--", strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	if err := os.MkdirAll(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "0.bash.log"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if err := s.Move(context.Background(), "/v"); err == nil {
		t.Fatal("moved over an artifact")
	}
	if s.Path() != path || s.CWD() != "/w" || read(t, path) != before {
		t.Errorf("path %q, cwd %q", s.Path(), s.CWD())
	}
	if err := os.Remove(filepath.Join(target, "0.bash.log")); err != nil {
		t.Fatal(err)
	}
	if err := s.Move(context.Background(), "/v"); err != nil {
		t.Fatal(err)
	}
	add(t, s, user("after"))
	if !strings.Contains(read(t, s.Path()), `"cwd":"/v"`) || !strings.Contains(read(t, s.Path()), "after") {
		t.Errorf("moved session is %q", read(t, s.Path()))
	}
	if _, err := os.Stat(filepath.Join(target, "0.bash.log")); err != nil {
		t.Errorf("artifact did not move: %v", err)
	}
}

func TestSwitchAndRestore(t *testing.T) {
	ctx := context.Background()
	one := file(t, headerLine, userLine, answerLine)
	two := file(t, strings.Replace(headerLine, `"sess"`, `"other"`, 1), userLine)
	bad := file(t, "no session")
	s := open(t, one, session.Options{})
	if err := s.MoveLeaf("u1"); err != nil {
		t.Fatal(err)
	}
	state := s.Capture()
	if err := s.Switch(ctx, bad); !errors.Is(err, session.ErrNotSession) {
		t.Errorf("switch to no session: %v", err)
	}
	if leaf, _ := s.Leaf(); s.ID() != "sess" || leaf != "u1" {
		t.Errorf("after a failed switch: %q at %q", s.ID(), leaf)
	}
	if err := s.Switch(ctx, two); err != nil || s.ID() != "other" || s.Len() != 1 {
		t.Errorf("switch: %v; %q, %d entries", err, s.ID(), s.Len())
	}
	if err := s.Restore(ctx, state); err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(); s.ID() != "sess" || leaf != "u1" || s.Path() != one {
		t.Errorf("restored: %q at %q", s.ID(), leaf)
	}
	add(t, s, user("goes on"))
	if !strings.Contains(read(t, one), "goes on") {
		t.Error("the restored session is not written")
	}
}

// A session without a file is not lost by switching away from it.
func TestRestoreHeldSession(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := create(t, session.Options{Env: env(dir)})
	prompt := add(t, s, user("a prompt"))
	held, path := s.Capture(), s.Path()
	next, err := s.New(ctx, "parent")
	if err != nil || next != s.Path() || s.Len() != 0 || s.Header().ParentSession != "parent" {
		t.Fatalf("New() = %q, %v", next, err)
	}
	if err := s.Restore(ctx, held); err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(); leaf != prompt || s.Path() != path {
		t.Errorf("restored %q at %q", s.Path(), leaf)
	}
	add(t, s, answer("an answer"))
	if text := read(t, path); !strings.Contains(text, "a prompt") || len(drafts(t, dir)) != 0 {
		t.Errorf("session is %q, drafts %v", text, drafts(t, dir))
	}
}

func TestEditContext(t *testing.T) {
	for _, d := range spelling.All() {
		path := file(t, headerLine, userLine, answerLine)
		s := open(t, path, session.Options{Dialect: d.Name})
		if _, err := s.EditContext(context.Background(), "u1", entry.JSON(`{"content":"edited"}`)); err != nil {
			t.Fatal(err)
		}
		if d.ContextEdit != strings.Contains(read(t, path), `"type":"context_edit"`) {
			t.Errorf("%s: %q", d.Name, read(t, path))
		}
		c, err := s.Context(context.Background(), session.ContextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for m, err := range c.Messages() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(m.JSON))
		}
		if text := strings.Join(all, "\n"); len(all) != 2 || !strings.Contains(text, "edited") || strings.Contains(text, `"hi"`) {
			t.Errorf("%s: the model sees %s", d.Name, text)
		}
	}
}

func TestEditArguments(t *testing.T) {
	call := strings.Replace(answerLine, `{"type":"text","text":"yo"}`,
		`{"type":"text","text":"yo"},{"type":"toolCall","id":"c1","name":"x","arguments":{"secret":1}}`, 1)
	result := `{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"x","content":[],"isError":false,"timestamp":3}}`
	s := open(t, file(t, headerLine, userLine, call, result), session.Options{})
	if _, err := s.EditArguments(context.Background(), "c1", entry.JSON(`{"secret":0}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EditArguments(context.Background(), "c9", entry.JSON(`{}`)); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("no such call: %v", err)
	}
	c, err := s.Context(context.Background(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sent, cleaned := s.LLM(context.Background(), c)
	text := ""
	for m, err := range sent {
		if err != nil {
			t.Fatal(err)
		}
		text += string(m)
	}
	if !strings.Contains(text, `"secret":0`) || strings.Contains(text, `"secret":1`) || !strings.Contains(text, `"yo"`) {
		t.Errorf("the model is sent %s", text)
	}
	if cleaned == nil {
		t.Error("nothing says what was cleaned")
	}
}

// A title that is an entry can be appended as one, and cleared.
func TestTitleByEntry(t *testing.T) {
	s := open(t, file(t, headerLine, userLine), session.Options{Dialect: dialect.Pi})
	add(t, s, &entry.SessionInfoBody{Name: "appended"})
	if name, _ := s.Title(); name != "appended" {
		t.Errorf("title is %q", name)
	}
	if done, err := s.Rename(context.Background(), "", session.Title{}); !done || err != nil {
		t.Errorf("clearing it: %v, %v", done, err)
	}
	if name, _ := s.Title(); name != "" {
		t.Errorf("title is %q", name)
	}
}

// The lock file that omp looks for is there while an omp session is written,
// and gone afterwards.
func TestOmpLockFile(t *testing.T) {
	path := file(t, headerLine, userLine)
	lock := filepath.Join(filepath.Dir(path), ".s.jsonl.lock")
	if err := os.WriteFile(lock, []byte("1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	s := open(t, path, session.Options{Dialect: dialect.Omp, OnEvent: func(e session.Event) {
		if e.Kind == session.Busy {
			told = append(told, e.Text)
		}
	}})
	add(t, s, user("though locked"))
	if !strings.Contains(read(t, path), "though locked") {
		t.Error("the lock of another program kept the entry out")
	}
	if len(told) == 0 {
		t.Error("nobody was told that the lock was passed over")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	add(t, s, user("again"))
	if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("lock file left behind: %v", err)
	}
}

// A session that moves takes omp's lock at its new place, too.
func TestOmpLockFileAtNewPlace(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	told := 0
	s := create(t, session.Options{Dialect: dialect.Omp, Env: env(dir), FirstWrite: session.Immediately,
		OnEvent: func(e session.Event) {
			if e.Kind == session.Busy {
				told++
			}
		}})
	add(t, s, user("a prompt"))
	now := filepath.Join(filepath.Dir(filepath.Dir(s.Path())), "--elsewhere--", filepath.Base(s.Path()))
	if err := os.MkdirAll(filepath.Dir(now), 0o700); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(filepath.Dir(now), "."+filepath.Base(now)+".lock")
	if err := os.WriteFile(lock, []byte("1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Move(ctx, "/elsewhere"); err != nil || s.Path() != now {
		t.Fatalf("moved to %q, %v", s.Path(), err)
	}
	if told == 0 {
		t.Error("the header was rewritten without a look at the lock")
	}
}
