package prompts_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/prompts"
)

const plainHistory = "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt, created_at, cwd)"

// A database that somebody made so that it cannot be read is told of and left out;
// the others are read.
func TestHostileDatabases(t *testing.T) {
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'x' AS prompt, i AS created_at, '' AS cwd FROM n"
	for name, c := range map[string]struct {
		sql  []string
		size int64
		told string
		has  []string
	}{
		"a view without end": {sql: []string{"CREATE TABLE x (y)", "CREATE VIEW history AS " + endless}, told: "it is a database, but not of prompts"},
		"a virtual table over it": {sql: []string{"CREATE TABLE x (y)", "CREATE VIEW v AS " + endless,
			"CREATE VIRTUAL TABLE history USING fts5(id, prompt, created_at, cwd, content='v', content_rowid='id')"}, told: "it is a database, but not of prompts"},
		"generated columns": {sql: []string{"CREATE TABLE history (id INTEGER PRIMARY KEY, prompt AS (hex(zeroblob(100000000))), created_at, cwd)",
			"INSERT INTO history (created_at) VALUES (1)"}, told: "it is a database, but not of prompts"},
		"titles without end": {sql: []string{plainHistory, "CREATE VIEW session_titles AS SELECT '' || id AS session_id, prompt AS title FROM (" + endless + ")"}, told: "-"},
		"a prompt of 20 MB":  {sql: []string{plainHistory, "INSERT INTO history VALUES (1, CAST(zeroblob(20000000) AS TEXT), 1, '')"}, told: "a value in it is longer than 16 MiB"},
		"many long prompts": {sql: []string{plainHistory, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) " +
			"INSERT INTO history SELECT i, CAST(zeroblob(8000000) AS TEXT), i, '' FROM n"}, told: "what is found in it than 64 MiB"},
		"a large file": {sql: []string{plainHistory}, size: 2 << 30, told: "it is larger than 1 GiB"},
		"triggers": {sql: []string{plainHistory, "INSERT INTO history VALUES (1, 'kept', 1, '')",
			"CREATE TRIGGER t AFTER INSERT ON history BEGIN DELETE FROM history; END"}, told: "-", has: []string{"kept"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.omp("INSERT INTO history VALUES (1, 'there', 5, '', '')")
			path := filepath.Join(p.dir, "bad.db")
			sql(t, path, c.sql...)
			if c.size > 0 {
				if err := os.Truncate(path, c.size); err != nil {
					t.Fatal(err)
				}
			}
			p.o.Others = append([]prompts.Source{{Agent: "xcsh", Path: path}}, p.o.Others...)
			h := p.open()
			p.same("recent", append([]string{"there"}, c.has...), p.recent(h, 100))
			p.same("search", []string{"there"}, p.search(h, "the"))
			if _, err := h.Titles(t.Context()); err != nil {
				t.Error(err)
			}
			told := p.troubles()
			if c.told == "-" && len(told) > 0 || c.told != "-" && (len(told) != 1 || !strings.Contains(told[0], c.told)) {
				t.Errorf("told %q, want %q", told, c.told)
			}
		})
	}
}

// bomb makes the pages of a table point at the next one many times each, so that
// a few pages hold more rows than can be counted.
func bomb(t *testing.T, path string) {
	t.Helper()
	sql(t, path, "PRAGMA page_size = 4096", plainHistory, "CREATE TABLE filler (x)",
		"INSERT INTO history VALUES (1, 'again', 1, '')", "INSERT INTO filler VALUES (zeroblob(80000))")
	db, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, root, first, last = 4096, 2, 5, 20 // root is that of history
	leaf := slices.Clone(db[(root-1)*page : root*page])
	interior := func(n, child int) {
		at := db[(n-1)*page : n*page]
		clear(at)
		const cells = 300
		at[0] = 0x05
		binary.BigEndian.PutUint16(at[3:], cells)
		binary.BigEndian.PutUint16(at[5:], page-5*cells)
		binary.BigEndian.PutUint32(at[8:], uint32(child))
		for i := range cells {
			cell := page - 5*(i+1)
			binary.BigEndian.PutUint16(at[12+2*i:], uint16(cell))
			binary.BigEndian.PutUint32(at[cell:], uint32(child))
			at[cell+4] = 1
		}
	}
	interior(root, first)
	for n := first; n < last; n++ {
		interior(n, n+1)
	}
	copy(db[(last-1)*page:], leaf)
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDatabaseWithoutEnd(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.dir, "bomb.db")
	bomb(t, path)
	p.o.Longest = 20 * time.Millisecond
	p.o.Others = []prompts.Source{{Agent: "xcsh", Path: path}}
	h := p.open()
	p.same("recent", nil, p.recent(h, 10))
	if told := p.troubles(); len(told) != 1 || !strings.Contains(told[0], "it takes too long to read") {
		t.Errorf("told %q", told)
	}
}

// Bytes that are changed anywhere never end the program, and nothing is written.
func TestDamagedHistories(t *testing.T) {
	p := newPlace(t)
	path := p.omp("INSERT INTO history VALUES (1, 'there', 5, '', '')", "INSERT INTO session_titles VALUES ('s', 'Named', 1)")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		bad := slices.Clone(good)
		for range 1 + rng.IntN(6) {
			at := rng.IntN(len(bad))
			if rng.IntN(2) == 0 { // the headers of pages
				at = at/4096*4096 + rng.IntN(120)
			}
			bad[at%len(bad)] = byte(rng.IntN(256))
		}
		if n%7 == 0 {
			bad = bad[:rng.IntN(len(bad))]
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		h := p.open()
		_ = p.recent(h, 10)
		_ = p.search(h, "the")
		if _, err := h.Titles(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.close(h)
		if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, bad) {
			t.Fatalf("case %d: the file was changed (%v)", n, err)
		}
	}
}
