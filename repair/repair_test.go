package repair_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
)

// A ward is a home of its own with a doctor in it.
type ward struct {
	t      *testing.T
	home   string
	env    layout.Env
	keeper *state.Journal
}

func newWard(t *testing.T) *ward {
	t.Helper()
	home := t.TempDir()
	env := layout.Env{Home: home, Cwd: filepath.Join(home, "work"), Getenv: func(string) string { return "" }}
	return &ward{t: t, home: home, env: env, keeper: state.New(state.Options{
		Dir: places.Own(env).State, Now: time.Now, Random: rand.Reader,
	})}
}

func (w *ward) doctor() *repair.Doctor {
	return repair.New(repair.Options{Env: w.env, Keeper: w.keeper, Alive: func(pid int) bool { return pid == os.Getpid() }})
}

// write writes a file of the home.
func (w *ward) write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *ward) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// all returns every report.
func (w *ward) all() []*repair.Report {
	w.t.Helper()
	var all []*repair.Report
	for r, err := range w.doctor().All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// look returns the report of one session.
func (w *ward) look(path string) *repair.Report {
	w.t.Helper()
	all, err := w.doctor().Session(w.t.Context(), path)
	if err != nil {
		w.t.Fatal(err)
	}
	return all[0]
}

// fix repairs what a report says.
func (w *ward) fix(r *repair.Report) {
	w.t.Helper()
	if err := w.doctor().Fix(w.t.Context(), r); err != nil {
		w.t.Fatal(err)
	}
}

func (w *ward) undo(id string) {
	w.t.Helper()
	revert := func(ctx context.Context, c state.Change) (string, string, error) {
		return session.Revert(ctx, c, session.Options{Env: w.env})
	}
	if _, err := w.keeper.Undo(w.t.Context(), id, revert); err != nil {
		w.t.Fatal(err)
	}
}

// kinds lists what was found, once for each finding: what a repair mends with a
// plus, notes in parentheses.
func kinds(all ...*repair.Report) string {
	var found []string
	for _, r := range all {
		for _, f := range r.Findings {
			word := string(f.Kind)
			if f.Line > 0 {
				word += fmt.Sprintf(":%d", f.Line)
			}
			if f.Fixable {
				word += "+"
			}
			if f.Note {
				word = "(" + word + ")"
			}
			found = append(found, word)
		}
	}
	return strings.Join(found, " ")
}

const head = `{"type":"session","version":3,"id":"0123456789abcdef","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`

// said is a message entry; parent "" is null.
func said(id, parent, text string) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":%q,"timestamp":1}}`, id, up, text)
}

var (
	one, two, three = said("e0000001", "", "one"), said("e0000002", "e0000001", "two"), said("e0000003", "e0000002", "three")
)

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

const name = ".cambium/agent/sessions/--w--/2026-01-02T03-04-05-678Z_0123456789abcdef.jsonl"

