package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/internal/texts"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// chunkBits is how many bits of the number of a chunk are its number in its
// text; the rest is the text's.
const chunkBits = 24

// When a transaction is ended between two texts, so that other processes get
// their turn: after so many bytes, or so long.
const (
	batchBytes = 16 << 20
	batchTime  = 400 * time.Millisecond
)

// KeepTexts replaces the texts of files, in transactions of some 16 MB. It has a
// connection of its own, so that others can read meanwhile.
func (x *Index) KeepTexts(ctx context.Context, files iter.Seq[texts.File]) error {
	conn, err := x.another(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // what was committed stays
	conn.SetBusyTimeout(longPatience)
	conn.SetInterrupt(ctx.Done())
	w := writer{conn: conn}
	for f := range files {
		if err = w.file(f); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		conn.SetInterrupt(nil) // what is complete is worth keeping
	}
	if end := w.end(); err == nil {
		err = end
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return x.fail(err)
}

// another opens a further connection to the file.
func (x *Index) another(ctx context.Context) (*sqlite.Conn, error) {
	// The first call sees to it that there is a good one.
	if err := x.use(ctx, func(*sqlite.Conn) error { return nil }); err != nil {
		return nil, err
	}
	conn, err := open(x.opt.Dir)
	return conn, x.fail(err)
}

// A writer keeps texts.
type writer struct {
	conn  *sqlite.Conn
	open  bool // a transaction
	begun time.Time
	bytes int
	sieve sieve
}

// file replaces the text of a file.
func (w *writer) file(f texts.File) error {
	if !w.open {
		if err := exec(w.conn, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		w.open, w.begun, w.bytes = true, time.Now(), 0
	}
	if err := w.text(f); err != nil {
		return err
	}
	if w.bytes >= batchBytes || time.Since(w.begun) >= batchTime {
		return w.end()
	}
	return nil
}

// text writes a text, or nothing when it cannot be had whole. It does without a
// savepoint, at each of which FTS5 writes all that it holds.
func (w *writer) text(f texts.File) error {
	if err := forgetText(w.conn, f.Path); err != nil {
		return err
	}
	if err := exec(w.conn, "INSERT INTO texts (path, data) VALUES (?, x'')", f.Path); err != nil {
		return err
	}
	text := w.conn.LastInsertRowID()
	n, size := int64(0), int64(0)
	w.sieve.reset()
	for c, err := range f.Chunks {
		if err == nil && n == 1<<chunkBits {
			err = fmt.Errorf("keep text of %q: it has too many chunks", f.Path)
		}
		if err != nil {
			return forgetText(w.conn, f.Path)
		}
		id := text<<chunkBits | n
		if err := exec(w.conn, "INSERT INTO chunks (id, data) VALUES (?, ?)", id, seal(key(id), c.Data)); err != nil {
			return err
		}
		if err := exec(w.conn, "INSERT INTO words (rowid, w0, w1, w2, w3) VALUES (?, ?, ?, ?, ?)",
			id, string(c.Words[0]), string(c.Words[1]), string(c.Words[2]), string(c.Words[3])); err != nil {
			return err
		}
		w.sieve.add(c.Marks)
		if n++; n%sieveChunks == 0 {
			if err := w.sieve.write(w.conn, id); err != nil {
				return err
			}
		}
		size += int64(c.Size)
		w.bytes += len(c.Data)
	}
	if n%sieveChunks != 0 {
		if err := w.sieve.write(w.conn, text<<chunkBits|n); err != nil {
			return err
		}
	}
	data := packStamp(nil, f.Stamp)
	data = binary.AppendVarint(data, n)
	data = binary.AppendVarint(data, size)
	return exec(w.conn, "UPDATE texts SET data = ? WHERE id = ?", seal(f.Path, data), text)
}

// end commits what was written.
func (w *writer) end() error {
	if !w.open {
		return nil
	}
	w.open = false
	if w.conn.AutocommitEnabled() {
		return nil // it was rolled back
	}
	return exec(w.conn, "COMMIT")
}

func key(id int64) string { return string(binary.AppendVarint(nil, id)) }

// forgetText removes the text of a file.
func forgetText(conn *sqlite.Conn, path string) error {
	var ids []int64
	err := sqlitex.Execute(conn, "SELECT c.id FROM texts t JOIN chunks c ON c.id BETWEEN t.id << 24 AND (t.id << 24) + 16777215 WHERE t.path = ?",
		&sqlitex.ExecOptions{Args: []any{path}, ResultFunc: func(s *sqlite.Stmt) error {
			ids = append(ids, s.ColumnInt64(0))
			return nil
		}})
	if err != nil {
		return err
	}
	if err := forgetSieve(conn, ids); err != nil {
		return err
	}
	for _, id := range ids {
		if err := exec(conn, "DELETE FROM words WHERE rowid = ?", id); err != nil {
			return err
		}
		if err := exec(conn, "DELETE FROM chunks WHERE id = ?", id); err != nil {
			return err
		}
	}
	return exec(conn, "DELETE FROM texts WHERE path = ?", path)
}
