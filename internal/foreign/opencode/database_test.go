package opencode_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"zombiezen.com/go/sqlite/sqlitex"
)

// beside returns the names beside the database.
func (h *house) beside() (names []string) {
	h.t.Helper()
	list, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, is := range list {
		names = append(names, is.Name())
	}
	return names
}

// surveyed returns what a survey of a directory tells.
func surveyed(t testing.TB, p foreign.Program, dir string) map[string]vfs.Found {
	t.Helper()
	var roll vfs.Roll
	if err := p.Survey(context.Background(), vfs.OS(), dir, &roll); err != nil {
		t.Fatal(err)
	}
	all := map[string]vfs.Found{}
	for n := range roll.Len() {
		f := *roll.At(n)
		is, err := p.Stat(context.Background(), vfs.OS(), filepath.Join(dir, string(roll.Name(n))))
		if err != nil || is.Size != f.Size || is.ModTime != f.ModTime || is.Ino != f.Ino || is.Dev != f.Dev || !is.Mode.IsRegular() {
			t.Errorf("stat of %s is %+v, %v; the survey said %+v", roll.Name(n), is, err, f)
		}
		plain := vfs.Found{Dev: f.Dev, Ino: f.Ino, Size: f.Size, ModTime: f.ModTime, Mode: f.Mode}
		all[string(roll.Name(n))] = plain
	}
	return all
}

// TestFolders finds the database and the folders of the older form where the environment says
// that they are.
func TestFolders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := opencode.New()
	unread := func(dir string, err error) { t.Errorf("%s: %v", dir, err) }
	if dirs := p.Folders(context.Background(), vfs.OS(), h.env, unread); len(dirs) != 0 {
		t.Errorf("an empty home has %v", dirs)
	}
	h.withDatabase()
	old := filepath.Join(filepath.Dir(h.path), "storage", "session", "global")
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	want := []string{h.path, old}
	if dirs := p.Folders(context.Background(), vfs.OS(), h.env, unread); !slices.Equal(dirs, want) {
		t.Errorf("folders are %v, want %v", dirs, want)
	}
	moved := layout.Env{Home: "/nowhere", Getenv: func(name string) string {
		return map[string]string{"XDG_DATA_HOME": filepath.Dir(filepath.Dir(h.path))}[name]
	}}
	if dirs := p.Folders(context.Background(), vfs.OS(), moved, unread); !slices.Equal(dirs, want) {
		t.Errorf("folders are %v, want %v", dirs, want)
	}
	for name, want := range map[string]bool{
		h.name("ses_a"): true, filepath.Join(old, "ses_a.jsonl"): true, filepath.Join(h.path, "a", "b.jsonl"): false,
		h.path: false, filepath.Join(filepath.Dir(h.path), "other.db", "a.jsonl"): false, "/ses_a.jsonl": false,
	} {
		if got := p.Owns(name, h.env); got != want {
			t.Errorf("owns %s: %v", name, got)
		}
	}
	if p.Owns("/.local/share/opencode/opencode.db/a.jsonl", layout.Env{}) {
		t.Error("a home that is not known owns something")
	}
}

// TestStateFollowsSession changes a session in each way in which OpenCode does, and asks that
// its state changes, and that of no other.
func TestStateFollowsSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withDatabase()
	a := h.load(file(t, samples(t)[0]))
	b := h.load(file(t, samples(t)[1]))
	p := opencode.New()
	before := surveyed(t, p, h.path)
	if len(before) != 2 || before[a+".jsonl"].Ino == before[b+".jsonl"].Ino {
		t.Fatalf("the survey tells %+v", before)
	}
	for _, change := range []string{
		"UPDATE session SET title = 'x', time_updated = time_updated + 100000000 WHERE id = '" + a + "'",
		"INSERT INTO message VALUES ('msg_z', '" + a + "', 1, 1, '{}')",
		"INSERT INTO part VALUES ('prt_z', 'msg_z', '" + a + "', 1, 1, '{}')",
		"UPDATE part SET data = '{\"type\":\"text\"}', time_updated = 1895396550605 WHERE id = 'prt_z'",
		"DELETE FROM message WHERE id = 'msg_z'",
	} {
		h.exec(change)
		after := surveyed(t, p, h.path)
		if after[a+".jsonl"] == before[a+".jsonl"] {
			t.Errorf("%s: the state stays %+v", change, after[a+".jsonl"])
		}
		if after[b+".jsonl"] != before[b+".jsonl"] {
			t.Errorf("%s: the other one changed: %+v, %+v", change, before[b+".jsonl"], after[b+".jsonl"])
		}
		before = after
	}
}

