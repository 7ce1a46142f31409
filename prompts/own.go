package prompts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// schema is the published form of the database (P1; the details are those of
// xcsh 17.4.4).
const schema = `
CREATE TABLE IF NOT EXISTS history (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	prompt TEXT NOT NULL,
	created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)),
	cwd TEXT
);
CREATE INDEX IF NOT EXISTS idx_history_created_at ON history(created_at DESC);
CREATE VIRTUAL TABLE IF NOT EXISTS history_fts USING fts5(prompt, content='history', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS history_ai AFTER INSERT ON history BEGIN
	INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;
`

// besideSchema holds which session a prompt was typed in: the published table
// has no place for it.
const besideSchema = `
CREATE TABLE IF NOT EXISTS history_session (
	history_id INTEGER PRIMARY KEY,
	session_id TEXT NOT NULL
);
`

// once is how long one try to write waits for another process, pause the time
// between two: in between, others of this process may read.
const (
	once  = 100 * time.Millisecond
	pause = 20 * time.Millisecond
)

// save writes the first prompts of the queue to the own database, in one
// transaction, and takes them out of the queue. It waits for another process as
// long as the options say, and sets a damaged file aside.
func (h *History) save(batch rows) error {
	deadline := time.Now().Add(h.o.Busy)
	for aside := 0; ; {
		h.io.Lock()
		_ = h.own.close() // it was only read
		info, err := h.write(batch)
		if unusable(err) && aside < tries {
			aside++
			err = h.setAside(info, err)
			h.io.Unlock()
			if err != nil {
				return err
			}
			continue
		}
		if err == nil {
			h.dequeue(len(batch))
		}
		h.io.Unlock()
		if !busy(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// write opens the database, making it if it is not there, and writes. It also
// returns which file that was.
func (h *History) write(batch rows) (info vfs.Info, err error) {
	path, err := vfs.Resolve(h.fs, h.own.Path)
	if err != nil {
		return info, err
	}
	if info, err = h.make(path); err != nil {
		return info, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return info, err
	}
	defer conn.Close() // what counts is the commit
	if err := careful(conn); err != nil {
		return info, err
	}
	conn.SetBusyTimeout(min(once, h.o.Busy))
	within, stop := context.WithTimeout(h.life, h.o.Longest)
	defer stop()
	conn.SetInterrupt(within.Done())
	defer conn.SetInterrupt(nil) // what is left to do at the end is done
	if err = bounded(conn); err == nil {
		err = insert(conn, batch)
	}
	if err != nil && within.Err() != nil {
		err = errLong
	}
	return info, err
}

// bounded prepares a connection for writing to a file that does not become larger
// than one that is read.
func bounded(conn *sqlite.Conn) error {
	size := int64(0)
	err := sqlitex.ExecuteTransient(conn, "PRAGMA page_size", &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		size = stmt.ColumnInt64(0)
		return nil
	}})
	if err != nil {
		return err
	}
	return run(conn, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", fmt.Sprintf("PRAGMA max_page_count = %d", maxFiles/max(size, 512)))
}

// make sees to it that there is a regular file, which only its owner may read.
func (h *History) make(path string) (vfs.Info, error) {
	for {
		info, err := h.fs.Lstat(path)
		switch {
		case err == nil && !info.Regular():
			return info, &fs.PathError{Op: "open", Path: path, Err: vfs.ErrNotRegular}
		case err == nil, !errors.Is(err, fs.ErrNotExist):
			return info, err
		}
		if _, err := vfs.MkdirAll(h.fs, filepath.Dir(path)); err != nil {
			return info, err
		}
		f, err := h.fs.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if err == nil {
			err = f.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return info, err
		}
	}
}

// insert writes prompts in one transaction, and the tables if they are not
// there. A prompt that may not be there twice, because omp took the database
// for its own, is there as the new one.
func insert(conn *sqlite.Conn, batch rows) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	s, err := shapeOf(conn)
	if err != nil {
		return err
	}
	if err := trusted(conn, s); err != nil {
		return err
	}
	if err := script(conn, schema); err != nil {
		return err
	}
	if s.history && !s.index {
		if err := script(conn, "INSERT INTO history_fts(history_fts) VALUES('rebuild');"); err != nil {
			return err
		}
	}
	for _, r := range batch {
		if err := insertRow(conn, r, s); err != nil {
			return err
		}
	}
	return nil
}

// run runs statements, each by itself.
func run(conn *sqlite.Conn, statements ...string) error {
	for _, s := range statements {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// script runs statements within the transaction that is open.
func script(conn *sqlite.Conn, text string) error {
	return sqlitex.ExecuteScript(conn, text, nil)
}

func insertRow(conn *sqlite.Conn, r row, s shape) error {
	var id, cwd any
	if r.ID != 0 {
		id = r.ID
	}
	if r.CWD != "" {
		cwd = r.CWD
	}
	add := "INSERT INTO history(id, prompt, created_at, cwd) VALUES (?, ?, ?, ?) " +
		"ON CONFLICT DO UPDATE SET created_at = excluded.created_at, cwd = excluded.cwd"
	if s.uses {
		add += ", use_count = history.use_count + 1"
	}
	add += " RETURNING id"
	var at int64
	err := sqlitex.Execute(conn, add, &sqlitex.ExecOptions{
		Args: []any{id, r.Text, r.Created, cwd},
		ResultFunc: func(stmt *sqlite.Stmt) error {
			at = stmt.ColumnInt64(0)
			return nil
		},
	})
	switch {
	case err != nil || r.Session == "":
		return err
	case s.session:
		return sqlitex.Execute(conn, "UPDATE history SET session_id = ? WHERE id = ?", &sqlitex.ExecOptions{Args: []any{r.Session, at}})
	}
	if err := script(conn, besideSchema); err != nil {
		return err
	}
	return sqlitex.Execute(conn, "INSERT OR REPLACE INTO history_session VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{at, r.Session}})
}

// inMemory returns a database with these prompts. The caller closes it.
func inMemory(all rows) (*database, error) {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite, sqlite.OpenMemory)
	if err != nil {
		return nil, err
	}
	if err = insert(conn, all); err == nil {
		var s shape
		if s, err = shapeOf(conn); err == nil {
			return &database{conn: conn, shape: s}, nil
		}
	}
	return nil, errors.Join(err, conn.Close())
}

// setAside renames the own database, which is unusable for the reason why, and
// takes over what can be read of it. Another process may have done that before;
// then there is nothing to do.
func (h *History) setAside(found vfs.Info, why error) (err error) {
	path, err := vfs.Resolve(h.fs, h.own.Path)
	if err != nil {
		return err
	}
	f, err := h.fs.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Lock(context.Background()); err != nil { // one process at a time
		return err
	}
	if now, err := h.fs.Lstat(path); err != nil || !now.SameFile(found) {
		return nil
	}
	to, err := h.rename(path)
	if err != nil {
		return err
	}
	saved := h.legible(to)
	then := fmt.Sprintf("it is kept as %q, and a new one begun", to)
	if len(saved) > 0 {
		if _, err = h.write(saved); err == nil {
			then += fmt.Sprintf(" with %d prompts that it held", len(saved))
		}
	}
	h.tell(&fileError{path: h.own.Path, act: "keep prompts", err: why, then: then})
	return err
}

// legible returns what can be read of a damaged database, up to the damage.
func (h *History) legible(path string) (found rows) {
	old := newReader(h.fs, Source{Path: path}, h.o)
	err := old.read(context.Background(), func(d *database) (err error) {
		if d.shape.history {
			found, err = d.collect("", ask{limit: -1, last: true}, nil, nil)
		}
		return err
	})
	_ = errors.Join(err, old.close()) // what cannot be read stays where it is
	return found
}

// rename gives a database and its log a name that is free and returns it.
func (h *History) rename(path string) (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.damaged-%d", path, n)
		err := h.fs.RenameNew(path, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		for _, suffix := range []string{walSuffix, journalSuffix, shmSuffix} {
			if err := h.fs.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		return to, nil
	}
}
