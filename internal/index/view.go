package index

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/cambium-dev/cambium/internal/texts"
	"github.com/cambium-dev/cambium/internal/varint"
	"zombiezen.com/go/sqlite"
)

// Texts returns a view of the texts as they are now.
func (x *Index) Texts(ctx context.Context) (texts.View, error) {
	conn, err := x.another(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = pragma(conn, smallCache); err == nil {
		err = exec(conn, "BEGIN")
	}
	if err != nil {
		_ = conn.Close() // nothing was written
		return nil, x.fail(err)
	}
	return &view{x: x, conn: conn}, nil
}

// A view reads texts in one transaction.
type view struct {
	x    *Index
	mu   sync.Mutex // of Chunk
	conn *sqlite.Conn
}

// Known yields what is kept of every file.
func (v *view) Known(ctx context.Context) iter.Seq2[texts.Record, error] {
	return func(yield func(texts.Record, error) bool) {
		var buf []byte
		err := v.each(ctx, "SELECT id, path, data FROM texts", nil, func(s *sqlite.Stmt) (bool, error) {
			t := texts.Record{Text: s.ColumnInt64(0), Path: s.ColumnText(1)}
			buf = blob(s, 2, buf)
			data, err := unseal(t.Path, buf)
			if err != nil {
				return false, err
			}
			r := varint.Reader{Rest: data}
			t.Stamp, t.Chunks, t.Size = unpackStamp(&r), int(r.Int()), r.Int()
			if r.Bad {
				return false, errDamaged
			}
			return yield(t, nil), nil
		})
		if err != nil {
			yield(texts.Record{}, err)
		}
	}
}

// Postings yields the chunks in which a word stands.
func (v *view) Postings(ctx context.Context, word string, prefix bool) iter.Seq2[texts.Posting, error] {
	return func(yield func(texts.Posting, error) bool) {
		more := true
		for level := 0; level < 4 && more; level++ {
			match := fmt.Sprintf(`w%d : "%s"`, level, word)
			if prefix {
				match += " *"
			}
			err := v.each(ctx, "SELECT rowid FROM words WHERE words MATCH ?", []any{match}, func(s *sqlite.Stmt) (bool, error) {
				id := s.ColumnInt64(0)
				more = yield(texts.Posting{Text: id >> chunkBits, Chunk: int(id & (1<<chunkBits - 1)), Level: uint8(level)}, nil)
				return more, nil
			})
			if err != nil {
				yield(texts.Posting{}, err)
				return
			}
		}
	}
}

// Words yields every word of the texts.
func (v *view) Words(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := exec(v.conn, "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')")
		if err == nil {
			err = v.each(ctx, "SELECT term FROM temp.vocabulary", nil, func(s *sqlite.Stmt) (bool, error) {
				return yield(s.ColumnText(0), nil), nil
			})
			_ = exec(v.conn, "DROP TABLE temp.vocabulary") // it goes with the connection
		}
		if err != nil {
			yield("", err)
		}
	}
}

// Chunk returns a chunk of a text.
func (v *view) Chunk(ctx context.Context, text int64, n int, buf []byte) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	id := text<<chunkBits | int64(n)
	err := errDamaged // when there is none
	if failed := v.each(ctx, "SELECT data FROM chunks WHERE id = ?", []any{id}, func(s *sqlite.Stmt) (bool, error) {
		buf, err = unseal(key(id), blob(s, 0, buf))
		return false, err
	}); failed != nil {
		return buf[:0], failed
	}
	return buf, v.x.fail(err)
}

// Close ends the view.
func (v *view) Close() error { return v.conn.Close() }

// each runs a query and calls f with each row until it returns false.
func (v *view) each(ctx context.Context, query string, args []any, f func(*sqlite.Stmt) (bool, error)) error {
	v.conn.SetInterrupt(ctx.Done())
	defer v.conn.SetInterrupt(nil)
	s, err := v.conn.Prepare(query)
	if err != nil {
		return v.x.fail(err)
	}
	defer func() { _ = s.Reset() }() // its error is that of Step
	for i, a := range args {
		switch a := a.(type) {
		case int64:
			s.BindInt64(i+1, a)
		case string:
			s.BindText(i+1, a)
		}
	}
	for {
		row, err := s.Step()
		if err != nil {
			return v.x.fail(err)
		}
		if !row {
			return nil
		}
		if more, err := f(s); err != nil || !more {
			return v.x.fail(err)
		}
	}
}
