package prompts_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const endlessInsert = " BEGIN INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT zeroblob(4000) FROM n; END"

// TestForgedHistory: a database of one's own in which adding a prompt would run
// what somebody wrote there is kept aside and begun anew, with its prompts.
func TestForgedHistory(t *testing.T) {
	forge := func(sql string) []string {
		return []string{"PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = " + sql}
	}
	for name, statements := range map[string][]string{
		"a trigger":                {"CREATE TABLE filler (x)", "CREATE TRIGGER evil AFTER INSERT ON history" + endlessInsert},
		"another for the known":    {"CREATE TABLE filler (x)", "DROP TRIGGER history_ai", "CREATE TRIGGER history_ai AFTER INSERT ON history" + endlessInsert},
		"one on the other table":   {"CREATE TABLE filler (x)", "CREATE TABLE history_session (history_id INTEGER PRIMARY KEY, session_id TEXT NOT NULL)", "CREATE TRIGGER evil AFTER INSERT ON history_session" + endlessInsert},
		"a view for a table":       {"CREATE VIEW history_session AS SELECT 1 AS history_id, '' AS session_id"},
		"an index of expressions":  {"CREATE INDEX evil ON history(hex(zeroblob(1000000)))"},
		"a made up column":         {"ALTER TABLE history ADD COLUMN more AS (hex(zeroblob(1000000)))"},
		"a condition":              {"CREATE TABLE history_session (history_id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, CHECK (length(hex(zeroblob(1000000))) > 0))"},
		"a comment in the words":   append([]string{"CREATE TABLE filler (x)", "CREATE TRIGGER evil AFTER INSERT ON history" + endlessInsert}, forge("replace(sql, 'CREATE TRIGGER evil', 'CREATE/**/TRIGGER evil') WHERE name = 'evil'")...),
		"a table that is another":  forge("'CREATE TABLE history_fts_data(id INTEGER PRIMARY KEY, block BLOB CHECK (length(hex(zeroblob(1000000))) > 0))' WHERE name = 'history_fts_data'"),
		"another name for history": forge("replace(sql, 'history (', '\"HISTORY\" (more DEFAULT (hex(zeroblob(1000000))), ') WHERE name = 'history'"),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			h := p.open()
			h.Add("one", "/w", "")
			p.close(h)
			sql(t, p.o.Own.Path, statements...)
			h = p.open()
			h.Add("two", "/w", "session")
			p.close(h)
			h = p.open()
			if all := p.recent(h, 10); !slices.Contains(all, "two") {
				t.Errorf("afterwards there are %q", all)
			}
			if told := strings.Join(p.troubles(), "\n"); !strings.Contains(told, `it is kept as "DIR/own/history.db.damaged-1"`) {
				t.Errorf("told %q", told)
			}
			if info, err := os.Stat(p.o.Own.Path); err != nil || info.Size() > 1<<20 {
				t.Errorf("it is %v, %v", info, err)
			}
		})
	}
}

// TestWritesToOmp: a database that omp made, of any version, is written to as it is.
func TestWritesToOmp(t *testing.T) {
	for name, more := range map[string][]string{
		"now":           nil,
		"newer":         {"ALTER TABLE history ADD COLUMN use_count INTEGER NOT NULL DEFAULT 1", "CREATE TABLE session_recaps (id INTEGER PRIMARY KEY, session_id TEXT, cwd TEXT, recap TEXT, created_at INTEGER)", "CREATE INDEX idx_recaps ON session_recaps(created_at DESC)"},
		"analyzed":      {"INSERT INTO history VALUES (1, 'x', 1, '', '')", "ANALYZE"},
		"without index": {"DROP TRIGGER history_ai", "DROP TABLE history_fts"},
	} {
		p := newPlace(t)
		path := p.omp(more...)
		p.o.Own.Path, p.o.Others = path, nil
		h := p.open()
		h.Add("two words", "/w", "session")
		p.close(h)
		p.same(name, []string{"two words"}, p.search(p.open(), "words"))
		if told := p.troubles(); len(told) > 0 {
			t.Errorf("%s: told %q", name, told)
		}
	}
}
