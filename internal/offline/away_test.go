package offline_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

// A machine is one that shares a store: what it keeps, and its clock.
type machine struct {
	t     *testing.T
	dir   string
	store *flaky
	blobs *flakyBlobs
	most  int64

	mu   sync.Mutex
	now  time.Time // guarded by mu
	said []string  // guarded by mu
}

func newMachine(t *testing.T, store *flaky, blobs *flakyBlobs) *machine {
	return &machine{t: t, dir: t.TempDir(), store: store, blobs: blobs, now: time.Unix(1e9, 0)}
}

func newStore() (*flaky, *flakyBlobs) {
	f := &flaky{Rows: storagetest.NewRows()}
	return f, &flakyBlobs{f: f}
}

func (m *machine) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// later lets so much time go by that a store that was away is asked again.
func (m *machine) later() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(2 * time.Hour)
}

func (m *machine) say(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = append(m.said, text)
}

// open is the offline store of a process on the machine; it is closed with the test.
func (m *machine) open() *offline.Store {
	m.t.Helper()
	remote := &offline.Remote{Store: m.store, Blobs: m.blobs}
	given := remote
	if m.store.there() != nil {
		given = nil
	}
	s := offline.New(given, offline.Options{
		Name:  "the store",
		Cache: filepath.Join(m.dir, "cache"), Waiting: filepath.Join(m.dir, "waiting"), Most: m.most,
		Reach: func(context.Context) (*offline.Remote, error) { return remote, m.store.there() },
		Away:  func(err error) bool { return errors.Is(err, errGone) },
		Pause: time.Hour, Say: m.say, Now: m.clock,
	})
	m.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			m.t.Error(err)
		}
	})
	return s
}

func lines(text ...string) [][]byte {
	var all [][]byte
	for _, t := range text {
		all = append(all, []byte(t))
	}
	return all
}

// read is what a log holds, its description asked for before, as a session does.
func read(t *testing.T, log storage.Log) (string, storage.Mark) {
	t.Helper()
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Pos != int64(len(all)) {
			t.Errorf("line %d is at %d", len(all), line.Pos)
		}
		all = append(all, string(line.Bytes))
	}
	return strings.Join(all, " "), info.Mark
}

func logOf(t *testing.T, s storage.Store, name string, mode storage.Mode) storage.Log {
	t.Helper()
	log, err := s.Open(t.Context(), name, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func appendTo(t *testing.T, log storage.Log, after storage.Mark, text ...string) storage.Mark {
	t.Helper()
	mark, err := log.Append(t.Context(), after, lines(text...))
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

func (m *machine) want(name, want string) {
	m.t.Helper()
	m.store.set(false)
	if got, _ := read(m.t, logOf(m.t, m.store.Rows, name, storage.Read)); got != want {
		m.t.Errorf("the store holds %q, want %q", got, want)
	}
}

// What was read is read again when the store is away, and nothing else is.
func TestReadAway(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	mark := appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "one", "two")
	appendTo(t, logOf(t, store, "/p/b", storage.Create), storage.Mark{}, "never read")
	if got, _ := read(t, logOf(t, m.open(), "/p/a", storage.Read)); got != "one two" {
		t.Fatalf("read %q", got)
	}
	store.set(true)
	s := m.open()
	log := logOf(t, s, "/p/a", storage.Read)
	if got, at := read(t, log); got != "one two" || at != mark {
		t.Errorf("read %q up to %v, want %v", got, at, mark)
	}
	if tail, err := log.ReadTail(t.Context(), 4); err != nil || len(tail) != 1 || string(tail[0].Bytes) != "two" {
		t.Errorf("tail %v, %v", tail, err)
	}
	if _, err := s.Open(t.Context(), "/p/b", storage.Read); !errors.Is(err, offline.ErrAway) {
		t.Errorf("what was never read: %v", err)
	}
	var listed []string
	for info, err := range s.List(t.Context(), "/p") {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, info.Name)
	}
	if diff := cmp.Diff([]string{"/p/a"}, listed); diff != "" {
		t.Errorf("listed: %s", diff)
	}
	if len(m.said) != 1 || !strings.Contains(m.said[0], "was read of it here before") {
		t.Errorf("said %q", m.said)
	}
	asked := store.asked
	read(t, logOf(t, s, "/p/a", storage.Read))
	if store.asked != asked {
		t.Error("a store that is away was asked again at once")
	}
	_ = filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, _ error) error {
		info, err := d.Info()
		if err != nil || path != m.dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
}

// The copy is read on from, and no longer when the log is another one.
func TestCopyIsChecked(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	far := logOf(t, store, "/p/a", storage.Create)
	mark := appendTo(t, far, storage.Mark{}, "one")
	s := m.open()
	read(t, logOf(t, s, "/p/a", storage.Read))
	mark = appendTo(t, far, mark, "two")
	if got, _ := read(t, logOf(t, s, "/p/a", storage.Read)); got != "one two" {
		t.Errorf("read %q", got)
	}
	if err := store.Remove(t.Context(), "/p/a"); err != nil {
		t.Fatal(err)
	}
	appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "anew")
	if got, _ := read(t, logOf(t, s, "/p/a", storage.Read)); got != "anew" {
		t.Errorf("read %q", got)
	}
	copies, err := filepath.Glob(filepath.Join(m.dir, "cache/logs/*.lines"))
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	if err := os.WriteFile(copies[0], []byte("abcd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, logOf(t, s, "/p/a", storage.Read)); got != "anew" {
		t.Errorf("of a damaged copy %q", got)
	}
	_ = mark
}

// Copies take no more room than they may.
func TestCopiesAreBounded(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	m.most = 4000
	s := m.open()
	for _, name := range []string{"/p/a", "/p/b", "/p/c", "/p/d", "/p/e", "/p/f"} {
		appendTo(t, logOf(t, store, name, storage.Create), storage.Mark{}, strings.Repeat(name, 300))
		read(t, logOf(t, s, name, storage.Read))
	}
	appendTo(t, logOf(t, store, "/p/large", storage.Create), storage.Mark{}, strings.Repeat("x", 3000))
	if got, _ := read(t, logOf(t, s, "/p/large", storage.Read)); len(got) != 3000 {
		t.Errorf("read %d bytes", len(got))
	}
	sum := int64(0)
	found, _ := filepath.Glob(filepath.Join(m.dir, "cache/logs/*"))
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && !strings.HasSuffix(path, ".json") {
			sum += info.Size()
		}
	}
	if sum == 0 || sum > m.most {
		t.Errorf("copies of %d bytes: %q", sum, found)
	}
}

