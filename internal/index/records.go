package index

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/catalog"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Known yields what is kept of every file.
func (x *Index) Known(ctx context.Context) iter.Seq2[catalog.Record, error] {
	return func(yield func(catalog.Record, error) bool) {
		// All are read before any is told, so that a damaged file is built anew
		// first, and who asks may call the index meanwhile.
		packed, err := x.Packed(ctx)
		if err != nil {
			yield(catalog.Record{}, err)
			return
		}
		for _, b := range packed {
			r, err := catalog.ParseRecord(b)
			if err != nil {
				continue // it is of another form: the file is read again
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Packed returns what is kept of every file, as it is kept.
func (x *Index) Packed(ctx context.Context) (all [][]byte, err error) {
	err = x.use(ctx, func(conn *sqlite.Conn) (err error) {
		all, err = readRecords(conn, all[:0])
		return err
	})
	return all, err
}

// pageful is how much memory is asked for at once for records, in bytes.
const pageful = 256 << 10

// readRecords appends all records, as they are packed, to all.
func readRecords(conn *sqlite.Conn, all [][]byte) ([][]byte, error) {
	var page, path []byte
	size := 4 << 10 // the first time: there may be few
	err := sqlitex.Execute(conn, "SELECT path, data FROM files", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		path = blob(s, 0, path)
		n := s.ColumnLen(1)
		if n > cap(page)-len(page) {
			page = make([]byte, 0, max(size, n))
			size = min(2*size, pageful)
		}
		start := len(page)
		page = page[:start+n]
		data, err := unseal(path, page[start:start+s.ColumnBytes(1, page[start:])])
		if err != nil {
			return err
		}
		all = append(all, data)
		return nil
	}})
	return all, err
}

// Keep replaces what is kept of the files of records and forgets all that is
// kept of those of gone.
func (x *Index) Keep(ctx context.Context, records []catalog.Record, gone []string) error {
	return x.use(ctx, func(conn *sqlite.Conn) error {
		return transact(conn, func() error {
			var buf []byte
			for i := range records {
				r := &records[i]
				buf = seal(r.Path, catalog.AppendRecord(buf[:0], r))
				if err := exec(conn, "INSERT OR REPLACE INTO files (path, data) VALUES (?, ?)", r.Path, buf); err != nil {
					return err
				}
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

// forget removes all that is kept of a file.
func forget(conn *sqlite.Conn, path string) error {
	for _, query := range []string{"DELETE FROM files WHERE path = ?", "DELETE FROM offsets WHERE path = ?"} {
		if err := exec(conn, query, path); err != nil {
			return err
		}
	}
	return forgetText(conn, path)
}

// exec runs a statement that returns no rows.
func exec(conn *sqlite.Conn, query string, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
}