// damages are one file, what is found, and what a repair makes of it; "" for
// nothing.
var damages = []struct {
	name, file, found, mended string
	side                      string // what is moved aside
}{
	{"healthy", lines(head, one, two, three), "", "", ""},
	{"empty", "", "", "", ""},
	{"blank", "\n\n", "", "", ""},
	{"CRLF", strings.ReplaceAll(lines(head, one, two), "\n", "\r\n"), "", "", ""},
	{"torn tail", lines(head, one, two) + three[:50], "torn:4+", lines(head, one, two), lines(three[:50])},
	{"torn in the middle", lines(head, one, two[:60], three), "torn:3+ parent:4+", lines(head, one, said("e0000003", "e0000001", "three")), lines(two[:60])},
	{"torn and needed by nobody", lines(head, one, said("e000000x", "e0000001", "left")[:70], two), "torn:3+", lines(head, one, two), lines(said("e000000x", "e0000001", "left")[:70])},
	{"glued", lines(head, one+two, three), "glued:2+", lines(head, one, two, three), ""},
	{"glued behind a torn one", lines(head, one, two[:60]+three), "glued:3+ parent:3+", lines(head, one, said("e0000003", "e0000001", "three")), lines(two[:60])},
	{"glued header", head + lines(one, two), "glued:1+", lines(head, one, two), ""},
	{"zeros at the end", lines(head, one, two) + strings.Repeat("\x00", 100), "zeros:4+", lines(head, one, two), ""},
	{"zeros before an entry", lines(head, one, strings.Repeat("\x00", 100)+two, three), "zeros:3+", lines(head, one, two, three), ""},
	{"zeros behind an entry", lines(head, one, two+"\x00\x00", three), "zeros:3+", lines(head, one, two, three), ""},
	{"zeros for a line", lines(head, one, strings.Repeat("\x00", 100), two), "zeros:3+", lines(head, one, two), ""},
	{"scalar", lines(head, one, "null", two), "scalar:3+", lines(head, one, two), lines("null")},
	{"split", lines(head, one, strings.Replace(two, `"parentId"`, "\n\"parentId\"", 1), three), "split:3+", lines(head, one, strings.Replace(two, `"parentId"`, ` "parentId"`, 1), three), ""},
	{"syntax", lines(head, one, "{]", two), "syntax:3+", lines(head, one, two), lines("{]")},
	{"no header", lines(one, two), "header+", lines(head0("/w"), one, two), ""},
	{"torn header", lines(head[:95], one, two), "header:1+", lines(head0("/w"), one, two), lines(head[:95])},
	{"torn header and glued", lines(head[:40]+one, two), "header+ glued:1+", lines(head0("/w"), one, two), lines(head[:40])},
	{"header behind an entry", lines(one, head, two), "header:2+", lines(head, one, two), ""},
	{"header behind another record", lines(`{"foo":1}`, head, one), "header:2+", lines(head, `{"foo":1}`, one), ""},
	{"header of another version behind an entry", lines(one, strings.Replace(head, `"version":3`, `"version":1`, 1), two), "version:2+ header:2+", lines(head, one, two), ""},
	{"another header", lines(head, one, head, two), "headers:3+", lines(head, one, two), lines(head)},
	{"missing parent", lines(head, one, said("e0000009", "deadbeef", "lost")), "parent:3+", lines(head, one, said("e0000009", "e0000001", "lost")), ""},
	{"cycle", lines(head, said("e0000001", "e0000002", "one"), two), "cycle:2", "", ""},
	{"duplicate", lines(head, one, two, two), "duplicate:4", "", ""},
	{"unusable", lines(head, one, `{"type":"message","id":"e0000002","parentId":"e0000001","timestamp":"2026-01-02T03:04:06.000Z","message":null}`), "unusable:3", "", ""},
	{"an answer without content", lines(head, one, `{"type":"message","id":"e0000002","parentId":"e0000001","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","errorMessage":"no \"content\"","timestamp":1}}`), "unusable:3", "", ""},
	{"dangling firstKeptEntryId", lines(head, one, `{"type":"compaction","id":"e0000002","parentId":"e0000001","timestamp":"2026-01-02T03:04:06.000Z","summary":"s","firstKeptEntryId":"deadbeef","tokensBefore":1}`), "firstKept:3", "", ""},
	{"no newline", head + "\n" + one, "newline:2+", lines(head, one), ""},
	{"newer", lines(strings.Replace(head, `"version":3`, `"version":99`, 1), one, "null"), "scalar:3", "", ""},
	{"no session", "a log\nof something\n", "notSession", "", ""},
	{"all zeros", strings.Repeat("\x00", 413), "notSession", "", ""},
	{"several", lines(head, "null", one+two, "") + three, "scalar:2+ glued:3+ newline:5+", lines(head, one, two, "", three), lines("null")},
}

// head0 is head as it is made up.
func head0(cwd string) string { return strings.Replace(head, `"/w"`, fmt.Sprintf("%q", cwd), 1) }

