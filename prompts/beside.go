package prompts

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// titles adds the names that the database gives to sessions.
func (d *database) titles(all map[string]string) error {
	if !d.shape.titles {
		return nil
	}
	size := 0
	return sqlitex.Execute(d.conn, "SELECT session_id, title FROM session_titles", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			if size += aRow + stmt.ColumnLen(0) + stmt.ColumnLen(1); size > maxFound {
				return errLarge
			}
			if id := stmt.ColumnText(0); all[id] == "" {
				all[id] = stmt.ColumnText(1)
			}
			return nil
		},
	})
}

// recaps adds the last recap of each session.
func (d *database) recaps(all map[string]Recap) error {
	if !d.shape.recaps {
		return nil
	}
	size := 0
	return sqlitex.Execute(d.conn, "SELECT session_id, recap, cwd, created_at FROM session_recaps", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			id, r := stmt.ColumnText(0), Recap{Text: stmt.ColumnText(1), CWD: stmt.ColumnText(2), Created: moment(stmt.ColumnInt64(3))}
			if size += aRow + len(id) + len(r.Text) + len(r.CWD); size > maxFound {
				return errLarge
			}
			if !r.Created.Before(all[id].Created) { // in one second, the one written later
				all[id] = r
			}
			return nil
		},
	})
}
