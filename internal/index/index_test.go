package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/storage"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// list returns all sessions.
func (h *home) list(x catalog.Index) []catalog.Info {
	h.t.Helper()
	o := h.options(x)
	o.Empty = true
	all, err := catalog.List(h.t.Context(), o)
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// queries are asked of random sessions.
var queries = []string{"the", "a* -the", `re:[aeiou]{2} role:user`, `re:the\ssess`, "in:title a*", "role:assistant", `"of the"`, "tool:read a*", "-the after:2020",
	"file:a* file:the*", "label:a*", "has:name the", "-has:branches the", "cost:>0.01 a*"}

// answers are all hits of all queries.
func (h *home) answers(x catalog.Index) (all [][]search.Hit) {
	for _, q := range queries {
		all = append(all, h.search(q, search.Options{Options: h.options(x), PerSession: 3}))
	}
	return all
}

// database returns the path of the index's file.
func (h *home) database() string {
	h.t.Helper()
	found, err := filepath.Glob(filepath.Join(h.cache(), "index-5-*.sqlite"))
	if err != nil || len(found) != 1 {
		h.t.Fatalf("%d files with an index (%v)", len(found), err)
	}
	return found[0]
}

func TestAnswersAreTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := newHome(t)
	paths := h.random(rng, 40)
	before := map[string]string{}
	for _, p := range paths {
		before[p] = state(t, p)
	}
	x := h.index()
	wantList, wantHits := h.list(nil), h.answers(nil)
	for _, when := range []string{"nothing kept", "records kept", "texts kept"} {
		if diff := different(wantList, h.list(x)); diff != "" {
			t.Errorf("list, %s:\n%s", when, diff)
		}
		if diff := different(wantHits, h.answers(x)); diff != "" {
			t.Errorf("search, %s:\n%.2000s", when, diff)
		}
		if when == "records kept" {
			h.update(x)
		}
	}
	hits := 0
	for _, all := range wantHits {
		hits += len(all)
	}
	if hits < 100 {
		t.Errorf("only %d hits: the queries ask for nothing", hits)
	}
	for _, p := range paths {
		if after := state(t, p); after != before[p] {
			t.Errorf("%s changed: %s, was %s", p, after, before[p])
		}
	}
	if len(h.say) > 0 {
		t.Errorf("told: %q", h.say)
	}
}

// state is all that may not change of a file that is looked at.
func state(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.Mode(), info.ModTime(), len(data), string(data[:min(len(data), 1<<16)]))
}

func TestUntouchedSessionsAreNotReadAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := newHome(t)
	paths := h.random(rng, 12)
	x, fs := h.index(), newCountingFS()
	o := h.options(x)
	o = vfs.On(o, fs)
	o.Empty = true
	run := func() (opened int) {
		t.Helper()
		if _, err := catalog.List(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			h.search(q, search.Options{Options: o})
		}
		if err := search.Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return fs.take()
	}
	if n := run(); n < len(paths) {
		t.Errorf("%d of %d files were read at first", n, len(paths))
	}
	if n := run(); n != 0 {
		t.Errorf("%d files were read again", n)
	}
	f, err := os.OpenFile(paths[3], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n" + message("newentry", "", "user", "quincunx", now) + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(paths[3], now, now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := len(h.search("quincunx", search.Options{Options: o})); n != 1 {
		t.Errorf("%d hits in what was appended", n)
	}
	if n := run(); n != 1 {
		t.Errorf("%d files were read when one had changed", n)
	}
	if n := len(h.search("quincunx", search.Options{Options: o})); n != 1 || fs.take() != 0 {
		t.Errorf("%d hits in what was kept", n)
	}
	// What is gone is forgotten, text and all.
	kept := countTexts(t.Context(), t, x)
	if err := os.Remove(paths[3]); err != nil {
		t.Fatal(err)
	}
	if run() != 0 || len(h.search("quincunx", search.Options{Options: o})) != 0 || countTexts(t.Context(), t, x) != kept-1 {
		t.Error("a file that is gone is still known")
	}
}

