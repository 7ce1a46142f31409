package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Keep replaces what is kept of the files of records and forgets all that is
// kept of those of gone. It reads what it changes in the same transaction: what
// other processes keep of the same directory meanwhile stays.
func (x *Index) Keep(ctx context.Context, records []catalog.Record, gone []string) error {
	changes := make([]change, 0, len(records)+len(gone))
	for i := range records {
		dir, name := split(records[i].Path)
		changes = append(changes, change{dir, name, &records[i]})
	}
	for _, path := range gone {
		dir, name := split(path)
		changes = append(changes, change{dir, name, nil})
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(strings.Compare(a.dir, b.dir), strings.Compare(a.name, b.name))
	})
	return x.use(ctx, func(conn *sqlite.Conn) error {
		if _, err := pragma(conn, smallCache); err != nil {
			return err
		}
		defer func() { _, _ = pragma(conn, usualCache) }() // it is only slower
		return transact(conn, func() error {
			for rest := changes; len(rest) > 0; {
				n := 1
				for n < len(rest) && rest[n].dir == rest[0].dir {
					n++
				}
				if err := keepDir(conn, rest[0].dir, rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			for _, path := range gone {
				if err := forget(conn, path); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// A change is what becomes of the record of a file: another one, or none.
type change struct {
	dir, name string
	record    *catalog.Record // nil for none
}

// split splits a path at its last slash.
func split(path string) (dir, name string) {
	at := strings.LastIndexByte(path, '/')
	return path[:max(at, 0)], path[at+1:]
}

// A bundleRow is a row of bundles, without its data.
type bundleRow struct {
	id    int64
	first string
}

// keepDir changes records of one directory, in the order of their names.
func keepDir(conn *sqlite.Conn, dir string, changes []change) error {
	var rows []bundleRow
	err := sqlitex.Execute(conn, "SELECT id, first FROM bundles WHERE dir = ? ORDER BY first", &sqlitex.ExecOptions{
		Args: []any{dir}, ResultFunc: func(s *sqlite.Stmt) error {
			rows = append(rows, bundleRow{s.ColumnInt64(0), s.ColumnText(1)})
			return nil
		}})
	if err != nil {
		return err
	}
	for len(changes) > 0 {
		// The row that the next one is of, and all others of that row.
		at, found := slices.BinarySearchFunc(rows, changes[0].name, func(r bundleRow, name string) int { return strings.Compare(r.first, name) })
		if !found {
			at--
		}
		n := len(changes)
		if at+1 < len(rows) {
			n, _ = slices.BinarySearchFunc(changes, rows[at+1].first, func(c change, name string) int { return strings.Compare(c.name, name) })
		}
		row := bundleRow{}
		if at >= 0 {
			row = rows[at]
		}
		if err := keepRow(conn, dir, row, changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// keepRow changes records of one row, which is not there yet when it has no id.
func keepRow(conn *sqlite.Conn, dir string, row bundleRow, changes []change) error {
	var old catalog.Bundle
	if row.id != 0 {
		err := sqlitex.Execute(conn, "SELECT data FROM bundles WHERE id = ?", &sqlitex.ExecOptions{
			Args: []any{row.id}, ResultFunc: func(s *sqlite.Stmt) (err error) {
				old, err = unseal(bundleKey(dir, row.first), blob(s, 0, nil))
				return err
			}})
		if err != nil {
			return err
		}
	}
	var records []catalog.Record
	var gone []string
	for _, c := range changes {
		if c.record != nil {
			records = append(records, *c.record)
		} else {
			gone = append(gone, c.name)
		}
	}
	made := catalog.Rebundle(old, records, gone)
	if len(made) == 0 {
		return exec(conn, "DELETE FROM bundles WHERE id = ?", row.id)
	}
	for n, b := range made {
		if n > 0 {
			row = bundleRow{first: b.First()}
		}
		data, err := seal(bundleKey(dir, row.first), b), error(nil)
		if row.id != 0 {
			err = exec(conn, "UPDATE bundles SET data = ? WHERE id = ?", []byte(data), row.id)
		} else {
			err = exec(conn, "INSERT INTO bundles (dir, first, data) VALUES (?, ?, ?)", dir, row.first, []byte(data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forget removes what is kept of a file besides its record.
func forget(conn *sqlite.Conn, path string) error {
	if err := exec(conn, "DELETE FROM offsets WHERE path = ?", path); err != nil {
		return err
	}
	if err := exec(conn, "DELETE FROM tallies WHERE path = ?", path); err != nil {
		return err
	}
	return forgetText(conn, path)
}

// exec runs a statement that returns no rows.
func exec(conn *sqlite.Conn, query string, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
}
