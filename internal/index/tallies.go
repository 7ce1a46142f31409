package index

import (
	"context"
	"encoding/binary"

	"github.com/cambium-dev/cambium/internal/usage"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// stateBytes is how long a packed state is.
const stateBytes = 32

// Tallies returns what is kept, by path. Nobody else holds it.
func (x *Index) Tallies(ctx context.Context) (all map[string]usage.Tally, err error) {
	err = x.use(ctx, func(conn *sqlite.Conn) error {
		all = map[string]usage.Tally{}
		var memory arena
		return sqlitex.Execute(conn, "SELECT path, data FROM tallies", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			t := usage.Tally{Path: s.ColumnText(0)}
			data, err := unseal(t.Path, memory.blob(s, 1))
			if err != nil {
				return err
			}
			if len(data) < stateBytes {
				return errDamaged
			}
			le := binary.LittleEndian
			t.State = usage.State{
				Dev: le.Uint64(data), Ino: le.Uint64(data[8:]), Size: int64(le.Uint64(data[16:])), ModTime: int64(le.Uint64(data[24:])),
			}
			t.Data = data[stateBytes:]
			all[t.Path] = t
			return nil
		}})
	})
	return all, err
}

// KeepTallies replaces what is kept of some sessions. Keep forgets it with all else of a
// file that is gone.
func (x *Index) KeepTallies(ctx context.Context, some []usage.Tally) error {
	return x.use(ctx, func(conn *sqlite.Conn) error {
		return transact(conn, func() error {
			for i := range some {
				t := &some[i]
				b := make([]byte, 0, stateBytes+len(t.Data)+4)
				for _, n := range [...]uint64{t.State.Dev, t.State.Ino, uint64(t.State.Size), uint64(t.State.ModTime)} {
					b = binary.LittleEndian.AppendUint64(b, n)
				}
				b = seal(t.Path, append(b, t.Data...))
				if err := exec(conn, "INSERT OR REPLACE INTO tallies (path, data) VALUES (?, ?)", t.Path, b); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// blob returns column i of a row in memory of the arena.
func (m *arena) blob(s *sqlite.Stmt, i int) []byte {
	n := s.ColumnLen(i)
	if n > len(m.free) {
		m.size = min(max(firstPiece, 2*m.size), largestPiece)
		m.free = make([]byte, max(m.size, n))
	}
	data := m.free[:n:n]
	m.free = m.free[n:]
	return data[:s.ColumnBytes(i, data)]
}
