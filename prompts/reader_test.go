package prompts_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/prompts"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The test binary is another program, too: with this variable set it writes
// pairs of prompts to the database of that name until its input ends.
const writerVariable = "CAMBIUM_RECALL_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		if err := writePairs(path, os.Getenv("CAMBIUM_RECALL_TEST_MODE")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	scratch.InMemory()
	scratch.CollectSeldom()
	os.Exit(m.Run())
}

func writePairs(path, mode string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, s := range []string{"PRAGMA journal_mode = " + mode, "PRAGMA synchronous = OFF", "PRAGMA wal_autocheckpoint = 3"} {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			return err
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		ended <- err
	}()
	for i := 0; ; i++ {
		select {
		case err := <-ended:
			return err
		default:
		}
		one := fmt.Sprintf("INSERT OR REPLACE INTO history(id, prompt, created_at) VALUES (%d, 'left %d', 1), (%d, 'right %d', 1)",
			i%50*2+1, i, i%50*2+2, i)
		if err := sqlitex.ExecuteTransient(conn, one, nil); err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("begun")
		}
	}
}

// TestWhileAnotherWrites reads a database that another process writes as fast
// as it can: what is found is always of one moment.
func TestWhileAnotherWrites(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE", "TRUNCATE"} {
		t.Run(mode, func(t *testing.T) {
			p := newPlace(t)
			path := p.omp()
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{writerVariable + "=" + path, "CAMBIUM_RECALL_TEST_MODE=" + mode, "GORACE=atexit_sleep_ms=0"}
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			h := p.open()
			read := 0
			for n := 0; n < 30 || mode == "WAL" && read == 0; n++ {
				if pairs(t, p.recent(h, 1000)) {
					read++
				}
			}
			_ = in.Close() // that ends it
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if !pairs(t, p.recent(h, 1000)) {
				t.Error("nothing is found afterwards")
			}
			for _, told := range p.troubles() {
				if !strings.Contains(told, "another program does not stop writing it") {
					t.Errorf("told %q", told)
				}
			}
		})
	}
}

// pairs checks that every prompt is there with its other half.
func pairs(t *testing.T, all []string) bool {
	t.Helper()
	half := map[string]int{}
	for _, text := range all {
		side, n, _ := strings.Cut(text, " ")
		half[n] += map[string]int{"left": 1, "right": 2}[side]
	}
	for n, sides := range half {
		if sides != 3 {
			t.Errorf("half a transaction: %q has %d", n, sides)
		}
	}
	return len(all) > 0
}

