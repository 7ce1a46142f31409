package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/google/go-cmp/cmp"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`

// user is a message entry with a text.
func user(id, parent, text string) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":%q,"timestamp":1}}`, id, p, text)
}

// file writes the bytes to a new file and returns its name.
func file(t testing.TB, data string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t testing.TB, name string, write bool) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), options(name, write))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return j
}

func options(name string, write bool) journal.Options {
	return journal.Options{Store: local.New(local.Options{}), Name: name, Write: write, Sync: journal.SyncNone}
}

// ids returns the ids of all entries, reading each through its line.
func ids(t testing.TB, j *journal.Journal) []string {
	t.Helper()
	all := []string{}
	l := j.List()
	for i := range l.Len() {
		e, err := l.Entry(i)
		if err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		id, _ := l.ID(i)
		if e.ID != id {
			t.Fatalf("entry %d: line has id %q, index has %q", i, e.ID, id)
		}
		all = append(all, e.ID)
	}
	return all
}

func TestWhatIsFound(t *testing.T) {
	event := strings.Repeat(`{"type":"event","n":1}`+"\n", 20)
	for _, test := range []struct {
		name, data string
		want       journal.Found
	}{
		{"no bytes", "", journal.Empty},
		{"blank lines", "\n \n\r\n", journal.Empty},
		{"header", header + "\n", journal.Valid},
		{"header after another record", `{"type":"pr-link","url":"x"}` + "\n" + header + "\n", journal.Valid},
		{"header without entries or newline", header, journal.Valid},
		{"a log", event, journal.NotASession},
		{"text", "hello\nworld\n", journal.NotASession},
		{"zero bytes", strings.Repeat("\x00", 4096), journal.NotASession},
		{"scalars", "1\nnull\n", journal.NotASession},
		{"entries without header", user("a", "", "x") + "\n", journal.NoHeader},
		{"torn header", header[:40] + "\n" + user("a", "", "x") + "\n", journal.NoHeader},
		{"newer", strings.Replace(header, `"version":3`, `"version":4`, 1) + "\n", journal.Newer},
		{"header with an id that is no string", strings.Replace(header, `"id":"s"`, `"id":7`, 1) + "\n", journal.NotASession},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := file(t, test.data)
			j := open(t, name, false)
			if j.Found() != test.want {
				t.Errorf("found %d, want %d", j.Found(), test.want)
			}
			after, err := os.ReadFile(name)
			if err != nil || string(after) != test.data {
				t.Errorf("reading changed the file to %q (%v)", after, err)
			}
		})
	}
	j := open(t, filepath.Join(t.TempDir(), "none.jsonl"), false)
	if j.Found() != journal.Missing {
		t.Errorf("missing file: found %d", j.Found())
	}
}

