package index

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/varint"
	"github.com/cambium-dev/cambium/storage"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxLogs is of how many logs offsets are kept: the last ones.
const maxLogs = 500

var _ journal.Memory = (*Index)(nil)

// Recall returns what was remembered last of the log of that name, and the mark
// that was given with it; no data when there is nothing.
func (x *Index) Recall(ctx context.Context, name string) (mark storage.Mark, data []byte, err error) {
	err = x.use(ctx, func(conn *sqlite.Conn) error {
		mark, data = storage.Mark{}, nil
		if _, err := pragma(conn, tinyCache); err != nil {
			return err
		}
		defer func() { _, _ = pragma(conn, usualCache) }() // it is only slower
		raw, err := offsets(conn, name)
		if err != nil || raw == nil {
			return err
		}
		if raw, err = unseal(name, raw); err != nil {
			return err
		}
		r := varint.Reader{Rest: raw}
		text := bytes.TrimRight(r.Part(), " ")
		if r.Bad {
			return errDamaged
		}
		if mark, err = storage.ParseMark(string(text)); err != nil {
			return errDamaged
		}
		data = r.Rest
		return nil
	})
	return mark, data, err
}

// offsets returns what is kept of a log, sealed, nil for nothing. It is megabytes of a
// long session: they are read into place, not put together by SQLite first.
func offsets(conn *sqlite.Conn, name string) (raw []byte, err error) {
	defer sqlitex.Transaction(conn)(&err) // the row stays until it is read
	row := int64(0)
	err = sqlitex.Execute(conn, "SELECT rowid FROM offsets WHERE path = ?", &sqlitex.ExecOptions{
		Args:       []any{name},
		ResultFunc: func(s *sqlite.Stmt) error { row = s.ColumnInt64(0); return nil },
	})
	if err != nil || row == 0 {
		return nil, err
	}
	b, err := conn.OpenBlob("", "offsets", "data", row, false)
	if err != nil {
		return nil, err
	}
	raw = make([]byte, b.Size())
	_, err = io.ReadFull(b, raw)
	return raw, errors.Join(err, b.Close())
}

// Remember keeps data for the log of that name as it is at mark, in place of what
// was kept before.
func (x *Index) Remember(ctx context.Context, name string, mark storage.Mark, data []byte) error {
	text := mark.String()
	for (1+len(text))%8 != 0 {
		text += " " // so that data begins where numbers may
	}
	b := append(make([]byte, 0, len(data)+len(text)+16), byte(len(text))) // some 70 at most
	b = seal(name, append(append(b, text...), data...))
	return x.use(ctx, func(conn *sqlite.Conn) error {
		return transact(conn, func() error {
			if err := exec(conn, "INSERT OR REPLACE INTO offsets (path, data) VALUES (?, ?)", name, b); err != nil {
				return err
			}
			return exec(conn, "DELETE FROM offsets WHERE rowid <= (SELECT max(rowid) FROM offsets) - ?", maxLogs)
		})
	})
}
