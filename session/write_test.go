package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/local"
)

func create(t *testing.T, o session.Options) *session.Session {
	t.Helper()
	if o.Env.Home == "" {
		o.Env = env(t.TempDir())
	}
	s, err := session.Create(context.Background(), "/w", o)
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

func add(t *testing.T, s *session.Session, b entry.Body) entry.ID {
	t.Helper()
	id, err := s.Append(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func drafts(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state.Dir(filepath.Join(dir, "state")), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A session is held in a draft until the first answer, and a kill before that
// loses nothing.
func TestDraft(t *testing.T) {
	dir := t.TempDir()
	s := create(t, session.Options{Env: env(dir), Dialect: dialect.Pi})
	if n := len(drafts(t, dir)); n != 0 {
		t.Errorf("%d drafts before anything was said", n)
	}
	add(t, s, user("a prompt"))
	if s.OnDisk() {
		t.Error("written before the first answer")
	}
	names := drafts(t, dir)
	if len(names) != 1 {
		t.Fatalf("drafts: %v", names)
	}
	text := read(t, names[0])
	header, _, _ := strings.Cut(text, "\n")
	d, ok := state.ReadMark([]byte(header))
	if !ok || d.Path != s.Path() || d.Agent != "pi" || !strings.Contains(text, "a prompt") {
		t.Errorf("draft is %q", text)
	}
	if h, list, _, err := session.ParseEntries([]byte(text)); err != nil || h.ID != s.ID() || list.Len() != 1 {
		t.Errorf("the draft is no valid session: %v", err)
	}
	add(t, s, answer("an answer"))
	if !s.OnDisk() || len(drafts(t, dir)) != 0 {
		t.Errorf("on disk %v, drafts %v", s.OnDisk(), drafts(t, dir))
	}
	if text := read(t, s.Path()); strings.Contains(text, "cambium") || strings.Count(text, "\n") != 3 {
		t.Errorf("session is %q", text)
	}
}

func TestFirstWrite(t *testing.T) {
	tests := []struct {
		policy                session.FirstWrite
		dialect               dialect.Name
		version               string
		created, asked, heard bool
	}{
		{dialect: dialect.Pi, heard: true},
		{dialect: dialect.Pi, version: "0.87.1", heard: true},
		{dialect: dialect.Pi, version: "1.4", heard: true},
		{dialect: dialect.Pi, version: "newest", heard: true},
		{dialect: dialect.Pi, version: "1.5.2", asked: true, heard: true},
		{dialect: dialect.Pi, version: "2.0.0", asked: true, heard: true},
		{dialect: dialect.Omp, version: "18.3.4", heard: true},
		{dialect: dialect.Pi, version: "1.5.2", policy: session.FirstAssistant, heard: true},
		{policy: session.FirstAssistant, heard: true},
		{policy: session.FirstUser, asked: true, heard: true},
		{policy: session.Immediately, created: true, asked: true, heard: true},
	}
	for _, test := range tests {
		s := create(t, session.Options{FirstWrite: test.policy, Dialect: test.dialect, Version: test.version, NoDrafts: true})
		got := []bool{s.OnDisk()}
		add(t, s, user("q"))
		got = append(got, s.OnDisk())
		add(t, s, answer("a"))
		got = append(got, s.OnDisk())
		want := []bool{test.created, test.asked, test.heard}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: written %v, want %v", test, got, want)
		}
	}
}

// What fails to be written is told, stays, and is written by the next call that
// can.
func TestUnsavedIsRetried(t *testing.T) {
	path := file(t, headerLine, userLine)
	full := errors.New("no space")
	fault := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: full}, "", errorfs.Write)}
	var events []session.EventKind
	s := open(t, path, session.Options{
		Store: local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), fault.Inject))), Env: env(filepath.Dir(path)),
		OnEvent: func(e session.Event) { events = append(events, e.Kind) },
	})
	fault.Set(true)
	id, err := s.Append(context.Background(), user("lost?"))
	if id == "" || !errors.Is(err, session.ErrUnsaved) || !errors.Is(err, full) {
		t.Fatalf("append = %q, %v", id, err)
	}
	if s.Queued() != 1 || s.Len() != 2 {
		t.Errorf("%d queued, %d entries", s.Queued(), s.Len())
	}
	if err := s.Flush(context.Background()); !errors.Is(err, session.ErrUnsaved) {
		t.Errorf("flush: %v, want ErrUnsaved", err)
	}
	if _, err := s.New(context.Background(), ""); !errors.Is(err, session.ErrUnsaved) {
		t.Errorf("left with entries unsaved: %v", err)
	}
	fault.Set(false)
	add(t, s, user("saved"))
	if text := read(t, path); !strings.Contains(text, "lost?") || !strings.Contains(text, "saved") || s.Queued() != 0 {
		t.Errorf("%d queued, file %q", s.Queued(), text)
	}
	if fmt.Sprint(events) != fmt.Sprint([]session.EventKind{session.Unsaved, session.Appended, session.Appended}) {
		t.Errorf("events: %v", events)
	}
}