func TestDamageCostsOnlyItself(t *testing.T) {
	a, b, c := user("a", "", "one"), user("b", "a", "two"), user("c", "b", "three")
	lines := func(l ...string) string { return header + "\n" + strings.Join(l, "\n") + "\n" }
	pretty := strings.ReplaceAll(b, `,"`, ",\n  \"")
	for _, test := range []struct {
		name, data string
		want       []string
		bad        []string // kind:line:lines:recovered
	}{
		{"whole", lines(a, b, c), []string{"a", "b", "c"}, nil},
		{"no final newline", strings.TrimSuffix(lines(a, b, c), "\n"), []string{"a", "b", "c"}, nil},
		{"CRLF", strings.ReplaceAll(lines(a, b, c), "\n", "\r\n"), []string{"a", "b", "c"}, nil},
		{"byte order mark", "\ufeff" + lines(a, b, c), []string{"a", "b", "c"}, nil},
		{"raw line separators", lines(user("a", "", "x\u2028y\u2029z"), b), []string{"a", "b"}, nil},
		{"torn tail", lines(a, b) + c[:50], []string{"a", "b"}, []string{"torn:4:1:0"}},
		{"zeros at the end", lines(a, b) + strings.Repeat("\x00", 1728), []string{"a", "b"}, []string{"zeros:4:1:0"}},
		{"zeros before a line", lines(a, "\x00\x00\x00"+b, c), []string{"a", "b", "c"}, nil},
		{"a line of zeros", lines(a, strings.Repeat("\x00", len(b)), c), []string{"a", "c"}, []string{"zeros:3:1:0"}},
		{"two glued", lines(a, b+c), []string{"a", "b", "c"}, []string{"glued:3:1:2"}},
		{"torn prefix glued to a whole one", lines(a, b[:60]+b, c), []string{"a", "b", "c"}, []string{"glued:3:1:1"}},
		{"three torn prefixes", lines(a, b[:60]+b[:40]+b[:20]+b, c), []string{"a", "b", "c"}, []string{"glued:3:1:1"}},
		{"junk behind", lines(a, b+" junk", c), []string{"a", "b", "c"}, []string{"glued:3:1:1"}},
		{"junk before", lines(a, "junk"+b, c), []string{"a", "b", "c"}, []string{"glued:3:1:1"}},
		{"scalars", lines(a, "null", "7", `"x"`, "[1]", b), []string{"a", "b"}, []string{"scalar:3:1:0", "scalar:4:1:0", "scalar:5:1:0", "scalar:6:1:0"}},
		{"an object over several lines", lines(a, pretty, c), []string{"a", "b", "c"}, []string{"split:3:7:1"}},
		{"raw newlines inside a string", lines(a, strings.Replace(b, "two", "t\nw\r\no", 1), c), []string{"a", "b", "c"}, []string{"split:3:3:1"}},
		{"the beginning of an object, then others", lines(`{"a":`, a, b, c), []string{"a", "b", "c"}, []string{"torn:2:1:0"}},
		{"a lone bracket", lines("[", a, b), []string{"a", "b"}, []string{"torn:2:1:0"}},
		{"a cut inside a string", lines(a, b[:len(b)-30], c), []string{"a", "c"}, []string{"torn:3:1:0"}},
		{"raw control character", lines(a, strings.Replace(b, "two", "t\x01o", 1), c), []string{"a", "c"}, []string{"syntax:3:1:0"}},
		{"first half, then the whole", lines(a, b[:60], b, c), []string{"a", "b", "c"}, []string{"torn:3:1:0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := open(t, file(t, test.data), false)
			if diff := cmp.Diff(test.want, ids(t, j)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			var bad []string
			d := j.Damage()
			for _, b := range d.Bad {
				bad = append(bad, fmt.Sprintf("%s:%d:%d:%d", b.Kind, b.Line, b.Lines, b.Recovered))
			}
			if diff := cmp.Diff(test.bad, bad); diff != "" {
				t.Errorf("damage (-want +got):\n%s\n%+v", diff, d.Bad)
			}
		})
	}
}

func TestLinesOfEntries(t *testing.T) {
	pretty := "{\"type\":\"message\",\n\"id\":\"b\",\r\n\"parentId\":\"a\",\"message\":{\"role\":\"user\"}}"
	broken := strings.Replace(user("c", "", "tw"), "tw", "t\nw", 1)
	j := open(t, file(t, header+"\r\n"+user("a", "", "x")+"\r\n"+pretty+"\n"+broken+"\n"), false)
	for i, want := range []string{
		user("a", "", "x"),
		`{"type":"message", "id":"b",  "parentId":"a","message":{"role":"user"}}`,
		strings.Replace(user("c", "", "tw"), "tw", `t\nw`, 1),
	} {
		got, err := j.List().Load(i)
		if err != nil || string(got) != want {
			t.Errorf("line %d: got %s (%v), want %s", i, got, err, want)
		}
	}
}

func TestHeaderIsWhereItIs(t *testing.T) {
	slot := `{"type":"title","v":1,"title":"T","updatedAt":"x","pad":""}`
	o := options(file(t, slot+"\n"+header+"\n"+user("a", "", "x")+"\n"+header+"\n"), false)
	o.ParseSlot = func(line []byte) (entry.Slot, bool) {
		return entry.Slot{Title: "T"}, bytes.Contains(line, []byte(`"v":1`))
	}
	j, err := journal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	h := j.Header()
	if h.ID != "s" || h.Slot == nil || h.Slot.Title != "T" || h.Slot.Len != len(slot)+1 {
		t.Errorf("header %+v, slot %+v", h, h.Slot)
	}
	if j.Damage().ExtraHeaders != 1 {
		t.Errorf("further headers: %d", j.Damage().ExtraHeaders)
	}
	if got := ids(t, j); len(got) != 1 {
		t.Errorf("entries %v", got)
	}
}

func TestNotFoundThenCreated(t *testing.T) {
	name := filepath.Join(t.TempDir(), "d", "s.jsonl")
	j := open(t, name, true)
	if j.Found() != journal.Missing {
		t.Fatalf("found %v", j.Found())
	}
	h, _ := entry.ParseHeader([]byte(header))
	k, err := journal.Create(context.Background(), options(name, true), h, [][]byte{[]byte(user("a", "", "x"))})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	data, err := os.ReadFile(name)
	if want := header + "\n" + user("a", "", "x") + "\n"; err != nil || string(data) != want {
		t.Errorf("file %q (%v), want %q", data, err, want)
	}
	if _, err := journal.Create(context.Background(), options(name, true), h, nil); err == nil {
		t.Error("created over an existing log")
	}
}

// TestSeveralLinesWithZeros: zero bytes behind the first line of an object over
// several lines are no part of it.
func TestSeveralLinesWithZeros(t *testing.T) {
	a := user("a", "", "one")
	name := file(t, header+"\n"+strings.Replace(a, `,"`, ",\x00\n\"", 1)+"\n")
	j := open(t, name, false)
	line, err := j.List().Load(0)
	if want := strings.Replace(a, `,"`, `, "`, 1); err != nil || string(line) != want {
		t.Errorf("got %q, %v, want %q", line, err, want)
	}
}