func TestClasses(t *testing.T) {
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			w := newWard(t)
			w.env.Cwd = "/w"
			path := w.write(name, test.file)
			r := w.look(path)
			if got := kinds(r); got != test.found {
				t.Errorf("found %q, want %q", got, test.found)
			}
			for _, f := range r.Findings {
				if f.Path != path || f.Detail == "" || f.Plan == "" {
					t.Errorf("finding %+v says too little", f)
				}
			}
			w.fix(r)
			want := test.mended
			if want == "" {
				want = test.file
			}
			if got := w.read(path); got != want {
				t.Fatalf("repaired is\n%q\nwant\n%q", got, want)
			}
			side, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".cambium-damaged"))
			if string(side) != test.side {
				t.Errorf("moved aside is %q, want %q", side, test.side)
			}
			if again := w.look(path); again.Fixable() {
				t.Errorf("found again: %q", kinds(again))
			}
			if test.mended == "" {
				return
			}
			w.undo(r.Findings[slices.IndexFunc(r.Findings, func(f repair.Finding) bool { return f.Fixed })].UndoID)
			if got := w.read(path); got != test.file {
				t.Errorf("taken back is\n%q\nwant\n%q", got, test.file)
			}
		})
	}
}

// TestTitleSlot: omp's slot stays the first 256 bytes.
func TestTitleSlot(t *testing.T) {
	w := newWard(t)
	slot := `{"type":"title","v":1,"title":"a name","source":"user","updatedAt":"2026-01-02T03:04:05.678Z","pad":"`
	slot += strings.Repeat(" ", 253-len(slot)) + `"}`
	path := w.write(strings.Replace(name, ".cambium", ".omp", 1), lines(slot, head[:50], one+two))
	r := w.look(path)
	if got := kinds(r); got != "header:2+ glued:3+" {
		t.Errorf("found %q", got)
	}
	w.fix(r)
	got := strings.Split(w.read(path), "\n")
	if got[0] != slot || !strings.HasPrefix(got[1], `{"type":"session"`) || got[2] != one || got[3] != two {
		t.Errorf("repaired is %q", got)
	}
	if again := w.look(path); len(again.Findings) > 0 {
		t.Errorf("found again: %q", kinds(again))
	}
}

