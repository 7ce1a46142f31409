package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/prompts"
	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A place is a machine with databases, and what was told of them.
type place struct {
	*testing.T
	dir string
	o   prompts.Options

	mu   sync.Mutex
	told []string
}

func newPlace(t *testing.T) *place {
	p := &place{T: t, dir: t.TempDir()}
	now := time.Date(2026, 2, 16, 10, 20, 30, 0, time.UTC)
	p.o = prompts.Options{
		Own:  prompts.Source{Agent: "cambium", Path: filepath.Join(p.dir, "own", "history.db")},
		Temp: t.TempDir(), Busy: time.Millisecond, Now: func() time.Time { return now },
		Trouble: func(err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.told = append(p.told, strings.ReplaceAll(err.Error(), p.dir, "DIR"))
		},
	}
	return p
}

func (p *place) open() *prompts.History {
	p.Helper()
	h, err := prompts.Open(p.Context(), p.o)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = h.Close() })
	return h
}

// troubles returns what was told so far, and forgets it.
func (p *place) troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := p.told
	p.told = nil
	return told
}

func (p *place) untroubled() {
	p.Helper()
	if told := p.troubles(); len(told) > 0 {
		p.Errorf("told: %q", told)
	}
}

func (p *place) close(h *prompts.History) {
	p.Helper()
	if err := h.Close(); err != nil {
		p.Fatal(err)
	}
}

func (p *place) recent(h *prompts.History, n int) []string {
	p.Helper()
	return texts(p.T)(h.Recent(p.Context(), n))
}

func (p *place) search(h *prompts.History, query string) []string {
	p.Helper()
	return texts(p.T)(h.Search(p.Context(), query, 100))
}

func texts(t *testing.T) func(all []prompts.Prompt, err error) []string {
	return func(all []prompts.Prompt, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		list := []string{}
		for _, p := range all {
			list = append(list, p.Text)
		}
		return list
	}
}

func (p *place) same(what string, want, got []string) {
	p.Helper()
	if !slices.Equal(want, got) {
		p.Errorf("%s: %q, want %q", what, got, want)
	}
}

