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
		var all []catalog.Kept
		for kept, err := range x.Bundles(ctx, "") {
			if err != nil {
				yield(catalog.Record{}, err)
				return
			}
			all = append(all, kept)
		}
		for _, kept := range all {
			for r := range kept.Bundle.Records() {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// Bundles yields what is kept, or of one directory if dir is not "". When the file
// turns out to be damaged it is built anew, and what was yielded is all.
func (x *Index) Bundles(ctx context.Context, dir string) iter.Seq2[catalog.Kept, error] {
	return func(yield func(catalog.Kept, error) bool) {
		enough := false
		err := x.use(ctx, func(conn *sqlite.Conn) error {
			if _, err := pragma(conn, smallCache); err != nil {
				return err
			}
			defer func() { _, _ = pragma(conn, usualCache) }() // it is only slower
			query, args := "SELECT dir, first, data FROM bundles", []any(nil)
			if dir != "" {
				query, args = query+" WHERE dir = ?", []any{dir}
			}
			var memory arena
			last := ""
			err := sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
				memory.key = blob(s, 0, memory.key)
				if string(memory.key) != last {
					last = string(memory.key)
				}
				data, err := memory.unsealed(s, last)
				if err != nil {
					return err
				}
				if enough = !yield(catalog.Kept{Dir: last, Bundle: data}, nil); enough {
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
			yield(catalog.Kept{}, err)
		}
	}
}

// errEnough says that nobody wants more.
var errEnough = errors.New("enough")

// An arena is memory for bundles, asked for in large pieces.
type arena struct {
	free []byte
	size int
	key  []byte
}

// The pieces, from the first to the largest, in bytes.
const (
	firstPiece   = 32 << 10
	largestPiece = 512 << 10
)

// unsealed returns the bundle in a row (dir, first, data).
func (m *arena) unsealed(s *sqlite.Stmt, dir string) (catalog.Bundle, error) {
	data := m.blob(s, 2)
	m.key = append(append(m.key[:0], dir...), 0)
	from := len(m.key)
	m.key = append(m.key, make([]byte, s.ColumnLen(1))...)
	s.ColumnBytes(1, m.key[from:])
	return unseal(m.key, data)
}

// bundleKey is what the checksum of a bundle covers besides it.
func bundleKey(dir, first string) string { return dir + "\x00" + first }