// A first write that fails, however far it came, is done by a later call.
func TestFirstWriteIsRetried(t *testing.T) {
	for _, kind := range []errorfs.Kind{errorfs.Open, errorfs.Write, errorfs.SyncData, errorfs.Sync, errorfs.SyncDir} {
		fault := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{}, "sessions", kind)}
		s := create(t, session.Options{Store: local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), fault.Inject)))})
		add(t, s, user("q"))
		fault.Set(true)
		id, err := s.Append(context.Background(), answer("a"))
		if id == "" || err != nil && !errors.Is(err, session.ErrUnsaved) {
			t.Errorf("%s: append = %q, %v", kind, id, err)
		}
		if failed := err != nil; failed != (s.Queued() > 0) {
			t.Errorf("%s: %v, but %d are queued", kind, err, s.Queued())
		}
		fault.Set(false)
		if err := s.Flush(context.Background()); err != nil {
			t.Errorf("%s: flush: %v", kind, err)
		}
		if text := read(t, s.Path()); strings.Count(text, "\n") != 3 || s.Queued() != 0 {
			t.Errorf("%s: %d queued, session is %q", kind, s.Queued(), text)
		}
	}
}

// Two sessions on one file are two branches of one tree.
func TestTwoWriters(t *testing.T) {
	path := file(t, headerLine, userLine)
	var foreign, busy int
	a := open(t, path, session.Options{OnEvent: func(e session.Event) {
		if e.Foreign && e.Kind == session.Appended {
			foreign += len(e.IDs)
		}
		if e.Kind == session.Busy {
			busy++
		}
	}})
	b := open(t, path, session.Options{})
	one := add(t, b, answer("from b"))
	two := add(t, a, answer("from a"))
	three := add(t, a, user("more from a"))
	if foreign != 1 || busy != 1 {
		t.Errorf("%d foreign entries told, busy told %d times", foreign, busy)
	}
	branch, err := gathered(a.Branch(nil))
	if err != nil || fmt.Sprint(ids(branch)) != fmt.Sprint([]string{"u1", two, three}) {
		t.Errorf("branch of a is %v, %v", ids(branch), err)
	}
	if any, err := b.Refresh(context.Background()); !any || err != nil || b.Len() != 4 {
		t.Errorf("refresh = %v, %v; %d entries", any, err, b.Len())
	}
	if leaf, _ := b.Leaf(); leaf != one {
		t.Errorf("leaf of b is %q, want %q", leaf, one)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := open(t, file(t, headerLine, userLine), session.Options{Sync: session.SyncNone})
	ctx := context.Background()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 50 {
				if _, err := s.Append(ctx, user("x")); err != nil {
					t.Error(err)
				}
			}
		})
		wait.Go(func() {
			for range 20 {
				c, err := s.Context(ctx, session.ContextOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				for _, err := range c.Messages() {
					if err != nil {
						t.Error(err)
					}
				}
				for range s.Entries(ctx) {
					break
				}
			}
		})
	}
	wait.Wait()
	if s.Len() != 201 {
		t.Errorf("%d entries, want 201", s.Len())
	}
	branch, err := gathered(s.Branch(nil))
	if err != nil || len(branch) != 201 {
		t.Errorf("the branch has %d entries, %v", len(branch), err)
	}
}

