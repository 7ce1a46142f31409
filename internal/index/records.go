package index

import (
	"context"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Known yields what is kept of every file.
func (x *Index) Known(ctx context.Context) iter.Seq2[catalog.Record, error] {
	return func(yield func(catalog.Record, error) bool) {
		// All are read before any is told, so that a damaged file is built anew
		// first, and who asks may call the index meanwhile.
		var packed []byte
		var ends []int
		err := x.use(ctx, func(conn *sqlite.Conn) (err error) {
			packed, ends, err = readRecords(conn, packed[:0], ends[:0])
			return err
		})
		if err != nil {
			yield(catalog.Record{}, err)
			return
		}
		start := 0
		for _, end := range ends {
			r, err := catalog.ParseRecord(packed[start:end])
			if start = end; err != nil {
				continue // it is of another form: the file is read again
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// readRecords appends all records, as they are packed, to dst, and where each
// ends to ends.
func readRecords(conn *sqlite.Conn, dst []byte, ends []int) ([]byte, []int, error) {
	err := sqlitex.Execute(conn, "SELECT path, data FROM files", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		start := len(dst)
		dst = slices.Grow(dst, s.ColumnLen(1))
		n := s.ColumnBytes(1, dst[start:start+s.ColumnLen(1)])
		data, err := unseal(s.ColumnText(0), dst[start:start+n])
		if err != nil {
			return err
		}
		dst = dst[:start+len(data)]
		ends = append(ends, len(dst))
		return nil
	}})
	return dst, ends, err
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
