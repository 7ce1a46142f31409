package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
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
	// patience is how long reading may take.
	patience = time.Minute
	// maxValue is how long one value may be, maxFound how much of a session, in bytes.
	maxValue = 256 << 20
	maxFound = 1 << 30
)

// A library reads databases. It is safe for concurrent use.
type library struct {
	mu    sync.Mutex
	seen  look     // guarded by mu: what known is of
	known snapshot // guarded by mu: of the log that was read last
}

// with calls f with a database as it was at one moment, more than once if it was not. The
// database must not be used afterwards.
func (lib *library) with(ctx context.Context, fsys vfs.FS, path string, f func(*database) error) error {
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

func (lib *library) within(ctx context.Context, fsys vfs.FS, path string, f func(*database) error) error {
	last := error(ErrBusy)
	for n := range tries {
		if n > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(n) * 5 * time.Millisecond):
			}
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", ErrLarge, err)
		}
		now, err := lookAt(fsys, path)
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
		last = errors.Join(ErrBusy, err)
	}
	return last
}

// once calls f with the database as somebody saw it.
func (lib *library) once(ctx context.Context, fsys vfs.FS, now look, f func(*database) error) (err error) {
	lib.mu.Lock()
	var known *snapshot
	if lib.seen == now && now.log.size > 0 {
		known = &lib.known
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
	d, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.look(); err != nil {
		return err
	}
	return f(d)
}

// A database is an open one. It is for one goroutine.
type database struct {
	conn    *sqlite.Conn
	files   *sqlitevfs.FS
	columns map[string][]string // of each table
	size    int                 // bytes that were read
}

// open opens the database that some pages are.
func open(ctx context.Context, p *pages) (*database, error) {
	name, files, err := sqlitevfs.New(p)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn("file:"+fileName+"?immutable=1&vfs="+name, sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	d := &database{conn: conn, files: files}
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

func (d *database) close() error { return errors.Join(d.conn.Close(), d.files.Close()) }

// needed are the columns without which there are no sessions.
var needed = map[string][]string{
	"session": {"id"},
	"message": {"id", "session_id", "data"},
	"part":    {"id", "message_id", "data"},
}

// look finds out which tables and columns there are. Only what is a table is taken for one.
func (d *database) look() error {
	version := 0
	err := sqlitex.ExecuteTransient(d.conn, "PRAGMA user_version", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		version = s.ColumnInt(0)
		return nil
	}})
	if err != nil {
		return err
	}
	d.columns = map[string][]string{}
	const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql NOT LIKE 'CREATE VIRTUAL%'"
	err = sqlitex.ExecuteTransient(d.conn, tables, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		switch name := s.ColumnText(0); name {
		case "session", "message", "part", "todo", "session_message":
			d.columns[name] = []string{}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	for table := range d.columns {
		// Columns that are made of others are not listed.
		err := sqlitex.ExecuteTransient(d.conn, "SELECT name FROM pragma_table_info('"+table+"')", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				d.columns[table] = append(d.columns[table], s.ColumnText(0))
				return nil
			},
		})
		if err != nil {
			return err
		}
	}
	for _, table := range []string{"session", "message", "part"} {
		for _, column := range needed[table] {
			if slices.Contains(d.columns[table], column) {
				continue
			}
			what := fmt.Sprintf("table %s, column %s", table, column)
			if len(d.columns[table]) == 0 {
				what = "table " + table
			}
			if version > 0 || len(d.columns["session_message"]) > 0 && table != "session" {
				return fmt.Errorf("%w: it has no %s", ErrNewer, what)
			}
			return fmt.Errorf("%w: %s", ErrPartial, what)
		}
	}
	return nil
}

// column returns an expression for a column, NULL where there is none.
func (d *database) column(table, name string) string {
	if slices.Contains(d.columns[table], name) {
		return `"` + name + `"`
	}
	return "NULL"
}

// recent is how far behind the newest session one is that may be at work still, in
// milliseconds: OpenCode changes parts of such a one without saying so in the session.
const recent = 3_600_000

// A state is what changes with a session.
type state struct {
	id      string
	count   int64 // messages and parts
	updated int64 // milliseconds since 1970
}

// states calls f with the state of each session, or of the one with an id.
func (d *database) states(id string, f func(state)) error {
	updated := d.column("session", "time_updated")
	of := "TRUE"
	if id != "" {
		of = "id = :id"
	}
	perPart := "message_id IN (SELECT id FROM message WHERE session_id = s.id)"
	if slices.Contains(d.columns["part"], "session_id") {
		perPart = "session_id = s.id"
	}
	newest := func(table, where string) string {
		return "coalesce((SELECT max(" + d.column(table, "time_updated") + ") FROM " + table + " WHERE " + where + "), 0)"
	}
	query := `WITH s AS (SELECT id, coalesce(` + updated + `, 0) AS u FROM session WHERE ` + of + `)
		SELECT s.id,
			(SELECT count(*) FROM message WHERE session_id = s.id) + (SELECT count(*) FROM part WHERE ` + perPart + `),
			CASE WHEN s.u >= (SELECT max(` + updated + `) FROM session) - :recent THEN
				max(s.u, ` + newest("message", "session_id = s.id") + `, ` + newest("part", perPart) + `)
			ELSE s.u END
		FROM s`
	named := map[string]any{":recent": int64(recent)}
	if id != "" {
		named[":id"] = id
	}
	seen := map[string]bool{}
	read := func(query string) error {
		return sqlitex.ExecuteTransient(d.conn, query, &sqlitex.ExecOptions{Named: named, ResultFunc: func(s *sqlite.Stmt) error {
			if is := s.ColumnText(0); valid(is) && !seen[is] {
				seen[is] = true
				f(state{is, s.ColumnInt64(1), s.ColumnInt64(2)})
			}
			return d.add(100)
		}})
	}
	err := read(query)
	if !broken(err) {
		return err
	}
	// Where pages are broken, those that can be found still are.
	delete(named, ":recent")
	err = read("SELECT id, 0, " + updated + " FROM session NOT INDEXED WHERE " + of)
	if broken(err) && len(seen) > 0 {
		return nil
	}
	return err
}

// session reads all of a session.
func (d *database) session(id string) (*stored, error) {
	out := &stored{id: id, fields: map[string]field{}}
	found := false
	err := sqlitex.Execute(d.conn, "SELECT * FROM session WHERE id = :id", &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			found = true
			for n := range s.ColumnCount() {
				if err := d.add(s.ColumnLen(n)); err != nil {
					return err
				}
				out.fields[s.ColumnName(n)] = fieldOf(s, n)
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fs.ErrNotExist
	}
	messages := "SELECT id, '' AS message_id, data, " + d.column("message", "time_created") + " FROM message %s WHERE session_id = :id ORDER BY %s"
	if out.messages, err = d.rows(out, messages, id); err != nil {
		return nil, err
	}
	of := "message_id IN (SELECT id FROM message WHERE session_id = :id)"
	if slices.Contains(d.columns["part"], "session_id") {
		of = "session_id = :id"
	}
	parts := "SELECT id, message_id, data, " + d.column("part", "time_created") + " FROM part %s WHERE " + of + " ORDER BY %s"
	if out.parts, err = d.rows(out, parts, id); err != nil {
		return nil, err
	}
	if len(out.messages) == 0 && len(d.columns["session_message"]) > 0 {
		newer := false
		err := sqlitex.Execute(d.conn, "SELECT 1 FROM session_message WHERE session_id = :id LIMIT 1", &sqlitex.ExecOptions{
			Named: map[string]any{":id": id}, ResultFunc: func(*sqlite.Stmt) error { newer = true; return nil },
		})
		if err == nil && newer {
			return nil, fmt.Errorf("%w: the messages of session %s are in the table session_message", ErrNewer, id)
		}
	}
	return out, d.todos(out, id)
}

// rows reads rows in the order of their ids. Where the index is broken, or pages of the table
// are, it reads what can be read, and what is wrong is noted.
func (d *database) rows(out *stored, query, id string) ([]row, error) {
	var all []row
	read := func(index, order string) error {
		return sqlitex.Execute(d.conn, fmt.Sprintf(query, index, order), &sqlitex.ExecOptions{
			Named: map[string]any{":id": id},
			ResultFunc: func(s *sqlite.Stmt) error {
				data, text := bytesOf(s, 2)
				if err := d.add(len(data) + 100); err != nil {
					return err
				}
				all = append(all, row{id: s.ColumnText(0), message: s.ColumnText(1), data: data, blob: !text, created: s.ColumnInt64(3)})
				return nil
			},
		})
	}
	err := read("", "+id")
	if err == nil || !broken(err) {
		return all, err
	}
	out.wrong = append(out.wrong, err.Error())
	for _, order := range []string{"rowid", "rowid DESC"} {
		if err := read("NOT INDEXED", order); err != nil && !broken(err) {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.message, b.message)) })
	return slices.CompactFunc(all, func(a, b row) bool { return a.id == b.id && a.message == b.message }), nil
}

