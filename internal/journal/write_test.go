package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/google/go-cmp/cmp"
)

func add(t testing.TB, j *journal.Journal, id, parent string) {
	t.Helper()
	if _, err := j.Append(t.Context(), []byte(user(id, parent, "text of "+id)), true); err != nil {
		t.Fatalf("append %q: %v", id, err)
	}
}

func external(t testing.TB, name, data string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAppendWritesWholeLines(t *testing.T) {
	name := file(t, header+"\n")
	j := open(t, name, true)
	add(t, j, "a", "")
	add(t, j, "b", "a")
	data, err := os.ReadFile(name)
	want := header + "\n" + user("a", "", "text of a") + "\n" + user("b", "a", "text of b") + "\n"
	if err != nil || string(data) != want {
		t.Errorf("file %q (%v), want %q", data, err, want)
	}
	if diff := cmp.Diff([]string{"a", "b"}, ids(t, j)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, ids(t, open(t, name, false))); diff != "" {
		t.Error(diff)
	}
}

func TestAppendAfterBadTails(t *testing.T) {
	a := user("a", "", "x")
	for _, tail := range []string{"", a, a[:40], strings.Repeat("\x00", 1728), a + "\n\x00\x00", a + "\r", a + "\n\n"} {
		name := file(t, header+"\n"+tail)
		j := open(t, name, true)
		before := ids(t, j)
		add(t, j, "z", "")
		again := open(t, name, false)
		want := append(before, "z")
		if diff := cmp.Diff(want, ids(t, again)); diff != "" {
			t.Errorf("tail %q (-want +got):\n%s", tail, diff)
		}
		if diff := cmp.Diff(want, ids(t, j)); diff != "" {
			t.Errorf("tail %q, in memory (-want +got):\n%s", tail, diff)
		}
		data, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(data), header+"\n"+tail) {
			t.Errorf("tail %q: bytes of others changed: %q (%v)", tail, data, err)
		}
	}
}

func TestOthersAreRead(t *testing.T) {
	name := file(t, header+"\n"+user("a", "", "x")+"\n")
	var events []journal.Event
	o := options(name, true)
	o.OnEvent = func(e journal.Event) { events = append(events, e) }
	j, err := journal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	k := open(t, name, true)
	add(t, j, "b", "a")
	add(t, k, "c", "a") // k has not seen b
	add(t, k, "d", "c")
	external(t, name, user("e", "a", "y")+"\n") // no lock at all
	add(t, j, "f", "b")
	want := []string{"a", "b", "c", "d", "e", "f"}
	if diff := cmp.Diff(want, ids(t, j)); diff != "" {
		t.Errorf("first writer (-want +got):\n%s", diff)
	}
	if any, err := k.Refresh(t.Context()); err != nil || !any {
		t.Errorf("refresh: %v, %v", any, err)
	}
	if diff := cmp.Diff(want, ids(t, k)); diff != "" {
		t.Errorf("second writer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, ids(t, open(t, name, false))); diff != "" {
		t.Errorf("reader (-want +got):\n%s", diff)
	}
	if len(events) != 1 || events[0].Kind != journal.Appended || events[0].To-events[0].From != 3 {
		t.Errorf("events %+v", events)
	}
}

func TestReaderFollows(t *testing.T) {
	name := file(t, header+"\n"+user("a", "", "x")+"\n")
	r, w := open(t, name, false), open(t, name, true)
	add(t, w, "b", "a")
	if any, err := r.Refresh(t.Context()); err != nil || !any {
		t.Fatalf("refresh: %v, %v", any, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, ids(t, r)); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Append(t.Context(), []byte(user("c", "", "x")), true); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("append to a reader: %v", err)
	}
}

func TestOthersFinishATornTail(t *testing.T) {
	b := user("b", "a", "two")
	name := file(t, header+"\n"+user("a", "", "x")+"\n"+b[:50])
	j := open(t, name, true)
	external(t, name, b[50:]+"\n"+user("c", "b", "x")+"\n")
	add(t, j, "d", "a")
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, ids(t, j)); diff != "" {
		t.Error(diff)
	}
	if d := j.Damage(); d.BadCount != 0 {
		t.Errorf("damage %s", d)
	}
}

