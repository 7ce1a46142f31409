package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/google/go-cmp/cmp"
)

// A home is a private home directory with sessions in it.
type home struct {
	t   testing.TB
	dir string
	age time.Duration
}

func newHome(t *testing.T) *home { return &home{t: t, dir: t.TempDir()} }

func (h *home) options() catalog.Options {
	return catalog.Options{Env: layout.Env{Home: h.dir, TempDir: "/nowhere", Cwd: "/work/a"}}
}

// put writes a session file below the home; each one is older than the last.
func (h *home) put(name string, lines ...string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.age += time.Minute
	at := time.Unix(1_800_000_000, 0).Add(-h.age)
	if err := os.Chtimes(path, at, at); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func header(id, cwd, extra string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T03:04:05.000Z","cwd":%q%s}`, id, cwd, extra)
}

func message(id, role, text, extra string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":%q,"content":[{"type":"text","text":%q}]%s}}`, id, role, text, extra)
}

const (
	pi      = ".pi/agent/sessions/"
	omp     = ".omp/agent/sessions/"
	xcsh    = ".xcsh/agent/sessions/"
	cambium = ".cambium/agent/sessions/"
)

func TestListCoversAllHomes(t *testing.T) {
	h := newHome(t)
	h.put(cambium+"--work-a--/1_c0000001.jsonl", header("c0000001", "/work/a", ""), message("a", "user", "hello", ""), message("b", "assistant", "yes", `,"stopReason":"stop"`))
	h.put(pi+"--work-a--/2_p0000001.jsonl", header("p0000001", "/work/a", ""), message("a", "user", "in pi", ""),
		`{"type":"session_info","id":"n","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","name":" Named "}`)
	h.put(omp+"-x/3_o0000001.jsonl", `{"type":"title","v":1,"title":"Slot","updatedAt":"x","pad":""}`, header("o0000001", "/work/b", `,"title":"Header"`), message("a", "assistant", "x", `,"stopReason":"error"`))
	h.put(xcsh+"any/4_x0000001.jsonl", header("x0000001", "/work/a", ""), message("a", "user", "q", ""),
		`{"type":"compaction","id":"c","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","summary":"s","shortSummary":"Short"}`)
	h.put(xcsh+"any/5_x0000002.jsonl", header("x0000002", "/work/a", "")) // no message
	h.put(xcsh+"any/.hidden.jsonl", header("h", "/work/a", ""), message("a", "user", "q", ""))
	h.put(xcsh+"any/5_x/0.jsonl", header("deep", "/work/a", ""), message("a", "user", "q", ""))
	h.put(xcsh+"any/log.jsonl", `{"type":"event","n":1}`)

	row := func(i catalog.Info) string {
		return fmt.Sprintf("%s %s %s %q %q %d %s %v", i.Agent, i.ID, i.CWD, i.Title, i.FirstMessage, i.Messages, i.Status, i.Damaged)
	}
	list := func(o catalog.Options) []string {
		all, err := catalog.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		rows := []string{}
		for _, i := range all {
			rows = append(rows, row(i))
		}
		return rows
	}
	c := `cambium c0000001 /work/a "" "hello" 2 complete false`
	o := `omp o0000001 /work/b "Slot" "(no messages)" 1 error false`
	x := `xcsh x0000001 /work/a "Short" "q" 1 pending false`
	e := `xcsh x0000002 /work/a "" "(no messages)" 0 unknown false`
	l := `xcsh   "" "(no messages)" 0 unknown true`
	p := `pi p0000001 /work/a "Named" "in pi" 1 pending false` // modified by its messages
	if diff := cmp.Diff([]string{c, o, x, l, p}, list(h.options())); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	here := h.options()
	here.CWD = "/work/a"
	here.Empty = true
	if diff := cmp.Diff([]string{c, x, e, p}, list(here)); diff != "" {
		t.Errorf("one project with empty ones (-want +got):\n%s", diff)
	}
	one := h.options()
	one.Agents = []dialect.Name{dialect.Omp}
	if diff := cmp.Diff([]string{o}, list(one)); diff != "" {
		t.Errorf("one agent (-want +got):\n%s", diff)
	}
	dir := h.options()
	dir.SessionDir = filepath.Join(h.dir, xcsh, "any")
	if diff := cmp.Diff([]string{x, l}, list(dir)); diff != "" {
		t.Errorf("one directory (-want +got):\n%s", diff)
	}
	if newest, err := catalog.Newest(t.Context(), h.options()); err != nil || newest.ID != "c0000001" {
		t.Errorf("newest %q (%v)", newest.ID, err)
	}
}

func TestWhatIsNoFileIsOneFlaggedRow(t *testing.T) {
	h := newHome(t)
	good := h.put(cambium+"--w--/1_good0001.jsonl", header("good0001", "/w", ""), message("a", "user", "x", ""))
	dir := filepath.Dir(good)
	if err := scratch.Mkfifo(filepath.Join(dir, "fifo.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"zero.jsonl": "/dev/zero", "dangling.jsonl": "/nowhere/x", "link.jsonl": good} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := catalog.List(t.Context(), h.options())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, i := range all {
		got[filepath.Base(i.Path)] = i.Detail
	}
	want := map[string]string{"1_good0001.jsonl": "", "link.jsonl": "", "fifo.jsonl": "not a regular file", "zero.jsonl": "not a regular file"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	h := newHome(t)
	u := message("a", "user", "x", "")
	h.put(pi+"a/2026-01-02T03-04-05-000Z_abcd1111.jsonl", header("abcd1111", "/work/a", ""), u)
	h.put(pi+"a/2026-01-02T03-04-06-000Z_abcd2222.jsonl", header("abcd2222", "/work/b", `,"title":"Garden"`), u)
	h.put(omp+"a/2026-01-02T03-04-07-000Z_file3333.jsonl", header("else4444", "/work/b", `,"title":"Garden"`), u)
	h.put(omp+"a/2026-01-02T03-04-08-000Z_empty555.jsonl", header("empty555", "/work/b", ""))
	h.put(omp+"a/2026-01-02T03-04-09-000Z_empty666.jsonl", header("empty666", "/work/b", `,"title":"Greenhouse"`))
	h.put(omp+"a/2026-01-02T03-04-10-000Z_empty777.jsonl", header("empty777", "/work/b", `,"title":"Garden"`))
	for _, test := range []struct{ arg, want string }{
		{"abcd1111", "abcd1111"},
		{"ABCD2", "abcd2222"},
		{"FILE3", "else4444"},
		{"else4", "else4444"},
		{"empty555", "empty555"},
		{"empty5", "not found"},
		{"abc", "not found"}, // too short for a prefix
		{"abcd", "abcd1111"}, // this project first
		{"garden", "2 match"},
		{"greenhouse", "empty666"},
		{"", "not found"},
		{"./x.jsonl", "/work/a/x.jsonl"},
		{"/y/../x.jsonl", "/x.jsonl"},
	} {
		o := h.options()
		o.CWD = "/work/a"
		info, err := catalog.Resolve(t.Context(), test.arg, false, o)
		got := info.ID
		var missing *catalog.NotFound
		var several *catalog.Ambiguous
		switch {
		case errors.As(err, &missing):
			got = "not found"
		case errors.As(err, &several):
			got = fmt.Sprintf("%d match", len(several.Candidates))
		case err != nil:
			t.Fatal(err)
		case catalog.IsPath(test.arg):
			got = info.Path
		}
		if got != test.want {
			t.Errorf("resolve %q: got %s, want %s", test.arg, got, test.want)
		}
	}
	o := h.options()
	o.CWD = "/elsewhere"
	if _, err := catalog.Resolve(context.Background(), "abcd", false, o); err == nil {
		t.Error("an ambiguous prefix was resolved")
	}
	if info, err := catalog.Resolve(context.Background(), "garden", true, o); err != nil || info.ID != "else4444" {
		t.Errorf("first of several: %q (%v)", info.ID, err)
	}
}

func TestOtherBranchesAreNamed(t *testing.T) {
	h := newHome(t)
	child := func(id, parent string) string {
		return strings.Replace(message(id, "user", "x", ""), `"parentId":null`, fmt.Sprintf(`"parentId":%q`, parent), 1)
	}
	h.put(cambium+"w/1_c0000001.jsonl", header("c0000001", "/w", ""), message("a", "user", "x", ""), child("b", "a"), child("c", "a"), child("d", "c"))
	all, err := catalog.List(t.Context(), h.options())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions (%v)", len(all), err)
	}
	if diff := cmp.Diff([]string{"b"}, all[0].Tips); diff != "" {
		t.Errorf("tips (-want +got):\n%s", diff)
	}
}

// TestUnreadIsOfItsProject: a session of a project that cannot be read is told in the
// list of the project, for nobody can know that it is another's; one elsewhere is not.
func TestUnreadIsOfItsProject(t *testing.T) {
	h := newHome(t)
	mine := filepath.Join(cambium+places.DirName("cambium", "/work/a", h.options().Env), "1_mine0001.jsonl")
	h.put(mine, header("mine0001", "/work/a", ""), message("a", "user", "x", ""))
	h.put(cambium+"--work-b--/1_else0001.jsonl", header("else0001", "/work/b", ""), message("a", "user", "x", ""))
	o := h.options()
	o.CWD = "/work/a"
	o = vfs.On(o, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
		if op.Kind == errorfs.Open && strings.HasSuffix(op.Name, ".jsonl") {
			return &errorfs.Fault{}
		}
		return nil
	}))
	all, err := catalog.List(t.Context(), o)
	if err != nil || len(all) != 1 || filepath.Base(all[0].Path) != "1_mine0001.jsonl" || !all[0].Damaged || all[0].Detail == "" {
		t.Errorf("%+v, %v", all, err)
	}
}
