package opencode

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cambium-dev/cambium/internal/foreign/database"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// form is what OpenCode keeps in its database.
var form = database.Form{
	Needed: []database.Table{
		{Name: "session", Columns: []string{"id"}},
		{Name: "message", Columns: []string{"id", "session_id", "data"}},
		{Name: "part", Columns: []string{"id", "message_id", "data"}},
	},
	More:  []string{"todo"},
	Newer: "session_message",
}

// A db is an open database of OpenCode.
type db struct{ *database.DB }

// recent is how far behind the newest session one is that may be at work still, in
// milliseconds: OpenCode changes parts of such a one without saying so in the session.
const recent = 3_600_000

// states calls f with the state of each session, or of the one with an id.
func (d db) states(id string, f func(database.State)) error {
	updated := d.Column("session", "time_updated")
	of := "TRUE"
	if id != "" {
		of = "id = :id"
	}
	perPart := "message_id IN (SELECT id FROM message WHERE session_id = s.id)"
	if d.Has("part", "session_id") {
		perPart = "session_id = s.id"
	}
	newest := func(table, where string) string {
		return "coalesce((SELECT max(" + d.Column(table, "time_updated") + ") FROM " + table + " WHERE " + where + "), 0)"
	}
	query := `WITH s AS (SELECT id, coalesce(` + updated + `, 0) AS u FROM session WHERE ` + of + `)
		SELECT s.id,
			(SELECT count(*) FROM message WHERE session_id = s.id) + (SELECT count(*) FROM part WHERE ` + perPart + `),
			CASE WHEN s.u >= (SELECT max(` + updated + `) FROM session) - :recent THEN
				max(s.u, ` + newest("message", "session_id = s.id") + `, ` + newest("part", perPart) + `)
			ELSE s.u END
		FROM s`
	named := map[string]any{":recent": int64(recent)}
	if id != "" {
		named[":id"] = id
	}
	seen := map[string]bool{}
	read := func(query string) error {
		return sqlitex.ExecuteTransient(d.Conn, query, &sqlitex.ExecOptions{Named: named, ResultFunc: func(s *sqlite.Stmt) error {
			if is := s.ColumnText(0); database.Valid(is) && !seen[is] {
				seen[is] = true
				f(database.State{ID: is, Count: s.ColumnInt64(1), Updated: s.ColumnInt64(2)})
			}
			return d.Add(100)
		}})
	}
	err := read(query)
	if !database.Broken(err) {
		return err
	}
	// Where pages are broken, those that can be found still are.
	delete(named, ":recent")
	err = read("SELECT id, 0, " + updated + " FROM session NOT INDEXED WHERE " + of)
	if database.Broken(err) && len(seen) > 0 {
		return nil
	}
	return err
}

// session reads all of a session.
func (d db) session(id string) (*stored, error) {
	out := &stored{id: id, fields: map[string]database.Field{}}
	found := false
	err := sqlitex.Execute(d.Conn, "SELECT * FROM session WHERE id = :id", &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			found = true
			for n := range s.ColumnCount() {
				if err := d.Add(s.ColumnLen(n)); err != nil {
					return err
				}
				out.fields[s.ColumnName(n)] = database.Column(s, n)
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fs.ErrNotExist
	}
	messages := "SELECT id, '' AS message_id, data, " + d.Column("message", "time_created") + " FROM message %s WHERE session_id = :id ORDER BY %s"
	if out.messages, err = d.rows(out, messages, id); err != nil {
		return nil, err
	}
	of := "message_id IN (SELECT id FROM message WHERE session_id = :id)"
	if d.Has("part", "session_id") {
		of = "session_id = :id"
	}
	parts := "SELECT id, message_id, data, " + d.Column("part", "time_created") + " FROM part %s WHERE " + of + " ORDER BY %s"
	if out.parts, err = d.rows(out, parts, id); err != nil {
		return nil, err
	}
	if len(out.messages) == 0 && d.Has("session_message", "session_id") {
		newer := false
		err := sqlitex.Execute(d.Conn, "SELECT 1 FROM session_message WHERE session_id = :id LIMIT 1", &sqlitex.ExecOptions{
			Named: map[string]any{":id": id}, ResultFunc: func(*sqlite.Stmt) error { newer = true; return nil },
		})
		if err == nil && newer {
			return nil, fmt.Errorf("%w: the messages of session %s are in the table session_message", database.ErrNewer, id)
		}
	}
	return out, d.todos(out, id)
}

// rows reads rows in the order of their ids. Where the index is broken, or pages of the table
// are, it reads what can be read, and what is wrong is noted.
func (d db) rows(out *stored, query, id string) ([]row, error) {
	var all []row
	read := func(index, order string) error {
		return sqlitex.Execute(d.Conn, fmt.Sprintf(query, index, order), &sqlitex.ExecOptions{
			Named: map[string]any{":id": id},
			ResultFunc: func(s *sqlite.Stmt) error {
				data, text := database.Bytes(s, 2)
				if err := d.Add(len(data) + 100); err != nil {
					return err
				}
				all = append(all, row{id: s.ColumnText(0), message: s.ColumnText(1), data: data, blob: !text, created: s.ColumnInt64(3)})
				return nil
			},
		})
	}
	err := read("", "+id")
	if err == nil || !database.Broken(err) {
		return all, err
	}
	out.wrong = append(out.wrong, err.Error())
	for _, order := range []string{"rowid", "rowid DESC"} {
		if err := read("NOT INDEXED", order); err != nil && !database.Broken(err) {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.message, b.message)) })
	return slices.CompactFunc(all, func(a, b row) bool { return a.id == b.id && a.message == b.message }), nil
}

// todos reads the list of what is to be done.
func (d db) todos(out *stored, id string) error {
	if !d.Has("todo", "session_id") {
		return nil
	}
	order := d.Column("todo", "position")
	err := sqlitex.Execute(d.Conn, "SELECT * FROM todo WHERE session_id = :id ORDER BY "+order, &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			var fields []database.Field
			for n := range s.ColumnCount() {
				if s.ColumnName(n) != "session_id" {
					fields = append(fields, database.Column(s, n))
				}
			}
			out.todos = append(out.todos, fields)
			return d.Add(100)
		},
	})
	if database.Broken(err) {
		out.wrong = append(out.wrong, err.Error())
		return nil
	}
	return err
}