// TestOldVersion: a session of version 1 is brought up to date first, because the
// ids that its entries get are made of the numbers of their lines.
func TestOldVersion(t *testing.T) {
	w := newWard(t)
	old := strings.Replace(head, `"version":3,`, "", 1)
	say := func(text string) string {
		return fmt.Sprintf(`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":%q,"timestamp":1}}`, text)
	}
	file := lines(old, say("one"), "{]", say("two"))
	path := w.write(name, file)
	_, list, _, err := session.ParseEntries([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	r := w.look(path)
	if got := kinds(r); got != "syntax:3+" {
		t.Errorf("found %q", got)
	}
	w.fix(r)
	_, now, damage, err := session.ParseEntries([]byte(w.read(path)))
	if err != nil || damage.Any() || now.Len() != 2 {
		t.Fatalf("repaired: %v, %v, %d entries", err, damage, now.Len())
	}
	for i := range now.Len() {
		was, _ := list.ID(i)
		if is, _ := now.ID(i); is != was {
			t.Errorf("entry %d was %q and is %q", i, was, is)
		}
	}
	w.undo(r.Findings[0].UndoID)
	if got := w.read(path); got != file {
		t.Errorf("taken back is %q", got)
	}
}

// TestHeaderFromSiblings: the working directory of a lost header is that of the
// sessions beside it, if the directory's name says so.
func TestHeaderFromSiblings(t *testing.T) {
	w := newWard(t)
	dir := filepath.Dir(name)
	w.write(dir+"/2026-01-01T03-04-05-678Z_1123456789abcdef.jsonl", lines(head, one))
	path := w.write(name, lines(one, two))
	r := w.look(path)
	w.fix(r)
	if got, want := w.read(path), lines(head, one, two); got != want {
		t.Errorf("repaired is\n%q\nwant\n%q", got, want)
	}
	if !strings.Contains(r.Findings[0].Plan, "sessions beside it") {
		t.Errorf("the plan is %q", r.Findings[0].Plan)
	}
}

// TestLeftovers: what lies about beside a session.
func TestLeftovers(t *testing.T) {
	base := filepath.Base(name)
	whole := lines(head, one, two)
	sess := filepath.Dir(name) + "/"
	tests := []struct {
		name  string
		files map[string]string
		found string
		after []string // names in the directory
	}{
		{"temporary, all in it known", map[string]string{base: whole, "." + base + ".cambium-tmp-1-abc": lines(head, one)}, "temporary+", []string{base}},
		{"temporary, more in it", map[string]string{base: lines(head, one), "." + base + ".cambium-tmp-1-abc": whole}, "temporary+", []string{strings.TrimSuffix(base, ".jsonl") + ".recovered-1.jsonl", base}},
		{"temporary, the only copy", map[string]string{"." + base + ".12ab.tmp": whole}, "temporary+", []string{base}},
		{"backup, the only copy", map[string]string{base + ".12ab.bak": whole}, "backup+", []string{base}},
		{"backup, all in it known", map[string]string{base: whole, base + ".12ab.bak": whole}, "backup+", []string{base}},
		{"old, all in it known", map[string]string{base: whole, fmt.Sprintf(".%s.cambium-old-%d", base, len(whole)): whole}, "old+", []string{base}},
		{"old, late lines", map[string]string{base: whole, fmt.Sprintf(".%s.cambium-old-%d", base, len(whole)): whole + lines(three)}, "old+", []string{base}},
		{"old, the only copy", map[string]string{fmt.Sprintf(".%s.cambium-old-%d", base, len(whole)): whole}, "old+", []string{base}},
		{"lock", map[string]string{base: whole, "." + base + ".lock": "999999999:1"}, "lock+", []string{base}},
		{"lock of a living one", map[string]string{base: whole, "." + base + ".lock": fmt.Sprintf("%d:1", os.Getpid())}, "", []string{"." + base + ".lock", base}},
		{"kept", map[string]string{base: whole, "." + base + ".cambium-kept-1": "x"}, "(backup)", []string{"." + base + ".cambium-kept-1", base}},
		{"torn temporary", map[string]string{base: whole, "." + base + ".cambium-tmp-1-abc": "nothing"}, "temporary+", []string{base}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWard(t)
			for name, text := range test.files {
				w.write(sess+name, text)
			}
			all := w.all()
			if got := kinds(all...); got != test.found {
				t.Fatalf("found %q, want %q", got, test.found)
			}
			for _, r := range all {
				w.fix(r)
			}
			names := names(t, vfs.OS(), filepath.Join(w.home, sess))
			slices.Sort(test.after)
			if !slices.Equal(names, test.after) {
				t.Errorf("there is %q, want %q", names, test.after)
			}
			if test.name == "old, late lines" {
				if got := w.read(filepath.Join(w.home, sess, base)); got != whole+lines(three) {
					t.Errorf("the session is %q", got)
				}
			}
			for _, r := range all {
				if f := r.Findings[0]; f.Fixed && f.UndoID != "" {
					w.undo(f.UndoID)
					if got := w.read(r.Path); got != test.files[filepath.Base(r.Path)] {
						t.Errorf("taken back, %q is %q", r.Path, got)
					}
				}
			}
		})
	}
}

func names(t *testing.T, disk vfs.FS, dir string) []string {
	t.Helper()
	names, err := disk.Names(dir)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestBlobs: a blob that is missing or wrong is copied from where it is right.
func TestBlobs(t *testing.T) {
	data := "the bytes of an image"
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(data)))
	image := `{"type":"message","id":"e0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:` + hash + `"}],"timestamp":1}}`
	tests := []struct {
		name, own, other, found string
	}{
		{"there", data, "", ""},
		{"nowhere", "", "", "noBlob:2"},
		{"elsewhere", "", data, "noBlob:2+"},
		{"wrong", "other bytes", "", "blob:2 blob"},
		{"wrong, right elsewhere", "other bytes", data, "blob:2+ blob+"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWard(t)
			path := w.write(strings.Replace(name, ".cambium", ".xcsh", 1), lines(head, image))
			place := places.For(string(dialect.Xcsh), w.env, layout.Overrides{})
			rel, err := filepath.Rel(w.home, place.Blobs)
			if err != nil {
				t.Fatal(err)
			}
			if test.own != "" {
				w.write(filepath.Join(rel, hash), test.own)
			}
			if test.other != "" {
				w.write(".omp/agent/blobs/"+hash, test.other)
			}
			all := w.all()
			if got := kinds(all...); got != test.found {
				t.Fatalf("found %q, want %q", got, test.found)
			}
			if len(all) == 0 || !all[0].Fixable() {
				return
			}
			w.fix(all[0])
			if got := w.read(filepath.Join(place.Blobs, hash)); got != data {
				t.Errorf("the blob is %q", got)
			}
			if again := w.all(); len(again) > 0 {
				t.Errorf("found again: %q", kinds(again...))
			}
			if got := w.read(path); got != lines(head, image) {
				t.Errorf("the session became %q", got)
			}
			if id := all[0].Findings[0].UndoID; id != "" {
				w.undo(id)
				if got := w.read(filepath.Join(place.Blobs, hash)); got != test.own {
					t.Errorf("taken back, the blob is %q", got)
				}
			}
		})
	}
}

