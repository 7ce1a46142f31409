package index

import (
	"context"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/pack"
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
		return sqlitex.Execute(conn, "SELECT data FROM offsets WHERE path = ?", &sqlitex.ExecOptions{
			Args: []any{name},
			ResultFunc: func(s *sqlite.Stmt) error {
				raw, err := unseal(name, blob(s, 0, nil))
				if err != nil {
					return err
				}
				r := pack.Reader{Rest: raw}
				name := r.Part()
				if r.Bad {
					return errDamaged
				}
				if mark, err = storage.ParseMark(string(name)); err != nil {
					return errDamaged
				}
				data = r.Rest
				return nil
			},
		})
	})
	return mark, data, err
}

// Remember keeps data for the log of that name as it is at mark, in place of what
// was kept before.
func (x *Index) Remember(ctx context.Context, name string, mark storage.Mark, data []byte) error {
	text := mark.String()
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