func TestOffsets(t *testing.T) {
	h := newHome(t)
	x, mark := h.index(), storage.MakeMark([4]uint64{1, 1 << 60, 3, 1<<64 - 4})
	if m, data, err := x.Recall(t.Context(), "/a"); err != nil || data != nil || !m.IsZero() {
		t.Errorf("offsets of nothing: %v %q (%v)", m, data, err)
	}
	for _, want := range []string{"one", "", strings.Repeat("two", 1<<20)} {
		if err := x.Remember(t.Context(), "/a", mark, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if m, data, err := h.index().Recall(t.Context(), "/a"); err != nil || data == nil || string(data) != want || m != mark {
			t.Errorf("offsets: %v, %d bytes (%v)", m, len(data), err)
		}
	}
	if err := x.Keep(t.Context(), nil, []string{"/a"}); err != nil {
		t.Fatal(err)
	}
	if _, data, err := x.Recall(t.Context(), "/a"); err != nil || data != nil {
		t.Errorf("forgotten offsets: %q (%v)", data, err)
	}
	for n := range 600 { // the last 500 stay
		if err := x.Remember(t.Context(), fmt.Sprint("/", n), mark, nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"/99": false, "/100": true, "/599": true} {
		if m, _, err := x.Recall(t.Context(), name); err != nil || m == mark != want {
			t.Errorf("%s: %v (%v)", name, m, err)
		}
	}
	for path, want := range map[string]os.FileMode{h.cache(): 0o700, h.database(): 0o600, h.database() + "-wal": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: %v (%v)", path, info.Mode(), err)
		}
	}
}

// TestSeveralProcesses has several indexes of one file used at once.
func TestSeveralProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	h := newHome(t)
	h.random(rng, 16)
	want := h.answers(nil)
	var group sync.WaitGroup
	for range 4 {
		x := h.index()
		group.Go(func() {
			if err := search.Update(t.Context(), h.options(x)); err != nil {
				t.Error(err)
			}
			for n, q := range queries {
				query, err := search.Parse(q, now)
				if err != nil {
					t.Error(err)
					return
				}
				var got []search.Hit
				for hit, err := range search.Run(t.Context(), query, search.Options{Options: h.options(x), PerSession: 3}) {
					if err != nil {
						t.Error(err)
						return
					}
					got = append(got, hit)
				}
				if diff := different(want[n], got); diff != "" {
					t.Errorf("%s:\n%.1000s", q, diff)
				}
			}
		})
	}
	group.Wait()
}

