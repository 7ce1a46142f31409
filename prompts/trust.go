package prompts

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// errStrange is the cause when a database that is to be written to has something
// in it that writing would run.
var errStrange = errors.New("it has triggers or tables that no program of prompts makes")

// columns are those that history may have: of this package and xcsh, of omp, and of
// older versions of both. All are as plainSQL leaves them.
var columns = []string{
	"id integer primary key autoincrement",
	"prompt text not null", "prompt text not null unique",
	"created_at integer not null",
	"created_at integer not null default(cast(strftime('%s','now')as integer))",
	"created_at integer not null default(unixepoch())",
	"cwd text", "session_id text", "use_count integer not null default 1",
}

// known is what else is written to, as it must be made.
var known = map[string]string{
	"history_session":     "create table history_session(history_id integer primary key,session_id text not null)",
	"history_fts":         "create virtual table history_fts using fts5(prompt,content='history',content_rowid='id')",
	"history_fts_data":    "create table 'history_fts_data'(id integer primary key,block blob)",
	"history_fts_idx":     "create table 'history_fts_idx'(segid,term,pgno,primary key(segid,term))without rowid",
	"history_fts_docsize": "create table 'history_fts_docsize'(id integer primary key,sz blob)",
	"history_fts_config":  "create table 'history_fts_config'(k primary key,v)without rowid",
	"sqlite_sequence":     "create table sqlite_sequence(name,seq)",
	"history_ai":          "create trigger history_ai after insert on history begin insert into history_fts(rowid,prompt)values(new.id,new.prompt);end",
	"idx":                 "create index idx_history_created_at on history(created_at desc)",
}

// What statements of a schema begin with; the name is that of the table.
var (
	aTable = regexp.MustCompile(`^create table ["'\[` + "`" + `]?(\w+)["'\]` + "`" + `]?\((.*)\)$`)
	anIdx  = regexp.MustCompile(`^create (?:unique )?index \S+ on ["'\[` + "`" + `]?(\w+)["'\]` + "`" + `]?\(`)
	blanks = regexp.MustCompile(`\s+`)
	around = regexp.MustCompile(` ?([(),;]) ?`)
)

// plainSQL returns a statement in small letters and without blanks that mean nothing.
func plainSQL(text string) string {
	text = blanks.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), " ")
	return around.ReplaceAllString(text, "$1")
}

// trusted refuses to write to a database in which writing a prompt would do
// anything but that. What counts is the text of the statements: SQLite runs it,
// whatever the schema calls it. Tables of others that are not written to may be
// there.
func trusted(conn *sqlite.Conn, s shape) error {
	found := map[string]bool{}
	err := sqlitex.ExecuteTransient(conn, "SELECT name, coalesce(sql, '') FROM sqlite_schema", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			name, text := stmt.ColumnText(0), plainSQL(stmt.ColumnText(1))
			switch is, ok := recognize(text); {
			case ok:
				found[is] = true
				return nil
			case text == "" && strings.HasPrefix(name, "sqlite_autoindex_"):
				return nil
			}
			return errStrange
		},
	})
	switch {
	case err != nil:
		return err
	case s.history && !found["history"], s.beside && !found["history_session"], s.index && !found["history_fts"]:
		return errStrange
	}
	for _, part := range []string{"_data", "_idx", "_docsize", "_config"} {
		if s.index && !found["history_fts"+part] {
			return errStrange
		}
	}
	return nil
}

// recognize returns what a statement makes, and whether that may be there.
func recognize(text string) (name string, ok bool) {
	for name, want := range known {
		if text == want {
			return name, true
		}
	}
	if m := anIdx.FindStringSubmatch(text); m != nil {
		return "", !written(m[1])
	}
	m := aTable.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", false
	case m[1] == "history":
		return m[1], !slices.ContainsFunc(members(m[2]), func(column string) bool { return !slices.Contains(columns, column) })
	}
	return "", !written(m[1])
}

// written reports whether prompts are written to a table.
func written(table string) bool { return table == "history" || known[table] != "" }

// members cuts a list at its commas, but not at those in parentheses.
func members(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth == 0
	})
}