// What is appended while the store is away is sent when it returns: in order, all
// of it, once, behind what others appended.
func TestWaits(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	far := logOf(t, store, "/p/a", storage.Create)
	there := appendTo(t, far, storage.Mark{}, "one")
	s := m.open()
	log := logOf(t, s, "/p/a", storage.Write)
	_, mark := read(t, log)
	store.lose = 1
	mark = appendTo(t, log, mark, "two") // in the store, and not answered
	mark = appendTo(t, log, mark, "three", "four")
	if got, now := read(t, log); got != "one two three four" || now != mark {
		t.Errorf("read %q up to %v, want %v", got, now, mark)
	}
	if left, err := s.Wait(); err != nil || len(left) != 1 || len(left[0].Lines) != 3 {
		t.Fatalf("waiting: %v, %v", left, err)
	}
	_ = there
	store.set(false)
	info, err := far.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, far, info.Mark, "of another")
	m.later()
	// Another process of this machine sends it.
	if done, err := m.open().Send(t.Context()); err != nil || done.Lines != 3 || done.Logs != 1 {
		t.Fatalf("sent %+v, %v", done, err)
	}
	m.want("/p/a", "one two of another three four")
	var changed *storage.Changed
	if _, err := log.Append(t.Context(), mark, lines("five")); !errors.As(err, &changed) {
		t.Fatalf("appended behind what was not seen: %v", err)
	}
	_, mark = read(t, log)
	appendTo(t, log, mark, "five")
	m.want("/p/a", "one two of another three four five")
	if left, err := s.Wait(); err != nil || len(left) != 0 {
		t.Errorf("waiting: %v, %v", left, err)
	}
}

// With nobody else writing, who wrote goes on as if nothing had been.
func TestWaitsAlone(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	s := m.open()
	log := logOf(t, s, "/p/a", storage.Create)
	mark := appendTo(t, log, storage.Mark{}, "one")
	for _, word := range []string{"two", "three"} {
		store.set(true)
		mark = appendTo(t, log, mark, word+".1")
		mark = appendTo(t, log, mark, word+".2")
		store.set(false)
		m.later()
		mark = appendTo(t, log, mark, word+".3")
	}
	m.want("/p/a", "one two.1 two.2 two.3 three.1 three.2 three.3")
}

// A log that is begun while the store is away is begun there later, and one that
// was removed meanwhile comes back whole.
func TestWaitsForNew(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	appendTo(t, logOf(t, store, "/p/old", storage.Create), storage.Mark{}, "head")
	_, mark := read(t, logOf(t, m.open(), "/p/old", storage.Read))
	store.set(true)
	s := m.open()
	at := appendTo(t, logOf(t, s, "/p/new", storage.Create), storage.Mark{}, "head", "one")
	appendTo(t, logOf(t, s, "/p/new", storage.Write), at, "two")
	appendTo(t, logOf(t, s, "/p/old", storage.Write), mark, "more")
	if _, err := s.Open(t.Context(), "/p/new", storage.Create); !errors.Is(err, storage.ErrExist) {
		t.Errorf("begun again: %v", err)
	}
	if err := store.Rows.Remove(t.Context(), "/p/old"); err != nil {
		t.Fatal(err)
	}
	store.set(false)
	m.later()
	if done, err := s.Send(t.Context()); err != nil || done.Logs != 2 {
		t.Fatalf("sent %+v, %v", done, err)
	}
	m.want("/p/new", "head one two")
	m.want("/p/old", "head more")
}