func TestAppendRefuses(t *testing.T) {
	s := open(t, file(t, headerLine, userLine), session.Options{})
	ctx := context.Background()
	if _, err := s.Append(ctx, &entry.LabelBody{TargetID: "nope", Label: "x"}); err == nil || err.Error() != "Entry nope not found" || !errors.Is(err, session.ErrNotFound) {
		t.Errorf("label: %v", err)
	}
	verbatim, err := entry.ParseBody([]byte(`{"type":"label","targetId":"nope","label":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, verbatim); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("label given verbatim: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if id, err := s.Append(done, user("x")); id != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %q, %v", id, err)
	}
	if s.Len() != 1 {
		t.Errorf("%d entries", s.Len())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, user("x")); !errors.Is(err, session.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// Assistant messages of omp and xcsh get the usage that those programs read.
func TestUsageIsFilled(t *testing.T) {
	for _, d := range spelling.All() {
		s := create(t, session.Options{Dialect: d.Name, FirstWrite: session.Immediately})
		body, err := entry.ParseBody([]byte(`{"type":"message","message":{"role":"assistant","content":[],"timestamp":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		add(t, s, body)
		if has := strings.Contains(read(t, s.Path()), `"cost":{"input":0`); has != d.FillUsage {
			t.Errorf("%s: usage filled %v", d.Name, has)
		}
	}
}

// What is cut on its way to the file can be had whole.
func TestWholeTextOfWhatWasCut(t *testing.T) {
	s := create(t, session.Options{FirstWrite: session.Immediately})
	whole := strings.Repeat("long ", 200_000)
	add(t, s, user(whole))
	line, err := s.Stored(0)
	if err != nil || len(line) > 600_000 {
		t.Fatalf("stored %d bytes, %v", len(line), err)
	}
	full, _ := jsonedit.Path(line, "cambium", "full")
	for f := range jsonedit.Elements(full) {
		ref, _ := jsonedit.Text(f, "ref")
		if text, err := s.Blob(context.Background(), ref); err != nil || string(text) != whole {
			t.Errorf("%q holds %d bytes, %v", ref, len(text), err)
		}
		return
	}
	t.Error("nothing says where the whole text is")
}

func TestUsage(t *testing.T) {
	const usage = `"usage":{"input":10,"output":20,"cacheRead":1,"cacheWrite":2,"premiumRequests":1,"cost":{"total":0.25}}`
	for _, c := range []struct {
		name, line string
		counts     bool
	}{
		{"tool result of pi", `{"type":"message","id":"x","parentId":"a1","message":{"role":"toolResult","toolName":"t",` + usage + `}}`, true},
		{"subtask of omp", `{"type":"message","id":"x","parentId":"a1","message":{"role":"toolResult","toolName":"task","details":{` + usage + `}}}`, true},
		{"details of another tool", `{"type":"message","id":"x","parentId":"a1","message":{"role":"toolResult","toolName":"t","details":{` + usage + `}}}`, false},
		{"usage", `{"type":"usage","id":"x","parentId":"a1",` + usage + `}`, true},
		{"model_usage", `{"type":"model_usage","id":"x","parentId":"a1",` + usage + `}`, true},
		{"compaction", `{"type":"compaction","id":"x","parentId":"a1","summary":"s",` + usage + `}`, true},
		{"branch_summary", `{"type":"branch_summary","id":"x","parentId":"a1","summary":"s",` + usage + `}`, true},
		{"user", `{"type":"message","id":"x","parentId":"a1","message":{"role":"user",` + usage + `}}`, false},
		{"null", `{"type":"message","id":"x","parentId":"a1","message":{"role":"assistant","content":[],"usage":null}}`, false},
	} {
		s := open(t, file(t, headerLine, userLine, answerLine, c.line), session.Options{ReadOnly: true})
		got, err := s.Usage(context.Background())
		want := session.Usage{Input: 1, Output: 2, Cost: 0.5, TotalTokens: 3, Messages: 1}
		if c.counts {
			want = session.Usage{Input: 11, Output: 22, CacheRead: 1, CacheWrite: 2, PremiumRequests: 1, Cost: 0.75, TotalTokens: 3, Messages: 1}
		}
		if err != nil || got != want {
			t.Errorf("%s: Usage() = %+v, %v; want %+v", c.name, got, err, want)
		}
	}
}

func TestRewriteKeepsTheRest(t *testing.T) {
	path := file(t, headerLine, userLine, "damaged", answerLine)
	s := open(t, path, session.Options{})
	err := s.Rewrite(context.Background(), func(e entry.Entry) ([]byte, error) {
		if e.ID != "u1" {
			return nil, nil
		}
		return []byte(strings.Replace(string(e.Raw()), `"hi"`, `"ho"`, 1)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{headerLine, strings.Replace(userLine, `"hi"`, `"ho"`, 1), "damaged", answerLine, ""}, "\n")
	if got := read(t, path); got != want {
		t.Errorf("file is %q, want %q", got, want)
	}
	if leaf, _ := s.Leaf(); leaf != "a1" {
		t.Errorf("leaf is %q", leaf)
	}
	err = s.Rewrite(context.Background(), func(e entry.Entry) ([]byte, error) {
		return []byte(strings.Replace(string(e.Raw()), `"id":"`+e.ID, `"id":"other`, 1)), nil
	})
	if err == nil || read(t, path) != want {
		t.Errorf("an id was rewritten: %v", err)
	}
}

func TestInMemory(t *testing.T) {
	dir := t.TempDir()
	s, err := session.InMemory("/w", session.Options{Env: env(dir), Title: "T"})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, user("q"))
	leaf := add(t, s, answer("a"))
	if s.Persisted() || s.OnDisk() || s.Path() != "" || s.ArtifactDir() != "" {
		t.Error("it is kept somewhere")
	}
	if path, err := s.SaveBranch(context.Background(), leaf); path != "" || err != nil || s.Len() != 2 {
		t.Errorf("SaveBranch() = %q, %v; %d entries", path, err, s.Len())
	}
	if done, err := s.Rename(context.Background(), "N", session.Title{}); !done || err != nil {
		t.Errorf("Rename() = %v, %v", done, err)
	}
	if name, _ := s.Title(); name != "N" {
		t.Errorf("title is %q", name)
	}
	if err := s.Move(context.Background(), "/v"); err != nil || s.CWD() != "/v" || s.Len() != 2 {
		t.Errorf("Move: %v; cwd %q, %d entries", err, s.CWD(), s.Len())
	}
	if _, _, err := s.Fork(context.Background()); err == nil {
		t.Error("it was forked")
	}
	if err := errors.Join(s.Flush(context.Background()), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
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
