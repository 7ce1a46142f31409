package prompts

import (
	"cmp"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// An ask is what is wanted of a database.
type ask struct {
	search bool
	query  string
	last   bool   // by number, not by time
	cwd    string // "" for all
	limit  int
}

// A row is a prompt as a database has it.
type row struct {
	ID      int64
	Text    string
	Created int64 // seconds since 1970
	CWD     string
	Session string
	Uses    int64
}

// rows are in order: newest first.
type rows []row

func (all rows) of(agent string) []Prompt {
	found := make([]Prompt, 0, len(all))
	for _, r := range all {
		found = append(found, Prompt{
			ID: r.ID, Text: r.Text, Created: moment(r.Created), CWD: r.CWD, SessionID: r.Session, Agent: agent, Uses: max(r.Uses, 1),
		})
	}
	return found
}

// moment returns a time of a database; what no date of JavaScript can be is the
// beginning of 1970.
func moment(seconds int64) time.Time {
	const latest = 8_640_000_000_000
	if seconds < -latest || seconds > latest {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC()
}

// A shape is what a database has beside prompt and created_at.
type shape struct {
	history bool // the table of prompts
	session bool // its column session_id, as omp has it
	beside  bool // our table history_session
	index   bool // history_fts
	uses    bool // its column use_count
	titles  bool // session_titles
	recaps  bool // session_recaps
	strange bool // tables, but none of these
}

// A database is an open one that is to be read.
type database struct {
	conn  *sqlite.Conn
	shape shape
}

// shapeOf looks what a database has. ErrForeign: it is none of prompts.
func shapeOf(conn *sqlite.Conn) (shape, error) {
	var s shape
	err := sqlitex.ExecuteTransient(conn, "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema WHERE type = 'table'", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			name := stmt.ColumnText(0)
			if stmt.ColumnBool(1) && name != "history_fts" {
				name = "" // what it holds may be made up, without end
			}
			switch name {
			case "history":
				s.history = true
			case "history_session":
				s.beside = true
			case "history_fts":
				s.index = true
			case "session_titles":
				s.titles = true
			case "session_recaps":
				s.recaps = true
			default:
				s.strange = true
			}
			return nil
		},
	})
	if err != nil || !s.history {
		if err == nil && s.strange && !s.titles && !s.recaps {
			err = ErrForeign
		}
		return s, err
	}
	var columns []string
	err = sqlitex.ExecuteTransient(conn, "SELECT name FROM pragma_table_info('history')", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			columns = append(columns, stmt.ColumnText(0))
			return nil
		},
	})
	if err != nil {
		return s, err
	}
	for _, name := range []string{"id", "prompt", "created_at", "cwd"} {
		if !slices.Contains(columns, name) {
			return s, ErrForeign
		}
	}
	s.session, s.uses = slices.Contains(columns, "session_id"), slices.Contains(columns, "use_count")
	return s, nil
}

// sessions returns the expression for the session of a prompt h, and what has to
// be joined for it.
func (s shape) sessions() (column, join string) {
	const beside = " LEFT JOIN history_session s ON s.history_id = h.id"
	switch {
	case s.session && s.beside: // omp took the database for its own
		return "COALESCE(h.session_id, s.session_id)", beside
	case s.session:
		return "h.session_id", ""
	case s.beside:
		return "s.session_id", beside
	}
	return "NULL", ""
}

// find answers, in the way of a database with Parts or without.
func (d *database) find(a ask, inParts bool) (rows, error) {
	switch {
	case !d.shape.history || a.limit == 0:
		return nil, nil
	case !a.search:
		return d.collect("", a, nil, nil)
	case !inParts:
		return d.begin(words(a.query), a)
	}
	pieces := parts(a.query)
	found, err := d.begin(pieces, a)
	if err != nil || len(pieces) == 0 {
		return found, err
	}
	more, err := d.collect("instr(lower(h.prompt), :part) > 0", a, map[string]any{":part": longest(pieces)},
		func(r row) bool { return holds(r.Text, pieces) })
	if err != nil {
		return nil, err
	}
	return union(found, more, a.limit), nil
}

// begin finds the prompts in which each piece begins a word, by the index; a
// database that has none, or a broken one, gets one in memory.
func (d *database) begin(pieces []string, a ask) (rows, error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	args := map[string]any{":match": match(pieces)}
	const where = "h.id IN (SELECT rowid FROM history_fts WHERE history_fts MATCH :match)"
	if d.shape.index {
		found, err := d.collect(where, a, args, nil)
		if code := sqlite.ErrCode(err).ToPrimary(); err == nil || code == sqlite.ResultInterrupt {
			return found, err
		}
	}
	all, err := d.collect("", ask{limit: -1}, nil, nil)
	if err != nil {
		return nil, err
	}
	m, err := inMemory(all)
	if err != nil {
		return nil, err
	}
	defer m.conn.Close()
	found, err := m.collect(where, a, args, nil)
	if d.shape.uses {
		uses := map[int64]int64{}
		for _, r := range all {
			uses[r.ID] = r.Uses
		}
		for i := range found {
			found[i].Uses = uses[found[i].ID]
		}
	}
	return found, err
}

// collect returns the newest prompts that fulfil a condition and are kept by
// keep, as many as a asks for.
func (d *database) collect(where string, a ask, args map[string]any, keep func(row) bool) (found rows, err error) {
	named := map[string]any{}
	for name, v := range args {
		named[name] = v
	}
	session, join := d.shape.sessions()
	order := "h.created_at DESC, h.id DESC"
	if a.last {
		order = "h.id DESC"
	}
	if where == "" {
		where = "TRUE"
	}
	if a.cwd != "" {
		where += " AND h.cwd = :cwd"
		named[":cwd"] = a.cwd
	}
	uses := "1"
	if d.shape.uses {
		uses = "h.use_count"
	}
	query := "SELECT h.id, h.prompt, h.created_at, h.cwd, " + session + ", " + uses + " FROM history h" + join + " WHERE " + where + " ORDER BY " + order
	if keep == nil && a.limit > 0 {
		query += " LIMIT :limit"
		named[":limit"] = a.limit
	}
	stmt, err := d.conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	defer stmt.Reset() // its error is that of Step
	if err := bind(stmt, named); err != nil {
		return nil, err
	}
	for size := 0; ; {
		more, err := stmt.Step()
		if err != nil || !more || a.limit > 0 && len(found) == a.limit {
			return found, err
		}
		r := row{
			ID: stmt.ColumnInt64(0), Text: stmt.ColumnText(1), Created: stmt.ColumnInt64(2),
			CWD: stmt.ColumnText(3), Session: stmt.ColumnText(4), Uses: stmt.ColumnInt64(5),
		}
		if keep == nil || keep(r) {
			found = append(found, r)
			if size += aRow + len(r.Text) + len(r.CWD) + len(r.Session); size > maxFound {
				return nil, errLarge
			}
		}
	}
}

// aRow is what a prompt takes beside its texts.
const aRow = 100

// bind sets the parameters of a statement; values are strings and ints.
func bind(stmt *sqlite.Stmt, args map[string]any) error {
	if err := stmt.ClearBindings(); err != nil {
		return err
	}
	for name, v := range args {
		switch v := v.(type) {
		case string:
			stmt.SetText(name, v)
		case int:
			stmt.SetInt64(name, int64(v))
		}
	}
	return nil
}

// union puts the rows of both, each once, in order.
func union(x, y rows, limit int) rows {
	seen := map[int64]bool{}
	var all rows
	for _, r := range slices.Concat(x, y) {
		if !seen[r.ID] {
			seen[r.ID] = true
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), limit)]
}