// todos reads the list of what is to be done.
func (d *database) todos(out *stored, id string) error {
	if !slices.Contains(d.columns["todo"], "session_id") {
		return nil
	}
	order := d.column("todo", "position")
	err := sqlitex.Execute(d.conn, "SELECT * FROM todo WHERE session_id = :id ORDER BY "+order, &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			var fields []field
			for n := range s.ColumnCount() {
				if s.ColumnName(n) != "session_id" {
					fields = append(fields, fieldOf(s, n))
				}
			}
			out.todos = append(out.todos, fields)
			return d.add(100)
		},
	})
	if broken(err) {
		out.wrong = append(out.wrong, err.Error())
		return nil
	}
	return err
}

// add counts what was read.
func (d *database) add(n int) error {
	if d.size += n; d.size > maxFound {
		return ErrLarge
	}
	return nil
}

// bytesOf returns a value as it is stored, and whether it is text.
func bytesOf(s *sqlite.Stmt, n int) (data []byte, text bool) {
	if s.ColumnType(n) == sqlite.TypeText {
		return []byte(s.ColumnText(n)), true
	}
	data = make([]byte, s.ColumnLen(n))
	return data[:s.ColumnBytes(n, data)], false
}

// fieldOf returns one column of a row.
func fieldOf(s *sqlite.Stmt, n int) field {
	f := field{name: s.ColumnName(n)}
	switch s.ColumnType(n) {
	case sqlite.TypeInteger:
		f.number, f.kind = float64(s.ColumnInt64(n)), '0'
	case sqlite.TypeFloat:
		f.number, f.kind = s.ColumnFloat(n), '0'
	case sqlite.TypeText, sqlite.TypeBlob:
		data, _ := bytesOf(s, n)
		f.text, f.kind = string(data), '"'
	}
	return f
}

// valid reports whether an id can stand in a name.
func valid(id string) bool {
	if len(id) == 0 || len(id) > 128 {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}