// Two processes of a machine write while the store is away: each sees the other.
func TestWaitsForTwo(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "one")
	_, mark := read(t, logOf(t, m.open(), "/p/a", storage.Read))
	store.set(true)
	x, y := logOf(t, m.open(), "/p/a", storage.Write), logOf(t, m.open(), "/p/a", storage.Write)
	behind := appendTo(t, x, mark, "of x")
	var changed *storage.Changed
	if _, err := y.Append(t.Context(), mark, lines("of y")); !errors.As(err, &changed) || changed.Kind != storage.Grown || changed.Now != behind {
		t.Fatalf("appended behind what was not seen: %v", err)
	}
	for line, err := range y.Read(t.Context(), mark) {
		if err != nil || string(line.Bytes) != "of x" || line.Pos != 1 {
			t.Errorf("%q at %d, %v", line.Bytes, line.Pos, err)
		}
	}
	appendTo(t, y, behind, "of y")
	m.want("/p/a", "one")
	m.later()
	if _, err := m.open().Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.want("/p/a", "one of x of y")
}

// Blobs that are put while the store is away are sent before the lines.
func TestBlobsWait(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	log := logOf(t, m.open(), "/p/a", storage.Create)
	mark := appendTo(t, log, storage.Mark{}, "one")
	store.set(true)
	s := m.open()
	ref, err := s.Blobs().Put(t.Context(), []byte("large"), "txt")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := s.Blobs().Read(t.Context(), ref); err != nil || string(data) != "large" {
		t.Errorf("read %q, %v", data, err)
	}
	appendTo(t, log, mark, ref.String())
	store.set(false)
	m.later()
	if _, err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if data, err := blobs.Read(t.Context(), ref); err != nil || string(data) != "large" {
		t.Errorf("the store has %q, %v", data, err)
	}
	store.set(true)
	if data, err := s.Blobs().Read(t.Context(), ref); err == nil {
		t.Errorf("kept, though never read: %q", data)
	}
}

// A session goes on while the store is away, and is one tree with what another
// machine did meanwhile.
func TestSessionAway(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	options := func(s storage.Store) session.Options {
		return session.Options{Store: s, Env: layout.Env{Home: "/"}, FirstWrite: session.Immediately}
	}
	say := func(s *session.Session, text string) {
		t.Helper()
		body := &entry.MessageBody{Message: new(jsonedit.Object).String("role", "user").String("content", text).Value()}
		if _, err := s.Append(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	one, err := session.Create(t.Context(), "/work", options(m.open()))
	if err != nil {
		t.Fatal(err)
	}
	say(one, "begun")
	store.set(true)
	say(one, "away 1")
	say(one, "away 2")
	store.set(false)
	other, err := session.Open(t.Context(), one.Path(), options(store))
	if err != nil {
		t.Fatal(err)
	}
	say(other, "elsewhere")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	m.later()
	say(one, "back")
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := session.Open(t.Context(), one.Path(), options(store))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var got []string
	for i := range all.Len() {
		line, err := all.List().Load(i)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := jsonedit.Path(line, "message", "content")
		got = append(got, string(content))
	}
	if diff := cmp.Diff([]string{`"begun"`, `"elsewhere"`, `"away 1"`, `"away 2"`, `"back"`}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(all.Tree().Tips()); n != 2 {
		t.Errorf("%d branches", n)
	}
}

// A follower hears of what was appended after the store was away.
func TestWatchAway(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	far := logOf(t, store, "/p/a", storage.Create)
	mark := appendTo(t, far, storage.Mark{}, "one")
	remote := &offline.Remote{Store: store}
	s := offline.New(remote, offline.Options{
		Cache: t.TempDir(), Waiting: t.TempDir(), Pause: time.Millisecond, Say: m.say,
		Reach: func(context.Context) (*offline.Remote, error) { return remote, store.there() },
		Away:  func(err error) bool { return errors.Is(err, errGone) },
	})
	log := logOf(t, s, "/p/a", storage.Read)
	if got, at := read(t, log); got != "one" || at != mark {
		t.Fatalf("read %q", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard, from := make(chan storage.Mark), mark
	go func() {
		defer close(heard)
		for mark, err := range powers.Watch(ctx, log, from, 0) {
			if err != nil {
				t.Error(err)
				return
			}
			heard <- mark
		}
	}()
	for _, word := range []string{"two", "three"} {
		store.set(true)
		if _, err := log.Append(ctx, mark, nil); err != nil {
			t.Fatal(err)
		}
		store.set(false)
		mark = appendTo(t, far, mark, word)
		if got := <-heard; got != mark {
			t.Errorf("heard of %v, want %v", got, mark)
		}
	}
	stop()
	for range heard {
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