// state is what can be seen of a directory without reading of it being seen.
func state(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stamp, err := scratch.Stamp(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano(), stamp)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&all, "%x\n", data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// crashed copies a database with all that lies beside it, as if the machine had
// stopped at this moment.
func crashed(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(from + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+suffix, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLookingChangesNothing reads databases in every state that SQLite leaves
// them in, and looks at the directory afterwards.
func TestLookingChangesNothing(t *testing.T) {
	states := map[string]struct {
		before []string // each a statement on the open database, which is then copied
		files  []string
		want   []string
	}{
		"closed":                   {nil, []string{""}, []string{"first"}},
		"with a log":               {[]string{"INSERT INTO history VALUES (2, 'second', 6, '', '')"}, []string{"", "-wal"}, []string{"second", "first"}},
		"with a transaction begun": {[]string{"BEGIN", "INSERT INTO history VALUES (2, 'second', 6, '', '')"}, []string{""}, []string{"first"}},
		"with an empty log": {[]string{"INSERT INTO history VALUES (2, 'second', 6, '', '')", "PRAGMA wal_checkpoint(TRUNCATE)"},
			[]string{"", "-wal"}, []string{"second", "first"}},
		"with a log behind it": {[]string{"INSERT INTO history VALUES (2, 'second', 6, '', '')", "PRAGMA wal_checkpoint(FULL)"},
			[]string{"", "-wal"}, []string{"second", "first"}},
		"with a journal that is hot": {[]string{"PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN", "UPDATE history SET prompt = 'never said'",
			"INSERT INTO history SELECT value, hex(randomblob(300)), 9, '', '' FROM generate_series(10, 400)"},
			[]string{"", "-journal"}, []string{"first"}},
	}
	for name, c := range states {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			made := p.omp("INSERT INTO history VALUES (1, 'first', 5, '', '')", "INSERT INTO session_titles VALUES ('s', 'Named', 1)")
			conn := connect(t, made)
			defer conn.Close()
			for _, s := range c.before {
				s = strings.Replace(s, "SELECT value, hex(randomblob(300)), 9, '', '' FROM generate_series(10, 400)",
					"WITH RECURSIVE n(value) AS (SELECT 10 UNION ALL SELECT value+1 FROM n WHERE value < 400) SELECT value, hex(randomblob(300)), 9, '', '' FROM n", 1)
				if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			dir := filepath.Join(p.dir, "theirs")
			path := filepath.Join(dir, "history.db")
			crashed(t, made, path)
			for _, suffix := range c.files {
				if _, err := os.Stat(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			p.o.Others[0].Path = path
			before := state(t, dir)
			h := p.open()
			for range 2 {
				p.same("recent", c.want, p.recent(h, 10))
				p.same("search", []string{"first"}, p.search(h, "irs"))
				if titles, err := h.Titles(t.Context()); err != nil || titles["s"] != "Named" {
					t.Errorf("titles %q, %v", titles, err)
				}
			}
			p.close(h)
			if after := state(t, dir); after != before {
				t.Error("looking changed something")
			}
			if left, err := os.ReadDir(p.o.Temp); err != nil || len(left) > 0 {
				t.Errorf("left in the folder for copies: %v, %v", left, err)
			}
			p.untroubled()
		})
	}
}

// TestFollowsWhatOthersAdd reads again what changed since the last time.
func TestFollowsWhatOthersAdd(t *testing.T) {
	p := newPlace(t)
	path := p.omp()
	h := p.open()
	p.same("none", nil, p.recent(h, 10))
	var want []string
	for i := range 5 {
		sql(t, path, fmt.Sprintf("INSERT INTO history(prompt, created_at) VALUES ('prompt %d', %d)", i, i))
		want = append([]string{fmt.Sprintf("prompt %d", i)}, want...)
		p.same("recent", want, p.recent(h, 10))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.same("gone", nil, p.recent(h, 10))
	p.untroubled()
}

func TestOthersThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string) error
		told string
	}{
		"garbage": {func(_ *testing.T, path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("garbage ", 1000)), 0o600)
		}, "not an SQLite database"},
		"directory": {func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"pipe":      {func(_ *testing.T, path string) error { return scratch.Mkfifo(path, 0o600) }, "not a regular file"},
		"foreign": {func(t *testing.T, path string) error {
			sql(t, path, "CREATE TABLE accounts (x)")
			return nil
		}, "it is a database, but not of prompts"},
		"other columns": {func(t *testing.T, path string) error {
			sql(t, path, "CREATE TABLE history (id, url)")
			return nil
		}, "it is a database, but not of prompts"},
		"damaged": {func(t *testing.T, path string) error {
			sql(t, path, ompSchema...)
			return os.Truncate(path, 5000)
		}, "it is damaged"},
		"a loop": {func(_ *testing.T, path string) error { return os.Symlink(path, path) }, ""},
		"empty":  {func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) }, "-"},
		"nothing in it": {func(t *testing.T, path string) error {
			sql(t, path, "PRAGMA user_version = 1")
			return nil
		}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.omp("INSERT INTO history VALUES (1, 'there', 5, '', '')")
			path := filepath.Join(p.dir, "bad.db")
			if err := c.make(t, path); err != nil {
				t.Fatal(err)
			}
			p.o.Others = append([]prompts.Source{{Agent: "xcsh", Path: path}}, p.o.Others...)
			h := p.open()
			p.same("recent", []string{"there"}, p.recent(h, 10))
			p.same("search", []string{"there"}, p.search(h, "the"))
			told := p.troubles()
			if c.told == "-" {
				if len(told) > 0 {
					t.Errorf("told %q", told)
				}
				return
			}
			want := `read prompts "DIR/bad.db": ` + c.told
			if len(told) != 1 || !strings.HasPrefix(told[0], want) || !strings.HasSuffix(told[0], "; its prompts are left out") {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}

// TestStrangeValues reads what the columns should not hold.
func TestStrangeValues(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.dir, "x.db")
	sql(t, path, "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt, created_at, cwd)",
		"INSERT INTO history VALUES (1, 'max', 9223372036854775807, NULL), (2, 'min', -9223372036854775808, x'ff00'), (3, x'00ff', 0, ''), "+
			"(4, NULL, 'text', ''), (5, 'real', 1e30, 7), (6, 'now', 1771237230, '')")
	p.o.Others = []prompts.Source{{Path: path}}
	all, err := p.open().Recent(t.Context(), 10)
	if err != nil || len(all) != 6 || all[0].Text != "now" {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, p := range all[1:] {
		if p.Created.Unix() != 0 {
			t.Errorf("%q: created %v", p.Text, p.Created)
		}
	}
	p.same("search", []string{"max", "min"}, p.search(p.open(), "m"))
	p.untroubled()
}

// TestWithoutIndex reads databases whose full text index is missing or broken.
func TestWithoutIndex(t *testing.T) {
	for _, damage := range []string{"DROP TABLE history_fts", "DELETE FROM history_fts_data"} {
		p := newPlace(t)
		p.omp("INSERT INTO history VALUES (1, 'git commit', 5, '', ''), (2, 'git push', 6, '', '')", damage)
		p.same(damage, []string{"git push", "git commit"}, p.search(p.open(), "git"))
		p.same(damage, []string{"git commit"}, p.search(p.open(), "comm"))
		p.untroubled()
	}
}

// TestOwnSetAside damages the own database in many ways: reading passes it by,
// and the next prompt begins it anew with what can be read of it.
func TestOwnSetAside(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		told   string
		kept   []string
	}{
		"garbage": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("garbage ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not an SQLite database", nil},
		"foreign": {func(t *testing.T, path string) {
			sql(t, path, "DROP TRIGGER history_ai", "DROP TABLE history", "DROP TABLE history_fts", "CREATE TABLE accounts (x)")
		}, "it is a database, but not of prompts", nil},
		"index broken": {func(t *testing.T, path string) {
			sql(t, path, "UPDATE history_fts_data SET block = x'00ff00ff'")
		}, "it is damaged", []string{"two", "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			h := p.open()
			h.Add("one", "/w", "")
			h.Add("two", "/w", "")
			p.close(h)
			c.damage(t, p.o.Own.Path)
			before := state(t, p.dir)
			p.recent(p.open(), 10)
			if state(t, p.dir) != before {
				t.Error("looking changed something")
			}
			p.troubles()
			h = p.open()
			h.Add("three", "", "")
			p.close(h)
			p.same("afterwards", append([]string{"three"}, c.kept...), p.recent(p.open(), 10))
			p.same("found", []string{"three"}, p.search(p.open(), "thr"))
			told := strings.Join(p.troubles(), "\n")
			want := `keep prompts "DIR/own/history.db": ` + c.told + `; it is kept as "DIR/own/history.db.damaged-1", and a new one begun`
			if !strings.Contains(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
			if _, err := os.Stat(p.o.Own.Path + ".damaged-1"); err != nil {
				t.Error(err)
			}
		})
	}
}
