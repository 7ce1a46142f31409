//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/local"
)

// TestCatalogue: every incident has a test of its name, or a reason why not.
func TestCatalogue(t *testing.T) {
	names := map[string]bool{}
	for _, file := range []string{"catalogue_test.go", "catalogue_more_test.go"} {
		for line := range strings.Lines(string(get(t, file))) {
			if rest, ok := strings.CutPrefix(line, "func Test"); ok {
				names[rest[:3]] = true
			}
		}
	}
	for i := range incidents {
		id := fmt.Sprintf("C%02d", i+1)
		if _, without := untested()[id]; names[id] == without {
			t.Errorf("%s: a test %v, a reason %v", id, names[id], without)
		}
	}
}

func TestC24(t *testing.T) { recipe(t, "M48") }
func TestC25(t *testing.T) { recipe(t, "M42", "M48") }

func TestC26(t *testing.T) {
	if err := concurrent(t.Output(), []int{2}, 300); err != nil {
		t.Error(err)
	}
}

func TestC27(t *testing.T) { recipe(t, "M66") }
func TestC28(t *testing.T) { recipe(t, "M39", "M40") }

func TestC29(t *testing.T) {
	path := put(t, twenty().bytes())
	s := opened(t, path, session.Options{Dialect: "xcsh"})
	other := bytes.Replace(fixture("/w", 3).bytes(), []byte(sessionID), []byte("another-session"), 1)
	beside := path + ".new"
	if err := errors.Join(os.WriteFile(beside, other, 0o600), os.Rename(beside, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rename(t.Context(), "named", session.Title{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(get(t, path), other) {
		t.Error("the other session was changed")
	}
	if got := inContext(t, opened(t, s.Path(), session.Options{})); s.Path() == path || len(got) != 20 {
		t.Errorf("ours is at %q with %d messages", s.Path(), len(got))
	}
}

// The second writer of a session is told so with the first foreign entry.
func TestC30(t *testing.T) {
	path := put(t, twenty().bytes())
	var told []string
	first := opened(t, path, session.Options{OnEvent: func(e session.Event) {
		if e.Kind == session.Busy {
			told = append(told, e.Text)
		}
	}})
	second := opened(t, path, session.Options{})
	add(t, second, "theirs")
	add(t, first, "ours")
	if len(told) != 1 || !strings.Contains(told[0], "another process") {
		t.Errorf("told %q", told)
	}
}

func TestC31(t *testing.T) {
	l := append(twenty(), message("branch01", name(9), 0))
	s := opened(t, put(t, l.bytes()), session.Options{})
	nine := name(9)
	children, err := gathered(s.Children(&nine))
	if err != nil || len(children) != 2 {
		t.Errorf("%d children, %v", len(children), err)
	}
}

func TestC32(t *testing.T) { TestC26(t) }

func TestC33(t *testing.T) {
	l := twenty()
	l[11] = bytes.Replace(l[11], []byte(name(10)), []byte(name(9)), 1)
	s := opened(t, put(t, l.bytes()), session.Options{})
	add(t, s, "goes on")
	if got := inContext(t, s); len(got) < 20 || len(defects.Of(s.Damage()).Duplicates) != 1 {
		t.Errorf("%d messages, damage %q", len(got), s.Damage())
	}
}

// Three processes rewrite one file: it is whole at any time.
func TestC34(t *testing.T) {
	_, err := underway(func(c *Case) int {
		path := c.write("a.jsonl", twenty().bytes())
		var group sync.WaitGroup
		for range 3 {
			c.a = nil
			c.open(path)
			w := c.a
			group.Go(func() {
				for range 20 {
					if _, err := w.call("rewrite"); err != nil {
						t.Errorf("rewrite: %v", err)
					}
					if gone := c.entriesGone(path, 20); gone > 0 {
						t.Errorf("%d entries gone", gone)
					}
				}
			})
		}
		group.Wait()
		return 0
	})
	if err != nil {
		t.Error(err)
	}
}

func TestC35(t *testing.T) {
	a, b := put(t, twenty().bytes()), put(t, bytes.Replace(twenty().bytes(), []byte(sessionID), []byte("second-session"), 1))
	s := opened(t, a, session.Options{})
	if err := s.Switch(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	add(t, s, "for b")
	if bytes.Contains(get(t, a), []byte("for b")) || !bytes.Contains(get(t, b), []byte("for b")) {
		t.Error("the entry is in the wrong file")
	}
}

func TestC36(t *testing.T) { TestC34(t) }

func TestC37(t *testing.T) {
	path := put(t, twenty().bytes())
	orphan := filepath.Join(filepath.Dir(path), ".a.jsonl.cambium-tmp-1-abc")
	if err := os.WriteFile(orphan, twenty().bytes()[:900], 0o600); err != nil {
		t.Fatal(err)
	}
	s := opened(t, path, session.Options{})
	add(t, s, "goes on")
	if got := inContext(t, s); len(got) != 21 {
		t.Errorf("%d messages", len(got))
	}
	if got := listed(t, catalog.Options{Env: place(t), SessionDir: filepath.Dir(path)}); len(got) != 1 {
		t.Errorf("listed %q", got)
	}
}

// failing is a store on which operations of a kind fail as long as the toggle is
// on; of a write 50 bytes are written.
func failing(kind errorfs.Kind, err error) (session.Options, *errorfs.Toggle) {
	toggle := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: err, Short: 50}, ".jsonl", kind)}
	return session.Options{Store: local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), toggle.Inject)))}, toggle
}