// TestFaults spoils the index in many ways: the answers stay what they are, and
// one line says what is wrong.
func TestFaults(t *testing.T) {
	t.Parallel()
	overwrite := func(name string, data string) func(h *home) {
		return func(h *home) {
			path := h.database()
			if name != "" {
				path = filepath.Join(h.cache(), name)
			}
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	sql := func(query string) func(h *home) {
		return func(h *home) {
			conn, err := index.OpenChecked(h.database())
			if err != nil {
				h.t.Fatal(err)
			}
			defer conn.Close()
			if err := sqlitex.ExecuteScript(conn, query, nil); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	good := newHome(t)
	good.random(rand.New(rand.NewPCG(7, 8)), 12)
	want, all := good.answers(nil), good.list(nil)
	good.fill()
	for name, test := range map[string]struct {
		spoil   func(h *home)
		rebuilt bool
	}{
		"no database":        {overwrite("", strings.Repeat("not a database ", 1000)), true},
		"emptied":            {overwrite("", ""), true},
		"name of nothing":    {overwrite("index-5", "index-5-0000000000000000.sqlite\n"), false},
		"name elsewhere":     {overwrite("index-5", "../../etc/passwd\n"), true},
		"from the future":    {sql("PRAGMA user_version = 6"), true},
		"of another program": {sql("PRAGMA application_id = 7"), true},
		"a table less":       {sql("DROP TABLE texts"), true},
		"another table":      {sql("DROP TABLE bundles; CREATE TABLE bundles (x)"), true},
		"records exchanged":  {sql("UPDATE bundles SET dir = dir || 'x', first = first || 'y'"), true},
		"one bundle damaged": {sql("UPDATE bundles SET data = CAST(substr(data, 1, 100) || x'ff' || substr(data, 102) AS BLOB) WHERE id = (SELECT max(id) FROM bundles)"), true},
		"one bundle cut":     {sql("UPDATE bundles SET data = substr(data, 1, length(data) - 1) WHERE id = (SELECT min(id) FROM bundles)"), true},
		"one bundle lost":    {sql("DELETE FROM bundles WHERE id = (SELECT min(id) FROM bundles)"), false},
		"texts exchanged":    {sql("UPDATE chunks SET data = (SELECT max(data) FROM chunks)"), true},
		"sieve exchanged":    {sql("UPDATE sieve SET data = (SELECT max(data) FROM sieve)"), true},
		"sieve lost":         {sql("DELETE FROM sieve WHERE id % 3 > 0"), false},
		"chunks lost":        {sql("DELETE FROM chunks"), true},
		"removed": {func(h *home) {
			if err := os.RemoveAll(h.cache()); err != nil {
				h.t.Fatal(err)
			}
		}, false},
		"a directory": {func(h *home) {
			path := h.database()
			if err := os.Remove(path); err != nil {
				h.t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				h.t.Fatal(err)
			}
		}, true},
		"a view for a table": {sql("ALTER TABLE bundles RENAME TO b; CREATE VIEW bundles AS SELECT * FROM b"), true},
		"a view without end": {sql("DROP TABLE bundles; CREATE VIEW bundles (id, dir, first, data) AS " +
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'd' || i, '', x'00' FROM n"), true},
		"a trigger": {sql("CREATE TRIGGER t AFTER INSERT ON texts BEGIN DELETE FROM bundles; END"), true},
		"a generated column": {sql("DROP TABLE offsets; CREATE TABLE offsets (path TEXT PRIMARY KEY, data BLOB NOT NULL, " +
			"x AS (zeroblob(1000000)) STORED)"), true},
		"an index over an expression": {sql("CREATE INDEX i ON texts (abs(id))"), true},
		"a table more":                {sql("CREATE TABLE more (x)"), true},
		"words of another kind":       {sql("DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5 (w0, w1, w2, w3)"), true},
		"a link to another": {func(h *home) {
			path, away := h.database(), filepath.Join(h.t.TempDir(), "away")
			if err := errors.Join(os.Rename(path, away), os.Symlink(away, path)); err != nil {
				h.t.Fatal(err)
			}
			h.t.Cleanup(func() {
				if _, err := os.Stat(away); err != nil {
					h.t.Errorf("what the link leads to: %v", err)
				}
			})
		}, true},
		"a log that is a link": {func(h *home) {
			away := filepath.Join(h.t.TempDir(), "away")
			if err := errors.Join(os.WriteFile(away, []byte("mine"), 0o600), os.Symlink(away, h.database()+"-wal")); err != nil {
				h.t.Fatal(err)
			}
			h.t.Cleanup(func() {
				if text, err := os.ReadFile(away); err != nil || string(text) != "mine" {
					h.t.Errorf("what the link leads to: %q, %v", text, err)
				}
			})
		}, true},
		"others can write it": {func(h *home) {
			if err := os.Chmod(h.database(), 0o666); err != nil {
				h.t.Fatal(err)
			}
		}, true},
		"a name without end": {overwrite("index-5", "index-5-"+strings.Repeat("x", 1<<20)), true},
		"a name that is a link": {func(h *home) {
			name := filepath.Join(h.cache(), "index-5")
			if err := errors.Join(os.Remove(name), os.Symlink("/dev/zero", name)); err != nil {
				h.t.Fatal(err)
			}
		}, true},
		"others can write there": {func(h *home) {
			if err := os.Chmod(h.cache(), 0o777); err != nil {
				h.t.Fatal(err)
			}
		}, false},
		"cache is a file": {func(h *home) {
			if err := os.RemoveAll(h.cache()); err != nil {
				h.t.Fatal(err)
			}
			if err := os.WriteFile(h.cache(), nil, 0o600); err != nil {
				h.t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := good.copied(t)
			test.spoil(h)
			x := h.index()
			if diff := different(want, h.answers(x)); diff != "" {
				t.Errorf("answers:\n%.2000s", diff)
			}
			if diff := different(all, h.list(x)); diff != "" {
				t.Errorf("list:\n%.2000s", diff)
			}
			said := slices.ContainsFunc(h.say, func(s string) bool { return strings.HasPrefix(s, "build the index anew: ") })
			if said != test.rebuilt {
				t.Errorf("rebuilt %v, want %v: %q", said, test.rebuilt, h.say)
			}
			if test.rebuilt {
				// It is good again, for good.
				h.update(x)
				h.say = nil
				if diff := different(want, h.answers(h.index())); diff != "" || len(h.say) > 0 {
					t.Errorf("after that: %q\n%.2000s", h.say, diff)
				}
			}
		})
	}
}

// fill keeps records and texts of all sessions, and closes the index.
func (h *home) fill() {
	h.t.Helper()
	x := index.New(index.Options{Dir: h.cache(), Report: h.tell})
	h.list(x)
	h.update(x)
	if err := x.Close(); err != nil {
		h.t.Fatal(err)
	}
}

func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(9, 10)), 6)
	h.fill()
	conn, err := index.OpenChecked(h.database())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, "PRAGMA locking_mode = EXCLUSIVE; UPDATE bundles SET data = data", nil); err != nil {
		t.Fatal(err)
	}
	// The lock is on the database, for readers too.
	h.write("pi", "late", lines(header("late0000", "/work/a"), message("m1", "", "user", "the late one", now)))
	want := h.answers(nil)
	if diff := different(want, h.answers(h.index())); diff != "" {
		t.Errorf("answers:\n%.2000s", diff)
	}
	if len(h.say) == 0 {
		t.Error("nobody was told")
	}
}

// TestDamagedAtRandom changes bytes of the file anywhere.
func TestDamagedAtRandom(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(11, 12)), 8)
	want, all := h.answers(nil), h.list(nil)
	h.fill()
	name := h.database()
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(13, 14))
	for n := range 20 {
		bad := slices.Clone(good)
		switch n % 4 {
		case 0:
			bad = bad[:rng.IntN(len(bad))]
		case 1:
			at := rng.IntN(len(good))
			clear(bad[at:min(at+4096, len(bad))])
		default:
			for range 1 + rng.IntN(8) {
				bad[rng.IntN(len(good))] ^= byte(1 + rng.IntN(255))
			}
		}
		if err := os.RemoveAll(h.cache()); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(h.cache(), 0o700); err != nil {
			t.Fatal(err)
		}
		for path, data := range map[string][]byte{name: bad, filepath.Join(h.cache(), "index-5"): []byte(filepath.Base(name) + "\n")} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		x := h.index()
		if diff := different(want, h.answers(x)); diff != "" {
			t.Errorf("damage %d: answers (told %q):\n%.1500s", n, h.say, diff)
		}
		if diff := different(all, h.list(x)); diff != "" {
			t.Errorf("damage %d: list (told %q):\n%.1500s", n, h.say, diff)
		}
		h.say = nil
	}
}