// TestReadBesideWriter reads while OpenCode has the database open: what it wrote is in the log
// only, more comes, and it goes into the database. Nothing is written, and OpenCode is not kept
// waiting.
func TestReadBesideWriter(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withDatabase()
	conn := h.conn()
	defer conn.Close()
	run := func(query string) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
			t.Fatal(err)
		}
	}
	run("PRAGMA journal_mode = wal")
	run("PRAGMA wal_autocheckpoint = 0")
	p := opencode.New()
	for n, path := range samples(t) {
		id, err := load(conn, file(t, path))
		if err != nil {
			t.Fatal(err)
		}
		switch n % 5 {
		case 3:
			run("PRAGMA wal_checkpoint(PASSIVE)")
		case 4:
			run("PRAGMA wal_checkpoint(TRUNCATE)")
		}
		run("BEGIN IMMEDIATE")
		run("UPDATE session SET title = 'not yet'")
		before := h.beside()
		text, err := read(p, h.name(id))
		if err != nil || strings.Contains(text, "not yet") || strings.Count(text, "\n") < 4 {
			t.Fatalf("%s: %v %.200s", path, err, text)
		}
		if got := surveyed(t, p, h.path); len(got) != n+1 {
			t.Errorf("%d sessions after %d", len(got), n+1)
		}
		if after := h.beside(); !slices.Equal(before, after) {
			t.Errorf("%v became %v", before, after)
		}
		run("ROLLBACK")
	}
}

// TestTornLog reads a log that ends anywhere, as after a crash: what was committed before that
// is there.
func TestTornLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withDatabase()
	conn := h.conn()
	for _, query := range []string{"PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0"} {
		if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
			t.Fatal(err)
		}
	}
	id, err := load(conn, file(t, samples(t)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "UPDATE session SET title = 'renamed'", nil); err != nil {
		t.Fatal(err)
	}
	db, log := file2(t, h.path), file2(t, h.path+"-wal")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for cut := len(log); cut >= 0; cut -= 997 {
		for path, text := range map[string][]byte{h.path: db, h.path + "-wal": log[:cut]} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		settle(t, h.path)
		text, err := h.read(h.name(id))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			seen["none"]++
		case err != nil:
			t.Fatalf("cut at %d: %v", cut, err)
		case strings.Contains(text, `"renamed"`):
			seen["renamed"]++
		default:
			seen["before"]++
		}
	}
	if seen["renamed"] == 0 || seen["before"] == 0 || seen["none"] == 0 {
		t.Errorf("seen: %v", seen)
	}
	flipped := slices.Clone(log)
	flipped[40] ^= 1
	if err := os.WriteFile(h.path+"-wal", flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.read(h.name(id)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log with a wrong sum: %v", err)
	}
}

func file2(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRefusals says of each database that cannot be read why.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(h *house)
		want error
	}{
		"garbage": {func(h *house) { put(h, strings.Repeat("no database", 1000)) }, database.ErrDamaged},
		"empty":   {func(h *house) { put(h, "") }, database.ErrPartial},
		"table": {func(h *house) {
			h.exec("CREATE TABLE session (id text); CREATE TABLE part (id text, message_id text, data text);")
		}, database.ErrPartial},
		"column": {func(h *house) {
			h.exec("CREATE TABLE session (id text); CREATE TABLE message (id text, session_id text); CREATE TABLE part (id text, message_id text, data text);")
		}, database.ErrPartial},
		"newer": {func(h *house) { h.exec("CREATE TABLE session (id text); PRAGMA user_version = 3;") }, database.ErrNewer},
		"second form": {func(h *house) {
			h.exec(schema + "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('ses_a', '', '', '/', '', '', 1, 1); INSERT INTO session_message VALUES ('a', 'ses_a', 'x', 1, 1, 1, '{}');")
		}, database.ErrNewer},
		"unfinished": {func(h *house) {
			h.exec(schema)
			if err := os.WriteFile(h.path+"-journal", []byte("begun"), 0o600); err != nil {
				h.t.Fatal(err)
			}
		}, database.ErrBusy},
		"view": {func(h *house) {
			h.exec("CREATE VIEW session AS SELECT 'ses_a' AS id; CREATE TABLE message (id text, session_id text, data text); CREATE TABLE part (id text, message_id text, data text);")
		}, database.ErrPartial},
		"absent": {func(*house) {}, fs.ErrNotExist},
		"link":   {func(h *house) { _ = os.Mkdir(h.path, 0o700) }, vfs.ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			c.make(h)
			_, err := h.read(h.name("ses_a"))
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			var told *database.Error
			if !errors.Is(c.want, fs.ErrNotExist) && c.want != vfs.ErrNotRegular && (!errors.As(err, &told) || told.Path != h.path) {
				t.Errorf("%v does not name the database", err)
			}
		})
	}
}

