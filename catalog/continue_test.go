package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// A desk is a home with files of which each is so and so old.
type desk struct {
	t    *testing.T
	home string
}

func newDesk(t *testing.T) *desk { return &desk{t, t.TempDir()} }

func (d *desk) path(name string) string { return filepath.Join(d.home, name) }

// put writes a file; {home} in its text is the home.
func (d *desk) put(name, text string, age time.Duration) string {
	d.t.Helper()
	path := d.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	at := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC).Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// session writes a session of a working directory.
func (d *desk) session(name, cwd string, age time.Duration) string {
	return d.put(name, `{"type":"session","version":3,"id":"`+filepath.Base(name)+`","timestamp":"2026-01-02T03:04:05.000Z","cwd":"`+cwd+`"}
{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1767323046000}}
`, age)
}

// crumb writes the note of a program about /dev/pts/3.
func (d *desk) crumb(agent, cwd, path, more string, age time.Duration) {
	d.put("."+agent+"/agent/terminal-sessions/pts-3", cwd+"\n"+path+"\n"+more, age)
}

func (d *desk) next(o catalog.Options) catalog.Next {
	d.t.Helper()
	o.Env.Home = d.home
	next, err := catalog.Continue(context.Background(), "/dev/pts/3", o)
	if err != nil {
		d.t.Fatal(err)
	}
	return next
}

func agents(names ...dialect.Name) []dialect.Name { return names }

func TestContinue(t *testing.T) {
	d := newDesk(t)
	xcsh := d.session(".xcsh/agent/sessions/x/s.jsonl", "/w", time.Hour)
	omp := d.session(".omp/agent/sessions/o/s.jsonl", "/w", 2*time.Hour)
	pi := d.session(".pi/agent/sessions/--w--/s.jsonl", "/w", 3*time.Hour)
	newest := d.session(".pi/agent/sessions/--v--/new.jsonl", "/v", 0)
	d.session(".pi/agent/sessions/--v--/old.jsonl", "/v", time.Hour)
	d.crumb("xcsh", "/w", xcsh, "", 10*time.Minute)
	d.crumb("omp", "/w", omp, "cwdstat 1 2\n", 5*time.Minute)
	d.crumb("cambium", "/w", pi, "", time.Minute)
	tests := []struct {
		name string
		o    catalog.Options
		want string
	}{
		{"the note written last", catalog.Options{CWD: "/w"}, pi},
		{"cambium's note about another agent", catalog.Options{CWD: "/w", Agents: agents(dialect.Pi)}, pi},
		{"one program's note", catalog.Options{CWD: "/w", Agents: agents(dialect.Xcsh)}, xcsh},
		{"omp's note", catalog.Options{CWD: "/w", Agents: agents(dialect.Omp)}, omp},
		{"pi's must lie in the named directory", catalog.Options{CWD: "/w", SessionDir: filepath.Dir(omp)}, omp},
		{"xcsh's need not", catalog.Options{CWD: "/w", SessionDir: filepath.Dir(omp), Agents: agents(dialect.Xcsh)}, xcsh},
		{"the newest of a directory without a note", catalog.Options{CWD: "/v"}, newest},
		{"nothing", catalog.Options{CWD: "/nowhere"}, ""},
		{"a directory of sessions that is not there", catalog.Options{CWD: "/nowhere", SessionDir: d.path("none")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d.t = t
			if got := d.next(tt.o); got != (catalog.Next{Path: tt.want}) {
				t.Errorf("Continue = %+v, want %q", got, tt.want)
			}
		})
	}
}

func TestContinueByLinkedDirectory(t *testing.T) {
	d := newDesk(t)
	s := d.session(".xcsh/agent/sessions/x/s.jsonl", "/link", 0)
	d.crumb("xcsh", "/link", s, "", 0)
	env := layout.Env{Real: func(p string) (string, bool) { return "/w", p == "/link" || p == "/w" }}
	if got := d.next(catalog.Options{CWD: "/w", Env: env}); got.Path != s {
		t.Errorf("Continue = %+v", got)
	}
}

