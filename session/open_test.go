package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/session"
)

const (
	headerLine = `{"type":"session","version":3,"id":"sess","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`
	userLine   = `{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1}}`
	answerLine = `{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"yo"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}},"stopReason":"stop","timestamp":2}}`
)

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := strings.Join(lines, "\n")
	if len(lines) > 0 {
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func open(t *testing.T, path string, o session.Options) *session.Session {
	t.Helper()
	if o.Env.Home == "" {
		o.Env = env(filepath.Dir(path))
	}
	s, err := session.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// What becomes of a path that holds no session, opened to write and to read.
func TestOpenWhatIsNoSession(t *testing.T) {
	none := []string(nil)
	tests := []struct {
		name        string
		lines       []string
		write, read error
	}{
		{"empty", none, nil, nil},
		{"blank lines", []string{"", "  ", ""}, nil, nil},
		{"a log file", []string{"starting", "done"}, session.ErrNotSession, session.ErrNotSession},
		{"other JSON", []string{`{"level":"info"}`}, session.ErrNotSession, session.ErrNotSession},
		{"torn header", []string{headerLine[:60], userLine}, session.ErrNotSession, nil},
		{"an array of something else", []string{`[{"level":"info"},{"level":"warn"}]`}, session.ErrNotSession, session.ErrNotSession},
		{"such an array over lines", []string{"[", "  {", `    "level": "info"`, "  }", "]"}, session.ErrNotSession, session.ErrNotSession},
		{"an array of values", []string{`[1, "two"]`}, session.ErrNotSession, session.ErrNotSession},
		{"no header", []string{userLine, answerLine}, session.ErrNotSession, nil},
		{"version 4", []string{strings.Replace(headerLine, ":3,", ":4,", 1), userLine}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.lines...)
			before := read(t, path)
			o := session.Options{Env: env(filepath.Dir(path)), ReadOnly: true}
			s, err := session.Open(context.Background(), path, o)
			if !errors.Is(err, test.read) {
				t.Errorf("to read: %v, want %v", err, test.read)
			}
			if err == nil {
				if _, err := s.Append(context.Background(), user("x")); !errors.Is(err, session.ErrReadOnly) {
					t.Errorf("append while reading: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			o.ReadOnly = false
			s, err = session.Open(context.Background(), path, o)
			if !errors.Is(err, test.write) {
				t.Errorf("to write: %v, want %v", err, test.write)
			}
			if err == nil {
				defer s.Close()
			}
			if after := read(t, path); test.write != nil && after != before {
				t.Errorf("the file has changed: %q, was %q", after, before)
			}
		})
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.jsonl")
	o := session.Options{Env: env(filepath.Dir(path)), ReadOnly: true}
	if _, err := session.Open(context.Background(), path, o); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("to read: %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made something: %v", err)
	}
	o.ReadOnly = false
	s := open(t, path, o)
	if !s.OnDisk() || !strings.HasPrefix(read(t, path), `{"type":"session","version":3,"id":"`+s.ID()) {
		t.Errorf("file is %q, on disk %v", read(t, path), s.OnDisk())
	}
}

func TestOpenNotAFile(t *testing.T) {
	dir := t.TempDir()
	_, err := session.Open(context.Background(), dir, session.Options{Env: env(dir)})
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("opening a directory: %v", err)
	}
}

func TestHeaderMadeUp(t *testing.T) {
	torn := headerLine[:strings.Index(headerLine, `,"cwd"`)]
	path := file(t, torn, userLine, answerLine)
	s := open(t, path, session.Options{ReadOnly: true})
	if s.ID() != "sess" || s.Len() != 2 || !defects.Of(s.Damage()).HeaderRebuilt || !s.ReadOnly() {
		t.Errorf("id %q, %d entries, damage %s, read-only %v", s.ID(), s.Len(), s.Damage(), s.ReadOnly())
	}
}

func TestReinitializeKeepsOldBytes(t *testing.T) {
	path := file(t, "not a session", userLine)
	before := read(t, path)
	s := open(t, path, session.Options{Reinitialize: true})
	if s.Len() != 0 || !strings.HasPrefix(read(t, path), `{"type":"session"`) {
		t.Errorf("%d entries in %q", s.Len(), read(t, path))
	}
	kept := filepath.Join(filepath.Dir(path), ".s.jsonl.cambium-kept-1")
	if got := read(t, kept); got != before {
		t.Errorf("kept %q, want %q", got, before)
	}
}

func TestNewerVersionIsReadOnly(t *testing.T) {
	path := file(t, strings.Replace(headerLine, ":3,", ":4,", 1), userLine)
	before := read(t, path)
	s := open(t, path, session.Options{})
	if _, err := s.Append(context.Background(), user("x")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v, want ErrReadOnly", err)
	}
	if _, err := s.Rename(context.Background(), "n", session.Title{}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("rename: %v, want ErrReadOnly", err)
	}
	r := open(t, path, session.Options{ReadOnly: true})
	for _, s := range []*session.Session{s, r} {
		if read(t, path) != before || !strings.Contains(s.ReadOnlyReason(), "version 4 is newer") {
			t.Errorf("changed, or no reason: %q", s.ReadOnlyReason())
		}
	}
}

func TestStoredOutside(t *testing.T) {
	s := open(t, file(t, headerLine, userLine), session.Options{ReadOnly: true})
	for _, i := range []int{-1, 1} {
		if _, err := s.Stored(i); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Stored(%d): %v", i, err)
		}
	}
}

func TestReadingMigratesInMemoryOnly(t *testing.T) {
	v1 := []string{
		`{"type":"session","id":"old","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"a"}}`,
		"damaged",
		`{"type":"message","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"hookMessage","content":"h","display":true}}`,
	}
	path := file(t, v1...)
	before := read(t, path)
	r := open(t, path, session.Options{ReadOnly: true})
	var seen []entry.ID
	for e, err := range r.Entries(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.ID)
	}
	if read(t, path) != before {
		t.Error("reading changed the file")
	}
	w := open(t, path, session.Options{})
	var now []entry.ID
	for e, err := range w.Entries(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		now = append(now, e.ID)
	}
	if !slices.Equal(seen, now) || len(now) != 2 {
		t.Errorf("ids are %v, were %v when read", now, seen)
	}
	if was, is := string(r.HeaderJSON()), string(w.HeaderJSON()); was != is || !strings.Contains(is, `"version":3`) {
		t.Errorf("header is %s, was %s when read", is, was)
	}
	if r.Header().Version != 1 {
		t.Errorf("the file's version is %v", r.Header().Version)
	}
	if after := read(t, path); !strings.Contains(after, `"version":3`) || !strings.Contains(after, "\ndamaged\n") {
		t.Errorf("migrated file is %q", after)
	}
}

