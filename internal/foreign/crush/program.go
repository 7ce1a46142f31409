// Package crush reads the sessions of Crush, which keeps them in a database of each project.
//
// A message becomes an entry with the message's id, and each result of a tool one of its own.
// What of a message has no place in an entry is in the entry's member "crush"; a part that has no
// equal is a custom entry. The source of the rules is the program's own, as it is published:
// nothing here was compared with files of a running one.
package crush

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	name = dialect.Name("crush")
	// dirName is the directory of a project that holds the database.
	dirName = ".crush"
	dbName  = "crush.db"
)

// form is what Crush keeps in its database.
var form = database.Form{Needed: []database.Table{
	{Name: "sessions", Columns: []string{"id"}},
	{Name: "messages", Columns: []string{"id", "session_id", "role", "parts"}},
}}

// A program is Crush.
type program struct{ lib database.Library }

var _ foreign.Program = (*program)(nil)

// New returns Crush.
func New() foreign.Program { return &program{lib: database.Library{Form: form}} }

func (*program) Name() dialect.Name { return name }

// Folders returns the database of the working directory, if it has one.
func (*program) Folders(_ context.Context, fsys vfs.FS, env layout.Env, unread func(string, error)) []string {
	if !filepath.IsAbs(env.Cwd) {
		return nil
	}
	path := filepath.Join(env.Cwd, dirName, dbName)
	_, err := fsys.Stat(path)
	switch {
	case err == nil:
		return []string{path}
	case !errors.Is(err, fs.ErrNotExist) && unread != nil:
		unread(path, err)
	}
	return nil
}

// Roots returns none: a database is no session.
func (*program) Roots(layout.Env) []string { return nil }

// Owns says so of a database in any project.
func (*program) Owns(name string, _ layout.Env) bool {
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	return filepath.IsAbs(name) && filepath.Ext(base) == database.Ext && filepath.Base(dir) == dbName && filepath.Base(filepath.Dir(dir)) == dirName
}

// states calls f with the state of each session, or of the one with an id.
func states(d *database.DB, id string, f func(database.State)) error {
	where, named := "TRUE", map[string]any{}
	if id != "" {
		where, named[":id"] = "id = :id", id
	}
	query := `SELECT s.id, (SELECT count(*) FROM messages WHERE session_id = s.id),
		max(coalesce(s.u, 0), coalesce((SELECT max(` + d.Column("messages", "updated_at") + `) FROM messages WHERE session_id = s.id), 0))
		FROM (SELECT id, ` + d.Column("sessions", "updated_at") + ` AS u FROM sessions WHERE ` + where + `) s`
	return sqlitex.ExecuteTransient(d.Conn, query, &sqlitex.ExecOptions{Named: named, ResultFunc: func(s *sqlite.Stmt) error {
		if is := s.ColumnText(0); database.Valid(is) {
			f(database.State{ID: is, Count: s.ColumnInt64(1), Updated: milliseconds(s.ColumnInt64(2))})
		}
		return d.Add(100)
	}})
}

// milliseconds returns a time in milliseconds, of one that may be in seconds.
func milliseconds(at int64) int64 {
	if at > 0 && at < 1e11 {
		at *= 1000
	}
	return max(0, min(at, database.MaxTime))
}

func (p *program) Survey(ctx context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error {
	info, err := fsys.Stat(dir)
	if err != nil {
		return err
	}
	var all []database.State
	err = p.lib.Read(ctx, fsys, dir, func(d *database.DB) error {
		all = all[:0]
		return states(d, "", func(s database.State) { all = append(all, s) })
	})
	if err != nil {
		return err
	}
	for _, s := range all {
		to.Add([]byte(s.ID+database.Ext), database.Found(info, s))
	}
	return nil
}

func (p *program) Stat(ctx context.Context, fsys vfs.FS, name string) (source.State, error) {
	dir, id := database.Split(name)
	missing := &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	if id == "" {
		return source.State{}, missing
	}
	info, err := fsys.Stat(dir)
	if err != nil {
		return source.State{}, err
	}
	var is *database.State
	err = p.lib.Read(ctx, fsys, dir, func(d *database.DB) error {
		is = nil
		return states(d, id, func(s database.State) { is = &s })
	})
	switch {
	case err != nil:
		return source.State{}, err
	case is == nil:
		return source.State{}, missing
	}
	f := database.Found(info, *is)
	return source.State{Stamp: source.Stamp{Dev: f.Dev, Ino: f.Ino, Size: f.Size, ModTime: f.ModTime}, Mode: f.Mode}, nil
}

func (p *program) Read(ctx context.Context, fsys vfs.FS, name string) (*mosaic.Mosaic, error) {
	dir, id := database.Split(name)
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if id == "" {
		return nil, missing
	}
	var is *stored
	err := p.lib.Read(ctx, fsys, dir, func(d *database.DB) (err error) {
		is, err = read(d, id)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	is.cwd = filepath.Dir(filepath.Dir(dir))
	return lines(is), nil
}

// A stored session is what Crush keeps of one.
type stored struct {
	id, cwd  string
	fields   map[string]database.Field // by column
	messages []message
	wrong    []string // what could not be read
}

// A message is one row of the table.
type message struct {
	id, role, model, provider string
	parts                     []byte
	created                   int64
	summary                   bool
}

// read reads all of a session.
func read(d *database.DB, id string) (*stored, error) {
	out := &stored{id: id, fields: map[string]database.Field{}}
	found := false
	err := sqlitex.Execute(d.Conn, "SELECT * FROM sessions WHERE id = :id", &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			found = true
			for n := range s.ColumnCount() {
				if err := d.Add(s.ColumnLen(n)); err != nil {
					return err
				}
				out.fields[s.ColumnName(n)] = database.Column(s, n)
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
	query := fmt.Sprintf("SELECT id, role, parts, %s, %s, %s, %s FROM messages WHERE session_id = :id ORDER BY 6, rowid",
		d.Column("messages", "model"), d.Column("messages", "provider"), d.Column("messages", "created_at"), d.Column("messages", "is_summary_message"))
	err = sqlitex.Execute(d.Conn, query, &sqlitex.ExecOptions{
		Named: map[string]any{":id": id},
		ResultFunc: func(s *sqlite.Stmt) error {
			parts, _ := database.Bytes(s, 2)
			out.messages = append(out.messages, message{
				id: s.ColumnText(0), role: s.ColumnText(1), parts: parts, model: s.ColumnText(3), provider: s.ColumnText(4),
				created: milliseconds(s.ColumnInt64(5)), summary: s.ColumnInt64(6) != 0,
			})
			return d.Add(len(parts) + 100)
		},
	})
	if database.Broken(err) {
		out.wrong = append(out.wrong, err.Error())
		err = nil
	}
	return out, err
}
