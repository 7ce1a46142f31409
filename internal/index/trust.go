package index

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// maxNamesake is how long the file may be that names the index.
	maxNamesake = 256
	// maxValue is how long a value of the database may be: the offsets of the
	// largest sessions are a tenth of it.
	maxValue = 256 << 20
)

// ownDir refuses a cache directory that others may write to: they could put an
// index there that says what they like. One that is not there is none.
func ownDir(dir string) error {
	info, err := vfs.OS().Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Theirs():
		return fmt.Errorf("%q belongs to somebody else: name another one in CAMBIUM_CACHE_DIR", dir)
	case info.Mode.Perm()&0o022 != 0:
		return fmt.Errorf("others can write to %q: chmod go-w helps", dir)
	}
	return nil
}

// ownFile reports a database as damaged that is no file of the person's own, or has
// something else beside it where SQLite keeps its log.
func ownFile(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := vfs.OS().Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.Regular() || info.Theirs() || info.Mode.Perm()&0o022 != 0:
			return fmt.Errorf("%w: others could have made %q", errDamaged, path+suffix)
		}
	}
	return nil
}

// careful has a connection run nothing that is written in a file, and check what it
// reads.
func careful(conn *sqlite.Conn) error {
	conn.Limit(sqlite.LimitLength, maxValue)
	conn.Limit(sqlite.LimitAttached, 0)
	for _, query := range []string{"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON"} {
		if _, err := pragma(conn, query); err != nil {
			return err
		}
	}
	return nil
}

// made is what FTS5 and SQLite add to the schema.
const made = `
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE 'words_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
`

// sameSchema reports a database as damaged that has other tables than an index, or
// anything beside them: a view or a trigger in place of a table would answer what
// somebody else wants, for as long as they want.
func sameSchema(conn *sqlite.Conn) error {
	want := map[string]bool{}
	for line := range strings.Lines(schema + made) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), ";"); strings.HasPrefix(line, "CREATE ") {
			want[line] = true
		}
	}
	err := sqlitex.ExecuteTransient(conn, "SELECT name, coalesce(sql, '') FROM sqlite_schema", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			name, sql := s.ColumnText(0), s.ColumnText(1)
			if sql == "" && strings.HasPrefix(name, "sqlite_autoindex_") {
				return nil // of a table that is compared
			}
			if !want[sql] {
				return fmt.Errorf("%w: it has %q, which is none of an index", errDamaged, name)
			}
			delete(want, sql)
			return nil
		},
	})
	if err == nil && len(want) > 0 {
		err = fmt.Errorf("%w: it lacks %d of its tables", errDamaged, len(want))
	}
	return err
}