func put(h *house, text string) {
	h.t.Helper()
	if err := os.WriteFile(h.path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	settle(h.t, h.path)
}

// settle makes a file older, so that nobody waits to see whether it changes again.
func settle(t testing.TB, path string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
}

// TestHostileSchema reads a database that would do more than hold rows, and runs nothing of it.
func TestHostileSchema(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withDatabase()
	id := h.load(file(t, samples(t)[0]))
	want, err := h.read(h.name(id))
	if err != nil {
		t.Fatal(err)
	}
	h.exec(`CREATE TRIGGER a AFTER INSERT ON part BEGIN DELETE FROM part; END;
		CREATE VIEW todo2 AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
		DROP TABLE todo;
		CREATE VIEW todo AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' AS session_id, i FROM n;`)
	if got, err := h.read(h.name(id)); err != nil || got != want {
		t.Errorf("%v %.300s", err, got)
	}
}

// small returns the bytes of a database with some samples, and an id in it.
func small(t testing.TB) (text []byte, id string) {
	t.Helper()
	h := newHouse(t).withDatabase()
	for _, path := range samples(t) {
		if strings.Contains(path, "tools") || strings.Contains(path, "hand") || strings.Contains(path, "image") {
			id = h.load(file(t, path))
		}
	}
	return file2(t, h.path), id
}

// survives reads all of a database that may be damaged. It asks that reading ends, and that what
// was read is lines that can be read.
func survives(t *testing.T, p foreign.Program, h *house, id string) {
	t.Helper()
	var roll vfs.Roll
	names := map[string]bool{id + ".jsonl": true}
	if err := p.Survey(context.Background(), vfs.OS(), h.path, &roll); err == nil {
		for n := range roll.Len() {
			names[string(roll.Name(n))] = true
		}
	}
	for name := range names {
		text, err := read(p, filepath.Join(h.path, name))
		if err != nil {
			continue
		}
		_, _, damage, err := session.ParseEntries([]byte(text))
		if err != nil || damage.Any() {
			t.Errorf("%s: %v %v", name, err, damage)
		}
	}
}

// TestDamagedPages cuts a database at each page, and changes bytes of it at random.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	whole, id := small(t)
	size := int(binary.BigEndian.Uint16(whole[16:]))
	h := newHouse(t)
	p := opencode.New()
	for cut := 0; cut < len(whole); cut += size {
		put(h, string(whole[:cut]))
		survives(t, p, h, id)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := slices.Clone(whole)
		for range 1 + rng.IntN(8) {
			at := rng.IntN(len(text))
			if rng.IntN(3) == 0 { // the heads of pages say most
				at = at/size*size + rng.IntN(12)
			}
			text[at] = byte(rng.Uint32())
		}
		put(h, string(text))
		survives(t, p, h, id)
	}
}

// TestDamagedRows takes rows away, doubles them and changes what is in them.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	whole, id := small(t)
	rng := rand.New(rand.NewPCG(3, 4))
	p := opencode.New()
	h := newHouse(t)
	for range 60 {
		put(h, string(whole))
		conn := h.conn()
		for range 1 + rng.IntN(4) {
			table := []string{"message", "part", "session"}[rng.IntN(3)]
			column := map[string]string{"message": "data", "part": "data", "session": "revert"}[table]
			query := []string{
				"DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table + " ORDER BY random() LIMIT 3)",
				"UPDATE " + table + " SET " + column + " = CAST(substr(" + column + ", 1, abs(random()) % 200) AS TEXT) WHERE random() % 3 = 0",
				"UPDATE " + table + " SET " + column + " = CAST(" + column + " AS BLOB) WHERE random() % 3 = 0",
				"UPDATE " + table + " SET " + column + " = replace(" + column + ", 'a', x'ff') WHERE random() % 3 = 0",
				"UPDATE " + table + " SET " + column + " = replace(" + column + ", '\"', char(10)) WHERE random() % 3 = 0",
				"UPDATE " + table + " SET " + column + " = '[' || " + column + " || ']' WHERE random() % 3 = 0",
				"UPDATE " + table + " SET " + column + " = '{\"messageID\":\"' || (SELECT id FROM message ORDER BY random() LIMIT 1) || '\"}' WHERE random() % 3 = 0",
				"INSERT OR IGNORE INTO part SELECT id || 'x', message_id, session_id, time_created, time_updated, data FROM part ORDER BY random() LIMIT 5",
				"INSERT OR IGNORE INTO message SELECT id || 'x', session_id, time_created, time_updated, data FROM message ORDER BY random() LIMIT 5",
				"UPDATE message SET time_created = random() WHERE random() % 4 = 0",
			}[rng.IntN(10)]
			if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		settle(t, h.path)
		survives(t, p, h, id)
	}
}