func TestFailureIsLoudAndNotFinal(t *testing.T) {
	name := file(t, header+"\n")
	full := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: errors.New("no space left")}, "s.jsonl", errorfs.Write)}
	o := options(name, true)
	o.Store = local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), full.Inject)))
	var events []journal.EventKind
	o.OnEvent = func(e journal.Event) { events = append(events, e.Kind) }
	j, err := journal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	add(t, j, "a", "")
	full.Set(true)
	_, first := j.Append(t.Context(), []byte(user("b", "a", "x")), true)
	if first == nil || !strings.Contains(first.Error(), "no space left") {
		t.Fatalf("first failure: %v", first)
	}
	if _, err := j.Append(t.Context(), []byte(user("c", "b", "x")), true); err != first {
		t.Errorf("second failure: %v, want the first", err)
	}
	if err := j.Flush(t.Context()); err != first {
		t.Errorf("flush: %v, want the first", err)
	}
	if j.Queued() != 2 {
		t.Errorf("queued %d", j.Queued())
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids(t, j)); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	full.Set(false)
	external(t, name, user("o", "a", "other")+"\n")
	add(t, j, "d", "c")
	if j.Queued() != 0 {
		t.Errorf("queued %d after all was saved", j.Queued())
	}
	if err := j.Flush(t.Context()); err != nil {
		t.Errorf("flush after all was saved: %v", err)
	}
	if diff := cmp.Diff([]string{"a", "o", "b", "c", "d"}, ids(t, open(t, name, false))); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if want := []journal.EventKind{journal.Unsaved, journal.Appended, journal.Saved}; !cmp.Equal(want, events) {
		t.Errorf("events %v, want %v", events, want)
	}
}

func TestCloseSavesWhatWaits(t *testing.T) {
	name := file(t, header+"\n")
	full := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: errors.New("no space left")}, "s.jsonl", errorfs.Write)}
	o := options(name, true)
	o.Store = local.New(vfs.On(local.Options{}, errorfs.Wrap(vfs.OS(), full.Inject)))
	j, err := journal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	full.Set(true)
	if _, err := j.Append(t.Context(), []byte(user("a", "", "x")), true); err == nil {
		t.Fatal("append did not fail")
	}
	full.Set(false)
	if err := j.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if diff := cmp.Diff([]string{"a"}, ids(t, open(t, name, false))); diff != "" {
		t.Error(diff)
	}
	if _, err := j.Append(t.Context(), []byte(user("b", "", "x")), true); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