func TestC38(t *testing.T) {
	o, broken := failing(errorfs.Rename, syscall.EPERM)
	broken.Set(true)
	o.Dialect = "xcsh"
	s := opened(t, put(t, twenty().bytes()), o)
	if _, err := s.Rename(t.Context(), "named", session.Title{}); !errors.Is(err, syscall.EPERM) {
		t.Errorf("rename: %v", err)
	}
	for i := range 6 {
		add(t, s, fmt.Sprint("after ", i))
	}
	if got := inContext(t, opened(t, s.Path(), session.Options{})); len(got) != 26 {
		t.Errorf("%d messages on disk", len(got))
	}
}

func TestC10(t *testing.T) {
	o, full := failing(errorfs.Write, syscall.ENOSPC)
	s := opened(t, put(t, twenty().bytes()), o)
	full.Set(true)
	for i := range 3 {
		if _, err := s.Append(t.Context(), spoken(fmt.Sprint("full ", i), "user")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("append: %v", err)
		}
	}
	full.Set(false)
	add(t, s, "space again")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	got := opened(t, s.Path(), session.Options{})
	if n := len(inContext(t, got)); n != 24 || got.Damage().Any() {
		t.Errorf("%d messages on disk, damage %q", n, got.Damage())
	}
}

func TestC39(t *testing.T) { recipe(t, "M61") }
func TestC40(t *testing.T) { recipe(t, "M59") }