// TestContinueAsOmp follows omp's own rules for its notes.
func TestContinueAsOmp(t *testing.T) {
	d := newDesk(t)
	old := d.session(".omp/agent/sessions/-w/s.jsonl", "/w", time.Hour)
	only := agents(dialect.Omp)

	d.crumb("omp", "/w", d.path("not-yet.jsonl"), "fresh\n", 0)
	if got := d.next(catalog.Options{CWD: "/w", Agents: only}); got != (catalog.Next{Agent: dialect.Omp}) {
		t.Errorf("a session that was begun: %+v", got)
	}
	d.crumb("omp", "/w", d.path("gone.jsonl"), "", 0)
	if got := d.next(catalog.Options{CWD: "/w", Agents: only}); got.Path != old {
		t.Errorf("a session that is gone: %+v", got)
	}
	inner := d.session(".omp/agent/sessions/-w/s/one/two.jsonl", "/w", 0)
	d.session(".omp/agent/sessions/-w/s/one.jsonl", "/w", 0)
	d.crumb("omp", "/w", inner, "", 0)
	if got := d.next(catalog.Options{CWD: "/w", Agents: only}); got.Path != old {
		t.Errorf("a file among the artifacts: %+v", got)
	}

	here := d.path("here")
	if err := os.Mkdir(here, 0o700); err != nil {
		t.Fatal(err)
	}
	is, _ := breadcrumb.Identify(vfs.OS(), here)
	stat := "cwdstat " + strconv.FormatUint(is.Dev, 10) + " " + strconv.FormatUint(is.Ino, 10) + "\n"
	was := d.path("was")
	moved := d.session(".omp/agent/sessions/-was/m.jsonl", was, time.Hour)
	d.crumb("omp", was, moved, stat, 0)
	if got := d.next(catalog.Options{CWD: here, Agents: only}); got != (catalog.Next{Path: moved, From: was}) {
		t.Errorf("a directory that moved: %+v", got)
	}
	if got := d.next(catalog.Options{CWD: d.home, Agents: only}); got != (catalog.Next{}) {
		t.Errorf("another directory: %+v", got)
	}
	local := d.session(".omp/agent/sessions/-here/l.jsonl", here, time.Hour)
	if got := d.next(catalog.Options{CWD: here, Agents: only}); got != (catalog.Next{Path: local}) {
		t.Errorf("a directory that has sessions: %+v", got)
	}
}

// TestHollow: of omp's sessions without a message those with a name are listed, and
// none without is gone on with (18.3).
func TestHollow(t *testing.T) {
	d := newDesk(t)
	header := `{"type":"session","version":3,"id":"%","timestamp":"2026-01-02T03:04:05.000Z","cwd":"{home}/w"}` + "\n"
	hollow := func(agent, id, title string, age time.Duration) string {
		text := strings.ReplaceAll(header, "{home}", d.home)
		text = strings.Replace(text, "%", id, 1)
		if title != "" {
			text = strings.Replace(text, `"cwd"`, `"title":"`+title+`","cwd"`, 1)
		}
		return d.put("."+agent+"/agent/sessions/-w/2026-01-02T03-04-05-000Z_"+id+".jsonl", text, age)
	}
	old := d.session(".omp/agent/sessions/-w/2026-01-01T03-04-05-000Z_old.jsonl", d.home+"/w", 9*time.Hour)
	hollow("omp", "untitled", "", time.Hour)
	o := catalog.Options{CWD: d.home + "/w", Agents: []dialect.Name{dialect.Omp}}
	if next := d.next(o); next.Path != old {
		t.Errorf("goes on with %q, want %q", next.Path, old)
	}
	titled := hollow("omp", "titled", "Beans", 2*time.Hour)
	if next := d.next(o); next.Path != titled {
		t.Errorf("goes on with %q, want %q", next.Path, titled)
	}
	o.Env.Home = d.home
	all, err := catalog.List(t.Context(), o)
	if err != nil || len(all) != 2 || all[0].Path != titled || all[1].Path != old {
		t.Errorf("listed %+v, %v", all, err)
	}
	pi := hollow("pi", "empty", "", 0)
	o.Agents = []dialect.Name{dialect.Pi}
	if next := d.next(o); next.Path != pi {
		t.Errorf("pi goes on with %q, want %q", next.Path, pi)
	}
}

func TestTrail(t *testing.T) {
	d := newDesk(t)
	s := d.session(".omp/agent/sessions/-w/s.jsonl", d.home, 0)
	visit := catalog.Visit{Agent: dialect.Omp, CWD: d.home, Path: s, Fresh: true}
	trail := catalog.Trail{Env: layout.Env{Home: d.home}, Terminal: "/dev/pts/3"}
	if err := trail.Visit(visit); err != nil {
		t.Fatal(err)
	}
	is, _ := breadcrumb.Identify(vfs.OS(), d.home)
	for name, want := range map[string]breadcrumb.Crumb{
		".cambium/agent/terminal-sessions/pts-3": {CWD: d.home, Path: s},
		".omp/agent/terminal-sessions/pts-3":     {CWD: d.home, Path: s, Fresh: true, Dir: is},
	} {
		if got, ok := breadcrumb.Read(vfs.OS(), d.path(name)); !ok || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, ok, want)
		}
	}
	for _, visit := range []catalog.Visit{
		{Agent: dialect.Xcsh, CWD: d.home, Path: s},
		{Agent: dialect.Pi, CWD: d.home, Path: s},
	} {
		if err := trail.Visit(visit); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".xcsh", ".pi", ".omp/agent/custom-session-files"} {
		if _, err := os.Stat(d.path(name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	outside := catalog.Visit{Agent: dialect.Omp, CWD: d.home, Path: d.path("s.jsonl")}
	if err := trail.Visit(outside); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(d.path(".omp/agent/custom-session-files")); len(list) != 1 {
		t.Errorf("omp does not know of the session outside: %v", list)
	}
	silent := catalog.Trail{Env: layout.Env{Home: d.path("other")}}
	if err := silent.Visit(visit); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.path("other")); err == nil {
		t.Error("noted without a terminal")
	}
}