// sql runs statements on a database of the test's own.
func sql(t *testing.T, path string, statements ...string) {
	t.Helper()
	conn := connect(t, path)
	for _, s := range statements {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// ompSchema is the form of omp's database.
var ompSchema = []string{
	`CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, cwd TEXT, session_id TEXT)`,
	`CREATE INDEX idx_history_created_at ON history(created_at DESC)`,
	`CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id')`,
	`CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt); END`,
	`CREATE TABLE session_titles (session_id TEXT PRIMARY KEY, title TEXT NOT NULL, updated_at INTEGER)`,
	`PRAGMA user_version = 1`,
}

// omp makes a database as omp leaves it, named beside the own one.
func (p *place) omp(statements ...string) string {
	p.Helper()
	path := filepath.Join(p.dir, "omp", "history.db")
	sql(p.T, path, slices.Concat([]string{"PRAGMA journal_mode = WAL"}, ompSchema, statements)...)
	p.o.Others = append(p.o.Others, prompts.Source{Agent: "omp", Path: path, Parts: true})
	return path
}

func TestPublishedForm(t *testing.T) {
	p := newPlace(t)
	h := p.open()
	if _, err := os.Stat(filepath.Dir(p.o.Own.Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening made something: %v", err)
	}
	h.Add("one", "/w", "")
	h.Add("two", "", "s-2")
	p.close(h)
	names, err := filepath.Glob(filepath.Join(p.dir, "own", "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("files %q, %v", names, err)
	}
	if info, err := os.Stat(p.o.Own.Path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	data, err := os.ReadFile(p.o.Own.Path)
	if err != nil || data[18] != 2 || data[19] != 2 {
		t.Errorf("it does not use a write-ahead log: %v", err)
	}
	conn := connect(t, p.o.Own.Path)
	defer conn.Close()
	var got []string
	add := func(stmt *sqlite.Stmt) error {
		var row []string
		for i := range stmt.ColumnCount() {
			row = append(row, stmt.ColumnText(i))
		}
		got = append(got, strings.Join(row, "|"))
		return nil
	}
	for _, query := range []string{
		"SELECT name, type, \"notnull\", pk FROM pragma_table_info('history')",
		"SELECT type, name FROM sqlite_schema WHERE name IN ('idx_history_created_at','history_fts','history_ai') ORDER BY name",
		"SELECT * FROM history", "SELECT rowid, prompt FROM history_fts WHERE history_fts MATCH 'two'", "SELECT * FROM history_session",
	} {
		if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: add}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"id|INTEGER|0|1", "prompt|TEXT|1|0", "created_at|INTEGER|1|0", "cwd|TEXT|0|0",
		"trigger|history_ai", "table|history_fts", "index|idx_history_created_at",
		"1|one|1771237230|/w", "2|two|1771237230|", "2|two", "2|s-2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.untroubled()
}

func TestAddAndFind(t *testing.T) {
	p := newPlace(t)
	h := p.open()
	for _, text := range []string{"  git commit -m wip ", "git commit -m wip", "run tests", "git commit -m wip", "  \t\u00a0 ", "say \"hi\" now", "çà ira"} {
		h.Add(text, "", "")
	}
	all := []string{"çà ira", `say "hi" now`, "git commit -m wip", "run tests", "git commit -m wip"}
	commits := []string{"git commit -m wip", "git commit -m wip"}
	for range 2 { // first from the queue, perhaps, then from the file
		p.same("recent", all, p.recent(h, 100))
		p.same("recent 2", all[:2], p.recent(h, 2))
		p.same("recent -1", nil, p.recent(h, -1))
		for query, want := range map[string][]string{
			"git": commits, "comm wi": commits, "mit": nil, `"hi`: {`say "hi" now`}, "git tests": nil, "": nil, " ": nil, "-m": commits,
			"GIT": commits, "ca": {"çà ira"}, "-": nil, "git -": commits, "commit-m": commits, "commit-w": nil,
		} {
			p.same("search "+query, want, p.search(h, query))
		}
		if err := h.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.close(h)
	h = p.open()
	h.Add("çà ira", "", "") // the last one of the time before
	h.Add("run tests", "", "")
	p.same("after reopening", append([]string{"run tests"}, all...), p.recent(h, 100))
	p.untroubled()
}

func TestWhatIsFound(t *testing.T) {
	p := newPlace(t)
	p.omp(`INSERT INTO history VALUES (1, 'older', 1771237000, '/w', 's-1'), (2, 'newer', 1771237240, NULL, NULL)`,
		`INSERT INTO session_titles VALUES ('s-1', 'The first', 1), ('s-9', 'The ninth', 1)`)
	h := p.open()
	h.Add("own", "/w", "s-7")
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
	want := []prompts.Prompt{
		{ID: 2, Text: "newer", Created: at(1771237240), Agent: "omp", Uses: 1},
		{ID: 0, Text: "own", Created: at(1771237230), CWD: "/w", SessionID: "s-7", Agent: "cambium", Uses: 1},
		{ID: 1, Text: "older", Created: at(1771237000), CWD: "/w", SessionID: "s-1", Agent: "omp", Uses: 1},
	}
	for _, id := range []int64{0, 1} {
		want[1].ID = id
		got, err := h.Recent(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 1 && got[1].ID == 1 {
			want[1].ID = 1 // written already
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := h.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	titles, err := h.Titles(t.Context())
	if err != nil || titles["s-1"] != "The first" || titles["s-9"] != "The ninth" || len(titles) != 2 {
		t.Errorf("titles %q, %v", titles, err)
	}
	ids, err := h.Sessions(t.Context(), "o", 10)
	p.same("sessions", []string{"s-7", "s-1"}, ids)
	if err != nil {
		t.Error(err)
	}
	p.o.CWD = "/w"
	p.same("of one directory", []string{"own", "older"}, p.recent(p.open(), 10))
	p.o.CWD, p.o.Others = "", append(p.o.Others, p.o.Others[0])
	p.same("the same file twice", []string{"newer", "own", "older"}, p.recent(p.open(), 10))
	p.untroubled()
}

// TestCountsAndRecaps: what omp 18.3 keeps beside prompts is read, and goes on in a
// database that it took for its own.
func TestCountsAndRecaps(t *testing.T) {
	p := newPlace(t)
	newer := []string{
		`ALTER TABLE history ADD COLUMN use_count INTEGER NOT NULL DEFAULT 1`,
		`CREATE TABLE session_recaps (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, cwd TEXT NOT NULL, recap TEXT NOT NULL,
			created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)))`,
		`CREATE INDEX idx_session_recaps_session ON session_recaps(session_id, created_at)`,
	}
	p.omp(append(newer, `INSERT INTO history VALUES (1, 'sow the beans', 1771237000, '/w', 's-1', 4), (2, 'once', 1771237001, '', '', 1), (3, 'forged', 1771237002, '', '', -3)`,
		`INSERT INTO session_recaps(session_id, cwd, recap, created_at) VALUES ('s-1', '/w', 'Beans', 7), ('s-1', '/w', 'Beans and peas', 9), ('s-1', '/w', 'Peas', 9), ('s-2', '/v', 'Old', 3)`)...)
	h := p.open()
	uses := func() map[string]int64 {
		all := map[string]int64{}
		for _, find := range []func() ([]prompts.Prompt, error){
			func() ([]prompts.Prompt, error) { return h.Recent(t.Context(), 9) },
			func() ([]prompts.Prompt, error) { return h.Search(t.Context(), "s", 9) },
		} {
			got, err := find()
			if err != nil {
				t.Fatal(err)
			}
			for _, prompt := range got {
				all[prompt.Text] = prompt.Uses
			}
		}
		return all
	}
	if diff := cmp.Diff(map[string]int64{"sow the beans": 4, "once": 1, "forged": 1}, uses()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	recaps, err := h.Recaps(t.Context())
	if diff := cmp.Diff(map[string]prompts.Recap{"s-1": {Text: "Peas", CWD: "/w", Created: time.Unix(9, 0).UTC()}, "s-2": {Text: "Old", CWD: "/v", Created: time.Unix(3, 0).UTC()}}, recaps); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	p.o.Own.Path, p.o.Others = p.o.Others[0].Path, nil // omp's is ours too
	h = p.open()
	h.Add("sow the beans", "/w", "s-3")
	if err := h.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := uses()["sow the beans"]; got != 5 {
		t.Errorf("typed %d times, want 5", got)
	}
	p.untroubled()
}

func TestParts(t *testing.T) {
	p := newPlace(t)
	p.omp(`INSERT INTO history VALUES (1, 'git commit -m wip', 5, '', ''), (2, 'run tests', 5, '', ''), (3, 'line one` + "\n" + `line two', 5, '', ''),
		(4, 'ΟΔΟΣ οδος', 4, '', ''), (5, '100%_off\x', 3, '', '')`)
	h := p.open()
	lines := "line one\nline two"
	for query, want := range map[string][]string{
		"git": {"git commit -m wip"}, "MIT": {"git commit -m wip"}, "git tests": nil, "": nil, "-m": {"git commit -m wip"},
		"two one": {lines}, "100%": {`100%_off\x`}, "0%_o": {`100%_off\x`}, "t": {lines, "run tests", "git commit -m wip"},
		"ΔΟΣ": {"ΟΔΟΣ οδος"}, "%": nil, "e_e": {lines, "run tests"},
	} {
		p.same("search "+query, want, p.search(h, query))
	}
	p.untroubled()
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		n    float64
		want int
	}{{math.NaN(), 0}, {math.Inf(1), 0}, {math.Inf(-1), 0}, {-5, 0}, {1.9, 1}, {999.5, 999}, {1e300, 1000}, {1001, 1000}} {
		if got := prompts.Limit(c.n); got != c.want {
			t.Errorf("Limit(%v) = %d, want %d", c.n, got, c.want)
		}
	}
}

// TestAddWhileLocked adds while another connection is writing: nobody waits,
// nothing is lost, and it is said once.
func TestAddWhileLocked(t *testing.T) {
	p := newPlace(t)
	h := p.open()
	h.Add("first", "", "")
	if err := h.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, p.o.Own.Path)
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, "BEGIN EXCLUSIVE", nil); err != nil {
		t.Fatal(err)
	}
	h.Add("second", "", "")
	if err := h.Flush(t.Context()); !errors.Is(err, prompts.ErrUnsaved) {
		t.Fatalf("Flush = %v", err)
	}
	h.Add("third", "", "")
	if err := h.Flush(t.Context()); !errors.Is(err, prompts.ErrUnsaved) || !strings.Contains(err.Error(), "2 prompts") {
		t.Fatalf("Flush = %v", err)
	}
	p.same("meanwhile", []string{"third", "second", "first"}, p.recent(h, 10))
	p.same("meanwhile", []string{"second"}, p.search(h, "sec"))
	p.same("told", []string{`keep prompts "DIR/own/history.db": another program has it locked; they wait in memory`}, p.troubles())
	if err := sqlitex.ExecuteTransient(conn, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	p.close(h)
	p.same("afterwards", []string{"third", "second", "first"}, p.recent(p.open(), 10))
}

func TestNowhereToWrite(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "own"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := p.open()
	h.Add("kept in memory", "", "")
	p.same("recent", []string{"kept in memory"}, p.recent(h, 10))
	if err := h.Close(); !errors.Is(err, prompts.ErrUnsaved) {
		t.Errorf("Close = %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
	h.Add("too late", "", "")
	told := p.troubles()
	if len(told) == 0 || !strings.Contains(told[len(told)-1], "the history is closed") {
		t.Errorf("told %q", told)
	}
	p.o.Own = prompts.Source{}
	h = p.open()
	h.Add("x", "", "")
	p.same("without a file", []string{"x"}, p.recent(h, 10))
	if err := h.Close(); !errors.Is(err, prompts.ErrUnsaved) {
		t.Errorf("Close = %v", err)
	}
}

// TestManyAtOnce adds from many goroutines while others look.
func TestManyAtOnce(t *testing.T) {
	p := newPlace(t)
	p.o.Busy = time.Minute
	h := p.open()
	var work sync.WaitGroup
	for g := range 4 {
		work.Go(func() {
			for i := range 25 {
				h.Add(fmt.Sprintf("prompt %d of %d", i, g), "", "s")
			}
		})
		work.Go(func() {
			for range 5 {
				all, err := h.Search(context.Background(), "prompt", 1000)
				seen := map[string]bool{}
				for _, p := range all {
					if seen[p.Text] {
						t.Errorf("found twice: %q", p.Text)
					}
					seen[p.Text] = true
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	p.close(h)
	if got := len(p.recent(p.open(), 1000)); got != 100 {
		t.Errorf("%d prompts, want 100", got)
	}
	p.untroubled()
}