// TestReadOnlyDirectory has a directory in which nothing can be made.
func TestReadOnlyDirectory(t *testing.T) {
	h := newHome(t)
	rng := rand.New(rand.NewPCG(15, 16))
	h.write("pi", "a", sessiongen.Random(rng, sessiongen.Options{Entries: 30}).Bytes)
	want := h.answers(nil)
	x := index.New(index.Options{Dir: "/proc/self/nowhere", Report: h.tell})
	if diff := different(want, h.answers(x)); diff != "" {
		t.Errorf("answers:\n%.2000s", diff)
	}
	if len(h.say) == 0 || !strings.Contains(h.say[0], "/proc/self/nowhere") {
		t.Errorf("told %q", h.say)
	}
}

// pageSize is that of every index.
const pageSize = 16 << 10

// pagesOf returns the pages, from 0, of the tables of a database whose names begin so.
func pagesOf(t *testing.T, name, begin string) map[int]bool {
	t.Helper()
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[int]bool{}
	err = sqlitex.Execute(conn, "SELECT pageno FROM dbstat WHERE name LIKE ? || '%'", &sqlitex.ExecOptions{
		Args: []any{begin},
		ResultFunc: func(s *sqlite.Stmt) error {
			pages[s.ColumnInt(0)-1] = true
			return nil
		}})
	if err := errors.Join(err, conn.Close()); err != nil || len(pages) == 0 {
		t.Fatalf("pages of %s: %d, %v", begin, len(pages), err)
	}
	return pages
}
