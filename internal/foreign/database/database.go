package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	sqlitevfs "modernc.org/sqlite/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// tries is how often a database is read again because it changed meanwhile.
	tries = 10
	// rests is how often the clock is waited for behind a change.
	rests = 3
	// patience is how long reading may take.
	patience = time.Minute
	// maxValue is how long one value may be, maxFound how much of a session, in bytes.
	maxValue = 256 << 20
	maxFound = 1 << 30
)

// A Form says what a program keeps in its databases.
type Form struct {
	// Needed are the tables, and the columns of each, without which there are no sessions.
	Needed []Table
	// More are tables that are read where they are.
	More []string
	// Newer is a table that a later version has in place of those that are needed.
	Newer string
}

// A Table is the name of one and those of columns.
type Table struct {
	Name    string
	Columns []string
}

// A Library reads databases of one form. It is safe for concurrent use.
type Library struct {
	Form Form

	mu    sync.Mutex
	seen  look     // guarded by mu: what known is of
	known snapshot // guarded by mu: of the log that was read last
}

// Read calls f with a database as it was at one moment, more than once if it was not. The
// database must not be used afterwards.
func (lib *Library) Read(ctx context.Context, fsys vfs.FS, path string, f func(*DB) error) error {
	within, stop := context.WithTimeout(ctx, patience)
	defer stop()
	err := lib.within(within, fsys, path, f)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, vfs.ErrNotRegular):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &Error{Path: path, Err: told(err)}
}

func (lib *Library) within(ctx context.Context, fsys vfs.FS, path string, f func(*DB) error) error {
	for n := range tries {
		if n > 0 {
			rest(ctx, time.Duration(n)*5*time.Millisecond)
		}
		now, err := lookWhole(ctx, fsys, path)
		if err != nil {
			return err
		}
		if now.journal.size > 0 {
			continue // a change that is not finished
		}
		err = lib.once(ctx, fsys, now, f)
		after, lookErr := lookAt(fsys, path)
		if lookErr == nil && now.stillAs(after) {
			return err
		}
	}
	return ErrBusy // what went wrong then says nothing of the database
}

// lookWhole looks at a database, a moment after it was changed if possible: a change after that
// is seen in the next look.
func lookWhole(ctx context.Context, fsys vfs.FS, path string) (look, error) {
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return look{}, fmt.Errorf("%w: %w", ErrLarge, err)
		}
		seen := time.Now()
		now, err := lookAt(fsys, path)
		if err != nil || n == rests || now.settled(seen) {
			return now, err
		}
		rest(ctx, tick)
	}
}

// rest waits, for as long as ctx lasts.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// once calls f with the database as somebody saw it.
func (lib *Library) once(ctx context.Context, fsys vfs.FS, now look, f func(*DB) error) (err error) {
	lib.mu.Lock()
	var known *snapshot
	if lib.seen == now && now.log.size > 0 {
		is := lib.known
		known = &is
	}
	lib.mu.Unlock()
	p, err := openPages(fsys, now, known)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	lib.mu.Lock()
	lib.seen, lib.known = now, p.snapshot
	lib.mu.Unlock()
	d, err := open(ctx, p, lib.Form)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.look(); err != nil {
		return err
	}
	return f(d)
}

// A DB is an open database. It is for one goroutine.
type DB struct {
	// Conn answers queries. Nothing can be written with it.
	Conn *sqlite.Conn

	form    Form
	files   *sqlitevfs.FS
	columns map[string][]string // of each table
	size    int                 // bytes that were read
}

// open opens the database that some pages are.
func open(ctx context.Context, p *pages, form Form) (*DB, error) {
	name, files, err := sqlitevfs.New(p)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn("file:"+fileName+"?immutable=1&vfs="+name, sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	d := &DB{Conn: conn, form: form, files: files}
	// It runs nothing that is written in the file, and makes no temporary files.
	conn.Limit(sqlite.LimitLength, maxValue)
	conn.Limit(sqlite.LimitAttached, 0)
	conn.SetInterrupt(ctx.Done())
	for _, query := range []string{"PRAGMA trusted_schema = OFF", "PRAGMA temp_store = MEMORY", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0"} {
		if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	return d, nil
}

func (d *DB) close() error { return errors.Join(d.Conn.Close(), d.files.Close()) }

// look finds out which tables and columns there are. Only what is a table is taken for one.
func (d *DB) look() error {
	version := 0
	err := sqlitex.ExecuteTransient(d.Conn, "PRAGMA user_version", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		version = s.ColumnInt(0)
		return nil
	}})
	if err != nil {
		return err
	}
	d.columns = map[string][]string{}
	const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql NOT LIKE 'CREATE VIRTUAL%'"
	err = sqlitex.ExecuteTransient(d.Conn, tables, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		name := s.ColumnText(0)
		is := func(t Table) bool { return t.Name == name }
		if slices.ContainsFunc(d.form.Needed, is) || slices.Contains(d.form.More, name) || name == d.form.Newer {
			d.columns[name] = []string{}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	for table := range d.columns {
		// Columns that are made of others are not listed.
		err := sqlitex.ExecuteTransient(d.Conn, "SELECT name FROM pragma_table_info('"+table+"')", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				d.columns[table] = append(d.columns[table], s.ColumnText(0))
				return nil
			},
		})
		if err != nil {
			return err
		}
	}
	for _, table := range d.form.Needed {
		for _, column := range table.Columns {
			if d.Has(table.Name, column) {
				continue
			}
			what := fmt.Sprintf("column %s of table %s", column, table.Name)
			if len(d.columns[table.Name]) == 0 {
				what = "table " + table.Name
			}
			if version > 0 || len(d.columns[d.form.Newer]) > 0 {
				return fmt.Errorf("%w: it has no %s", ErrNewer, what)
			}
			return fmt.Errorf("%w: %s", ErrPartial, what)
		}
	}
	return nil
}

// Has reports whether there is a column.
func (d *DB) Has(table, column string) bool { return slices.Contains(d.columns[table], column) }

// Column returns an expression for a column, NULL where there is none.
func (d *DB) Column(table, name string) string {
	if d.Has(table, name) {
		return `"` + name + `"`
	}
	return "NULL"
}

// Add counts what was read.
func (d *DB) Add(n int) error {
	if d.size += n; d.size > maxFound {
		return ErrLarge
	}
	return nil
}