// A session is found by the cwd in its header, whatever its folder is called.
func TestC41(t *testing.T) {
	env := place(t)
	cwd := filepath.Join(env.Home, "project")
	for i, dir := range []string{"abs-tmp-0123456789abcdef", "--project--", "-project", "anything"} {
		path := filepath.Join(env.Home, ".omp", "agent", "sessions", dir, fmt.Sprintf("s%d.jsonl", i))
		data := bytes.Replace(fixture(cwd, 4).bytes(), []byte(sessionID), fmt.Appendf(nil, "session-%d", i), 1)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if got := listed(t, catalog.Options{Env: env, CWD: cwd}); len(got) != 4 {
		t.Errorf("listed %q", got)
	}
}

func TestC42(t *testing.T) { listedAnyway(t, "/was/renamed", time.Now()) }

func TestC43(t *testing.T) {
	listedAnyway(t, "/nonexistent/dir", time.Now())
	s := opened(t, put(t, fixture("/nonexistent/dir", 4).bytes()), session.Options{})
	add(t, s, "goes on")
	if s.CWD() != "/nonexistent/dir" {
		t.Errorf("cwd %q", s.CWD())
	}
}

func TestC44(t *testing.T) { TestC41(t) }

// Nothing here removes a session for its age.
func TestC45(t *testing.T) { listedAnyway(t, "/w", time.Now().AddDate(-1, 0, 0)) }

// listedAnyway lists a session of some directory and age, and wants it there
// afterwards.
func listedAnyway(t *testing.T, cwd string, changed time.Time) {
	t.Helper()
	env := place(t)
	path := filepath.Join(env.Home, ".cambium", "agent", "sessions", "--w--", "2026-03-01T10-00-00-000Z_a.jsonl")
	data := fixture(cwd, 4).bytes()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600), os.Chtimes(path, changed, changed)); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, catalog.Options{Env: env}); len(got) != 1 || strings.HasSuffix(got[0], "!") {
		t.Errorf("listed %q", got)
	}
	if !bytes.Equal(get(t, path), data) {
		t.Error("the file was changed")
	}
}

