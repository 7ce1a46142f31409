package index

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// version is that of the schema and of everything packed. A change of either
// changes it.
const version = 5

// appID marks the file as this program's ("camb").
const appID = 0x63616D62

// schema is run on an empty file.
//
// bundles has the records of a directory, cut where their names are first or
// greater, so that a change of one writes some kilobytes however many there are. A
// bundle fits on a page.
//
// words has a column for each level of how often a word stands in a chunk. It is
// fed with words that are folded and separated already, which the tokenizer ascii
// takes as they are: it knows letters and digits of ASCII and takes all other
// characters for parts of words.
const schema = `
PRAGMA application_id = 1667329378;
PRAGMA user_version = 5;
CREATE TABLE bundles (id INTEGER PRIMARY KEY, dir TEXT NOT NULL, first TEXT NOT NULL, data BLOB NOT NULL, UNIQUE (dir, first));
CREATE TABLE offsets (path TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE tallies (path TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE texts (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, data BLOB NOT NULL);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE sieve (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (w0, w1, w2, w3, content = '', contentless_delete = 1, detail = column, tokenize = 'ascii');
INSERT INTO words (words, rank) VALUES ('hashsize', 8388608);
INSERT INTO words (words, rank) VALUES ('automerge', 8);
`

// tuning is run on every connection. What a power cut takes is built again.
func tuning() []string {
	return []string{"PRAGMA synchronous = NORMAL", usualCache, "PRAGMA wal_autocheckpoint = 1000"}
}

// How much of the file a connection holds, usually and where hardly anything is
// read twice: memory that is new is dear.
const (
	usualCache = "PRAGMA cache_size = -8000"
	smallCache = "PRAGMA cache_size = -1000"
	tinyCache  = "PRAGMA cache_size = -256" // that the processor holds as well
)

// namesake is the file that holds the name of the index.
func namesake(dir string) string { return filepath.Join(dir, fmt.Sprintf("index-%d", version)) }

// open opens the index of a directory; one that is missing is made.
func open(dir string) (*sqlite.Conn, error) {
	if err := ownDir(dir); err != nil {
		return nil, err
	}
	name, err := current(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return build(dir)
	case err != nil:
		return nil, err
	}
	if err := ownFile(filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	tidyDaily(dir, name, time.Now())
	conn, err := openChecked(filepath.Join(dir, name))
	if err != nil {
		if _, statErr := os.Stat(filepath.Join(dir, name)); errors.Is(statErr, fs.ErrNotExist) {
			return build(dir) // somebody cleaned up
		}
		return nil, err
	}
	if err := prepare(conn); err != nil {
		_ = conn.Close() // the first error is the one that matters
		return nil, err
	}
	return conn, nil
}

// current returns the name of the index.
func current(dir string) (string, error) {
	info, err := vfs.OS().Lstat(namesake(dir))
	if err != nil {
		return "", err
	}
	if !info.Regular() || info.Size > maxNamesake {
		return "", errDamaged
	}
	raw, err := os.ReadFile(namesake(dir))
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(raw))
	if !strings.HasPrefix(name, filepath.Base(namesake(dir))+"-") || filepath.Base(name) != name {
		return "", errDamaged
	}
	return name, nil
}

// prepare makes a connection ready and checks that the file is an index of this
// version.
func prepare(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(patience)
	if err := careful(conn); err != nil {
		return err
	}
	app, err := pragma(conn, "PRAGMA application_id")
	if err != nil {
		return err
	}
	v, err := pragma(conn, "PRAGMA user_version")
	if err != nil {
		return err
	}
	if app != appID || v != version {
		return fmt.Errorf("%w: it is of another program or version", errDamaged)
	}
	if err := sameSchema(conn); err != nil {
		return err
	}
	for _, query := range tuning() {
		if _, err := pragma(conn, query); err != nil {
			return err
		}
	}
	return nil
}

func pragma(conn *sqlite.Conn, query string) (value int64, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		value = s.ColumnInt64(0)
		return nil
	}})
	return value, err
}

// build makes an empty index, puts it in the place of the one there is and
// removes what nobody will use any more. Where there was none, and another process
// was first, it opens that.
func build(dir string) (*sqlite.Conn, error) {
	conn, err := buildOwn(dir)
	if errors.Is(err, errMade) {
		return open(dir)
	}
	return conn, err
}

// errMade says that another process has made the index meanwhile.
var errMade = errors.New("another process has made the index")

func buildOwn(dir string) (conn *sqlite.Conn, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := ownDir(dir); err != nil {
		return nil, err
	}
	old, none := current(dir) // there may be none
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	name := fmt.Sprintf("index-%d-%s.sqlite", version, hex.EncodeToString(random[:]))
	path := filepath.Join(dir, name)
	// SQLite gives the files beside it the same permissions.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove(path)
		}
	}()
	_, err = f.Write(emptyDatabase())
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if conn, err = openChecked(path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = conn.Close() // the first error is the one that matters
		}
	}()
	if _, err := pragma(conn, "PRAGMA journal_mode = WAL"); err != nil {
		return nil, err
	}
	if err := sqlitex.ExecuteScript(conn, schema, nil); err != nil {
		return nil, err
	}
	if err := prepare(conn); err != nil {
		return nil, err
	}
	if err := point(dir, name, errors.Is(none, fs.ErrNotExist)); err != nil {
		return nil, err
	}
	if old != "" {
		remove(filepath.Join(dir, old))
	}
	tidy(dir, name, time.Now())
	return conn, nil
}

// point makes name the index, by putting a file in the place of the one that says so.
// first says that there was none: if there is one now, the error is errMade.
func point(dir, name string, first bool) error {
	f, err := os.CreateTemp(dir, "index-*.tmp")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone, or the first error is the one that matters
	_, err = f.WriteString(name + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if first {
		switch err := os.Link(f.Name(), namesake(dir)); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return errMade
		} // not every file system has links
	}
	err = os.Rename(f.Name(), namesake(dir))
	if err != nil && aside(dir, name) {
		err = os.Rename(f.Name(), namesake(dir))
	}
	return err
}

// aside gives a directory that has the name of the namesake another name, and reports
// whether it did. Nothing in it is touched.
func aside(dir, name string) bool {
	info, err := vfs.OS().Lstat(namesake(dir))
	return err == nil && info.Mode.IsDir() && os.Rename(namesake(dir), filepath.Join(dir, "aside-"+name)) == nil
}

// fileOf returns the name of the file that a connection has open, "" when that is not known.
func fileOf(conn *sqlite.Conn) (name string) {
	_ = sqlitex.ExecuteTransient(conn, "PRAGMA database_list", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		name = filepath.Base(s.ColumnText(2))
		return nil
	}}) // it is not known then
	return name
}