// TestStore: what is wrong outside of sessions.
func TestStore(t *testing.T) {
	w := newWard(t)
	root := ".cambium/agent/"
	w.write(name, lines(head, one))
	w.write(root+"history.db", "garbage")
	w.write(root+"sessions/stray.jsonl", lines(head, one))
	w.write(filepath.Dir(name)+"/.hidden.jsonl", lines(head, one))
	w.write(filepath.Dir(name)+"/deep/er.jsonl", lines(head, one))
	w.write(strings.TrimSuffix(name, ".jsonl")+"/0-Task.jsonl", lines(head, one)) // a subagent's
	w.write(root+"blobs/.blob.cambium-tmp-ABC", "half")
	w.write(".pi/agent/stray.jsonl", lines(head, one))
	draft := state.Mark([]byte(head), state.Draft{Path: "/s.jsonl", Agent: "pi"})
	w.write(".local/state/cambium/drafts/a.b.jsonl", lines(string(draft), one))
	if err := os.Symlink("/dev/zero", filepath.Join(w.home, filepath.Dir(name), "zero.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(w.home, filepath.Dir(name), "no.jsonl")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range w.all() {
		for _, f := range r.Findings {
			rel, err := filepath.Rel(w.home, f.Path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(f.Kind)+" "+rel)
		}
	}
	slices.Sort(got)
	dir := filepath.Dir(name)
	want := []string{
		"database " + root + "history.db", "draft .local/state/cambium/drafts/a.b.jsonl",
		"special " + dir + "/no.jsonl", "special " + dir + "/zero.jsonl", "temporary " + root + "blobs/.blob.cambium-tmp-ABC",
		"unlisted " + root + "sessions/stray.jsonl", "unlisted " + dir + "/.hidden.jsonl", "unlisted " + dir + "/deep/er.jsonl",
		"unlisted .pi/agent/stray.jsonl",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLookingChangesNothing: looking writes nothing anywhere.
func TestLookingChangesNothing(t *testing.T) {
	w := newWard(t)
	for i, test := range damages {
		w.write(fmt.Sprintf("%s/%d.jsonl", filepath.Dir(name), i), test.file)
	}
	before := treeOf(t, w.home)
	w.all()
	if after := treeOf(t, w.home); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// tree describes all files under a directory.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExamples: nothing is wrong with the examples, whole homes of all agents.
func TestExamples(t *testing.T) {
	for _, agent := range places.Names() {
		dir, err := filepath.Abs(filepath.Join("..", "examples", agent, "agent"))
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		w := newWard(t)
		d := repair.New(repair.Options{
			Env: w.env, Agents: []dialect.Name{dialect.Name(agent)}, AgentDir: dir,
			Progress: func(_, total int) { looked = total },
		})
		for r, err := range d.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("found %+v", r.Findings)
		}
		if looked == 0 {
			t.Errorf("%s: nothing was looked at", agent)
		}
	}
}