func TestC46(t *testing.T) {
	env := place(t)
	path := filepath.Join(env.Home, "a.jsonl")
	if err := os.WriteFile(path, twenty().bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(env.Home)
	s := opened(t, "a.jsonl", session.Options{Env: env})
	t.Chdir(t.TempDir())
	add(t, s, "after cd")
	if !bytes.Contains(get(t, path), []byte("after cd")) {
		t.Error("the entry is not in the file")
	}
}

func TestC47(t *testing.T) { recipe(t, "M01", "M02") }
func TestC48(t *testing.T) { recipe(t, "M03") }
func TestC49(t *testing.T) { recipe(t, "M22") }

func TestC50(t *testing.T) {
	l := twenty()
	for i := 5; i < 20; i += 5 {
		l[i+1] = bytes.Replace(l[i+1], []byte(name(i)), []byte(name(i-1)), 1)
	}
	s := opened(t, put(t, l.bytes()), session.Options{})
	n := 0
	for range tree.Of(s.Tree()).Nodes(0) {
		n++
	}
	if got := inContext(t, s); n != 20 || len(got) < 20 {
		t.Errorf("%d in the tree, %d in context", n, len(got))
	}
}

func TestC51(t *testing.T) {
	s := opened(t, put(t, twenty().bytes()), session.Options{})
	path, err := s.SaveBranch(t.Context(), name(9))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestC52(t *testing.T) { recipe(t, "M62") }
func TestC53(t *testing.T) { recipe(t, "M25") }

// sent is what goes to a model of a fixture with one other message.
func sent(t *testing.T, messages ...string) string {
	t.Helper()
	l := twenty()
	for i, m := range messages {
		l[11+i] = messageLine(name(10+i), name(9+i), []byte(m), 10+i)
	}
	path := put(t, l.bytes())
	s := opened(t, path, session.Options{})
	v, err := (&child{s: s}).llm(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(get(t, path), l.bytes()) {
		t.Error("the file was changed")
	}
	out, _ := jsonedit.String(v)
	return out
}

func TestC54(t *testing.T) {
	call := string(assistant("x").Value())
	call = strings.Replace(call, `"content":[`, `"content":[{"type":"toolCall","id":"c1","name":"apply\u0000\u0000","arguments":{}},`, 1)
	out := sent(t, call, `{"role":"toolResult","toolCallId":"c1","toolName":"apply\u0000\u0000","content":[{"type":"text","text":"done"}],"isError":false,"timestamp":1}`)
	if strings.Contains(out, `\u0000`) || !strings.Contains(out, `"apply"`) {
		t.Errorf("sent %.300q", out)
	}
}

func TestC55(t *testing.T) {
	l := twenty()
	l[11] = []byte(`{"type":"custom_message","id":"e0000010","parentId":"e0000009","timestamp":"2026-03-01T10:00:10.000Z"}`)
	if got := inContext(t, opened(t, put(t, l.bytes()), session.Options{})); len(got) < 19 {
		t.Errorf("%d messages", len(got))
	}
}

func TestC56(t *testing.T) {
	recipe(t, "M20")
	call := strings.Replace(string(assistant("x").Value()), `"content":[`, `"content":[null,{"type":"toolCall","id":"c","name":"n","arguments":null},`, 1)
	for _, m := range []string{`{"role":"user","content":null}`, `{"role":"assistant","content":null}`, call, `{"role":"user","content":[null]}`} {
		if out := sent(t, m); !strings.Contains(out, "text e0000019") {
			t.Errorf("%.80s: the last message is not sent", m)
		}
	}
}

func TestC57(t *testing.T) {
	call := strings.Replace(string(assistant("x").Value()), `"content":[`, `"content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}},`, 1)
	out := sent(t, call, `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"`+
		strings.Repeat("y", 11<<20)+`"}],"isError":false,"timestamp":1}`)
	if n := strings.Count(out, "y"); n > 10<<20+1000 || n < 9<<20 {
		t.Errorf("%d characters sent", n)
	}
}

// Closing writes nothing that was written already.
func TestC60(t *testing.T) {
	before := fixture("/w", 20_000).bytes()
	s := opened(t, put(t, before), session.Options{})
	add(t, s, "one more")
	written := get(t, s.Path())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := get(t, s.Path()); !bytes.HasPrefix(written, before) || !bytes.Equal(after, written) {
		t.Error("closing wrote")
	}
}

func TestC63(t *testing.T) {
	l := fixture("/w", 8366)
	for i := range l[1:] {
		l[i+1] = bytes.Replace(l[i+1], []byte("text e"), append(bytes.Repeat([]byte("x"), 2000), "text e"...), 1)
	}
	wantMessages(t, l.bytes(), 8366, false)
}

func TestC65(t *testing.T) { recipe(t, "M55") }
func TestC66(t *testing.T) { recipe(t, "M67") }
func TestC67(t *testing.T) { recipe(t, "M67") }

func TestC68(t *testing.T) {
	env := place(t)
	s, err := session.Create(t.Context(), env.Home, session.Options{Env: env, FirstWrite: session.Immediately})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, "private")
	if _, err := s.Rename(t.Context(), "named", session.Title{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.Path(): 0o600, filepath.Dir(s.Path()): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestC69(t *testing.T) { recipe(t, "M57") }

func TestC71(t *testing.T) {
	l := twenty()
	l[11] = messageLine(name(10), name(9), userMessage("copy \x1b]52;c;ZXZpbA==\x07 and \u009b2J \u202e").Int("timestamp", 1).Value(), 10)
	path := put(t, l.bytes())
	out, code, err := onTerminal(t.TempDir(), "show", path, "--full", "--no-pager")
	if err != nil || code != 0 {
		t.Fatalf("show: exit %d, %v", code, err)
	}
	if strings.Contains(out, "\x1b]52") || strings.ContainsAny(out, "\a\u009b\u202e") || !strings.Contains(out, "copy") {
		t.Errorf("the terminal received %q", out)
	}
	env := place(t)
	for _, id := range []string{"../../x", ".x", "a/b", "con"} {
		if s, err := session.Create(t.Context(), env.Home, session.Options{Env: env, ID: id}); err == nil {
			t.Errorf("id %q accepted: %q", id, s.Path())
		}
	}
}

// gathered returns the entries of a sequence, up to the first that cannot be read.
func gathered(entries iter.Seq2[entry.Entry, error]) (all []entry.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}