func TestFileTakenFromUnderUs(t *testing.T) {
	same := header + "\n" + user("a", "", "x") + "\n"
	other := strings.Replace(header, `"id":"s"`, `"id":"other"`, 1) + "\n" + user("q", "", "x") + "\n"
	for _, test := range []struct {
		name   string
		change func(t *testing.T, name string)
		want   []string // in our session afterwards
		at     string   // its base name
	}{
		{"unlinked", func(t *testing.T, name string) { must(t, os.Remove(name)) }, []string{"a", "b", "c"}, "s.jsonl"},
		{"moved", func(t *testing.T, name string) {
			must(t, os.Rename(name, filepath.Join(filepath.Dir(name), "m.jsonl")))
		}, []string{"a", "b", "c"}, "m.jsonl"},
		{"directory moved", func(t *testing.T, name string) {
			must(t, os.Rename(filepath.Dir(name), filepath.Dir(name)+"-moved"))
		}, []string{"a", "b", "c"}, "s.jsonl"},
		{"replaced by a stale copy of itself", func(t *testing.T, name string) { swap(t, name, same) }, []string{"a", "b", "c"}, "s.jsonl"},
		{"replaced by another session", func(t *testing.T, name string) { swap(t, name, other) }, []string{"a", "b", "c"}, "s.saved-1.jsonl"},
		{"cut to nothing", func(t *testing.T, name string) { must(t, os.Truncate(name, 0)) }, []string{"a", "b", "c"}, "s.jsonl"},
		{"overwritten by another session", func(t *testing.T, name string) { must(t, os.WriteFile(name, []byte(other), 0o600)) }, []string{"a", "b", "c"}, "s.saved-1.jsonl"},
		{"cut before what others wrote", func(t *testing.T, name string) { must(t, os.Truncate(name, int64(len(header)+20))) }, []string{"a", "b", "c"}, "s.jsonl"},
		{"cut inside our line", func(t *testing.T, name string) { must(t, os.Truncate(name, int64(len(same)+20))) }, []string{"a", "b", "c"}, "s.jsonl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			must(t, os.Mkdir(dir, 0o700))
			name := filepath.Join(dir, "s.jsonl")
			must(t, os.WriteFile(name, []byte(same), 0o600))
			j := open(t, name, true)
			add(t, j, "b", "a")
			test.change(t, name)
			add(t, j, "c", "b")
			if got := filepath.Base(j.Name()); got != test.at {
				t.Errorf("name %q, want %q", got, test.at)
			}
			r := open(t, j.Name(), false)
			if diff := cmp.Diff(test.want, ids(t, r)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, ids(t, j)); diff != "" {
				t.Errorf("memory (-want +got):\n%s", diff)
			}
			if r.Header().ID != "s" || r.Found() != journal.Valid {
				t.Errorf("header %+v", r.Header())
			}
			if strings.HasSuffix(test.name, "by another session") {
				if data, err := os.ReadFile(name); err != nil || string(data) != other {
					t.Errorf("the other session was changed: %q (%v)", data, err)
				}
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func swap(t testing.TB, name, data string) {
	t.Helper()
	must(t, os.WriteFile(name+".new", []byte(data), 0o600))
	must(t, os.Rename(name+".new", name))
}

func TestHeldUntilMaterialised(t *testing.T) {
	dir := t.TempDir()
	h, _ := entry.ParseHeader([]byte(header))
	draft := filepath.Join(dir, "drafts", "s.jsonl")
	o := options(filepath.Join(dir, "sessions", "s.jsonl"), true)
	j := journal.Hold(o, h, draftOf(o, draft))
	if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a draft before the first append: %v", err)
	}
	add(t, j, "a", "")
	add(t, j, "b", "a")
	data, err := os.ReadFile(draft)
	want := header + "\n" + user("a", "", "text of a") + "\n" + user("b", "a", "text of b") + "\n"
	if err != nil || string(data) != want {
		t.Errorf("draft %q (%v)", data, err)
	}
	if _, err := os.Stat(o.Name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the session is there before its time: %v", err)
	}
	if err := j.Materialise(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, j, "c", "b")
	if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids(t, open(t, o.Name, false))); diff != "" {
		t.Error(diff)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

func TestMaterialiseNeverOverwrites(t *testing.T) {
	name := file(t, header+"\n")
	h, _ := entry.ParseHeader([]byte(header))
	j := journal.Hold(options(name, true), h, nil)
	add(t, j, "a", "")
	if err := j.Materialise(t.Context()); !errors.Is(err, storage.ErrExist) {
		t.Errorf("materialise: %v", err)
	}
	if !j.Held() {
		t.Error("no longer held")
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != header+"\n" {
		t.Errorf("file %q (%v)", data, err)
	}
}

func TestRewriteTouchesOnlyWhatItIsAsked(t *testing.T) {
	a, b, c := user("a", "", "one"), user("b", "a", "two"), user("c", "b", "three")
	pretty := strings.Replace(c, `,"`, ",\n\"", 1)
	data := "\n" + header + "\r\n" + a + "\r\nnot json\n\x00\x00\n" + b[:30] + b + "tail\n" + pretty + "\n" + user("d", "c", "four")
	edit := func(id string) journal.Edit {
		return func(r journal.Record) ([][]byte, error) {
			if strings.Contains(string(r.Line), fmt.Sprintf(`"id":%q`, id)) {
				return [][]byte{[]byte(strings.Replace(string(r.Line), `"user"`, `"custom"`, 1))}, nil
			}
			return [][]byte{r.Line}, nil
		}
	}
	changed := func(line string) string { return strings.Replace(line, `"user"`, `"custom"`, 1) }
	for _, test := range []struct{ id, old, new string }{
		{"none", "", ""},
		{"a", a + "\r\n", changed(a) + "\n"},
		{"b", b[:30] + b + "tail\n", b[:30] + "\n" + changed(b) + "\ntail\n"},
		{"c", pretty + "\n", changed(strings.Replace(pretty, "\n", " ", 1)) + "\n"},
		{"d", user("d", "c", "four"), changed(user("d", "c", "four"))},
	} {
		name := file(t, data)
		j := open(t, name, true)
		before := ids(t, j)
		if _, err := j.Rewrite(t.Context(), edit(test.id)); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(data, test.old, test.new, 1)
		if test.id == "none" {
			want = data
		}
		got, err := os.ReadFile(name)
		if err != nil || strings.TrimSuffix(string(got), "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("edit of %s (-want +got):\n%s", test.id, cmp.Diff(want, string(got)))
		}
		if diff := cmp.Diff(before, ids(t, j)); diff != "" {
			t.Errorf("edit of %s, entries (-want +got):\n%s", test.id, diff)
		}
		add(t, j, "z", "d")
		if diff := cmp.Diff(append(before, "z"), ids(t, open(t, name, false))); diff != "" {
			t.Errorf("edit of %s, then append (-want +got):\n%s", test.id, diff)
		}
	}
}

func TestSlotIsOverwrittenInPlace(t *testing.T) {
	slot := func(title string) string {
		s := fmt.Sprintf(`{"type":"title","v":1,"title":%q,"updatedAt":"x","pad":"`, title)
		return s + strings.Repeat(" ", 255-len(s)-2) + `"}` + "\n"
	}
	name := file(t, slot("old")+header+"\n")
	o := options(name, true)
	o.ParseSlot = func(line []byte) (entry.Slot, bool) {
		return entry.Slot{Title: strings.Split(string(line), `"`)[9]}, true
	}
	j, err := journal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	add(t, j, "a", "")
	external(t, name, user("e", "a", "y")+"\n")
	if err := j.OverwriteSlot(t.Context(), []byte(slot("new"))); err != nil {
		t.Fatal(err)
	}
	add(t, j, "b", "a")
	want := slot("new") + header + "\n" + user("a", "", "text of a") + "\n" + user("e", "a", "y") + "\n" + user("b", "a", "text of b") + "\n"
	if data, err := os.ReadFile(name); err != nil || string(data) != want {
		t.Errorf("file %q (%v)", data, err)
	}
	if h := j.Header(); h.Slot == nil || h.Slot.Title != "new" {
		t.Errorf("slot %+v", h.Slot)
	}
}

// TestRewriteFindsTheHeaderWhereverItStands: glued to an entry, among other
// bytes, or over several lines.
func TestRewriteFindsTheHeaderWhereverItStands(t *testing.T) {
	a, b := user("a", "", "one"), user("b", "a", "two")
	pretty := strings.Replace(header, `,"`, ",\n\"", 1)
	changed := strings.Replace(header, `"version":3`, `"version":7`, 1)
	for _, test := range []struct{ data, want string }{
		{header + a + "\n" + b + "\n", changed + "\n" + a + "\n" + b + "\n"},
		{"0" + header + "0\n" + a + "\n", "0\n" + changed + "\n0\n" + a + "\n"},
		{pretty + "\n" + a + "\n", strings.Replace(strings.Replace(pretty, "\n", " ", 1), `"version":3`, `"version":7`, 1) + "\n" + a + "\n"},
		{"\uFEFF" + pretty + "\n" + a + "\n", strings.Replace(strings.Replace(pretty, "\n", " ", 1), `"version":3`, `"version":7`, 1) + "\n" + a + "\n"},
	} {
		name := file(t, test.data)
		j := open(t, name, true)
		asked := map[string]int{}
		_, err := j.Rewrite(t.Context(), func(r journal.Record) ([][]byte, error) {
			asked[fmt.Sprint(r.Kind, r.Pos)]++
			return [][]byte{[]byte(strings.Replace(string(r.Line), `"version":3`, `"version":7`, 1))}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != test.want {
			t.Errorf("%q (-want +got):\n%s", test.data, cmp.Diff(test.want, string(got)))
		}
		for what, n := range asked {
			if n != 1 || len(asked) < 2 {
				t.Errorf("%q: asked %d times about %s, of %v", test.data, n, what, asked)
			}
		}
	}
}

// TestAppendToNothing: what was opened where no log is takes no entry, and says so.
func TestAppendToNothing(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "s.jsonl"), true)
	at, err := j.Append(t.Context(), []byte(user("u1", "", "one")), true)
	if at != -1 || !errors.Is(err, storage.ErrNotExist) || j.List().Len() != 0 || j.Queued() != 0 {
		t.Errorf("Append = %d, %v; %d entries, %d wait", at, err, j.List().Len(), j.Queued())
	}
	if err := j.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}
