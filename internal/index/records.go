package index

import (
	"context"
	"errors"
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
		var packed []byte
		var ends []int
		for b, err := range x.Packed(ctx) {
			if err != nil {
				yield(catalog.Record{}, err)
				return
			}
			packed = append(packed, b...)
			ends = append(ends, len(packed))
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

// errEnough says that nobody wants more.
var errEnough = errors.New("enough")

// Packed yields what is kept of every file, as it is kept. When the file turns
// out to be damaged it is built anew, and what was yielded is all.
func (x *Index) Packed(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		enough := false
		err := x.use(ctx, func(conn *sqlite.Conn) error {
			if _, err := pragma(conn, smallCache); err != nil {
				return err
			}
			defer func() { _, _ = pragma(conn, usualCache) }() // it is only slower
			var path, buf []byte
			err := sqlitex.Execute(conn, "SELECT path, data FROM files", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				path, buf = blob(s, 0, path), blob(s, 1, buf)
				data, err := unseal(path, buf)
				if err != nil {
					return err
				}
				if enough = !yield(data, nil); enough {
					return errEnough
				}
				return nil
			}})
			if enough {
				return nil
			}
			return err
		})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
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