func TestParseEntries(t *testing.T) {
	data := []byte(headerLine + "\n" + userLine + "\noops\n" + answerLine + "\n")
	h, list, damage, err := session.ParseEntries(data)
	if err != nil {
		t.Fatal(err)
	}
	if h.ID != "sess" || list.Len() != 2 || damage.Unreadable() != 1 {
		t.Errorf("id %q, %d entries, %d bad lines", h.ID, list.Len(), damage.Unreadable())
	}
	if line, err := list.Load(1); err != nil || string(line) != answerLine {
		t.Errorf("entry 1 is %q, %v", line, err)
	}
	if _, _, _, err := session.ParseEntries([]byte("nothing\n")); !errors.Is(err, session.ErrNotSession) {
		t.Errorf("no session: %v", err)
	}
}

func TestTipsAreTold(t *testing.T) {
	other := strings.NewReplacer(`"id":"u1"`, `"id":"u2"`, `:06`, `:09`).Replace(userLine)
	path := file(t, headerLine, userLine, answerLine, other)
	var tips []entry.ID
	open(t, path, session.Options{OnEvent: func(e session.Event) {
		if e.Kind == session.Tips {
			tips = e.IDs
		}
	}})
	if !slices.Equal(tips, []entry.ID{"a1"}) {
		t.Errorf("tips are %v, want a1", tips)
	}
}
