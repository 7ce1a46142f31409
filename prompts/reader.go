package prompts

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
)

// errWritten is the cause when every try to read a database met a writer.
var errWritten = errors.New("another program does not stop writing it")

// What keeps a database from being read that somebody made so that it cannot be, or
// nobody could want to.
var (
	errSlow  = errors.New("it takes too long to read")
	errLong  = errors.New("it takes too long to write")
	errLarge = errors.New("it is larger than 1 GiB, or what is found in it than 64 MiB")
)

// Bounds of what is read of a database, in bytes: its files, one value of it, and
// what is found.
const (
	maxFiles = 1 << 30
	maxValue = 16 << 20
	maxFound = 64 << 20
)

// tries is how often a database is read again because it changed meanwhile.
const tries = 20

// A reader reads one database and changes nothing of it.
type reader struct {
	Source
	fs   vfs.FS
	temp string
	most time.Duration // that reading may take

	mu   sync.Mutex
	db   *database // guarded by mu: open since the last read, nil for none
	seen look      // guarded by mu: the file, when it was opened
}

func newReader(fsys vfs.FS, s Source, o Options) *reader {
	return &reader{Source: s, fs: fsys, temp: o.Temp, most: o.Longest}
}

// close lets go of the database; a later read opens it again.
func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drop()
}

func (r *reader) drop() error {
	if r.db == nil {
		return nil
	}
	conn := r.db.conn
	r.db = nil
	return conn.Close()
}

// rows returns what a database answers; none when it is not there.
func (r *reader) rows(ctx context.Context, a ask) (rows, error) {
	var found rows
	err := r.read(ctx, func(d *database) (err error) {
		found, err = d.find(a, r.Parts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// read calls f with the database as it was at one moment, more than once if it
// was not; not at all if it is not there, or empty.
func (r *reader) read(ctx context.Context, f func(*database) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	within, stop := context.WithTimeout(ctx, r.most)
	defer stop()
	err := r.readWithin(within, f)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return errSlow
	}
	return err
}

// readWithin is read for as long as ctx lasts. r.mu is held.
func (r *reader) readWithin(ctx context.Context, f func(*database) error) error {
	for range tries {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, err := lookAt(r.fs, r.Path)
		if err != nil {
			return err
		}
		if !now.there() {
			return r.drop()
		}
		if now.db.size+now.wal.size+now.journal.size > maxFiles {
			return errors.Join(errLarge, r.drop())
		}
		if r.db != nil && r.seen != now {
			_ = r.drop() // it was only read
		}
		if r.db == nil {
			err := r.open(ctx, now)
			if errors.Is(err, errChanged) {
				continue
			}
			if err != nil && now.quiet() && r.moved(now) {
				continue // what was wrong may be that it changed
			}
			if err != nil {
				return err
			}
		}
		r.db.conn.SetInterrupt(ctx.Done())
		err = f(r.db)
		r.db.conn.SetInterrupt(nil)
		if now.quiet() && r.moved(now) {
			continue
		}
		if err != nil {
			_ = r.drop() // it was only read
		}
		return err
	}
	return errWritten
}

// moved reports whether the file is not as it was, and then lets go of it.
func (r *reader) moved(was look) bool {
	now, err := lookAt(r.fs, r.Path)
	if err == nil && now == was {
		return false
	}
	_ = r.drop() // it was only read
	return true
}

// open opens the database: where it lies, or a copy if there is a log beside
// it.
func (r *reader) open(ctx context.Context, now look) error {
	open := func() (*sqlite.Conn, error) { return inPlace(now.path) }
	if !now.quiet() {
		open = func() (*sqlite.Conn, error) { return r.copied(ctx, now) }
	}
	conn, err := open()
	if err != nil {
		return err
	}
	s, err := shapeOf(conn)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	r.db, r.seen = &database{conn: conn, shape: s}, now
	return nil
}

// inPlace opens a database file that has no log, without looking for one,
// locking it or creating anything beside it.
func inPlace(path string) (*sqlite.Conn, error) {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "immutable=1"}
	conn, err := sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	if err := careful(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// careful prepares a connection to a file that somebody else made: it runs
// nothing that is written in the file, and makes no temporary files.
func careful(conn *sqlite.Conn) error {
	conn.Limit(sqlite.LimitLength, maxValue)
	conn.Limit(sqlite.LimitAttached, 0)
	return run(conn, "PRAGMA trusted_schema = OFF", "PRAGMA temp_store = MEMORY", "PRAGMA cell_size_check = ON")
}

// copied opens a private copy of a database and of its log, which has no name
// any more when it returns. errChanged: it was no copy of one moment.
func (r *reader) copied(ctx context.Context, was look) (*sqlite.Conn, error) {
	dir, err := os.MkdirTemp(r.temp, "cambium-prompts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "copy.db")
	// The database before its log: see the package comment.
	for _, suffix := range []string{"", walSuffix, journalSuffix} {
		err := r.copyFile(ctx, was.path+suffix, path+suffix)
		if err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	now, err := lookAt(r.fs, r.Path)
	if err != nil {
		return nil, err
	}
	if !was.copiedAs(now) {
		return nil, errChanged
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	if err := careful(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	// The first read opens the log, or rolls the journal back; with exclusive
	// locking no other file is needed after it.
	err = run(conn, "PRAGMA locking_mode = EXCLUSIVE", "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// copyFile copies the file as far as it reaches now.
func (r *reader) copyFile(ctx context.Context, from, to string) (err error) {
	in, err := r.fs.Open(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := r.fs.Open(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	buf := make([]byte, 1<<18)
	for at := int64(0); at < info.Size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := in.ReadAt(buf[:min(int64(len(buf)), info.Size-at)], at)
		if n == 0 {
			return nil // it became shorter: the second look tells
		}
		if _, err := vfs.WriteAll(out, buf[:n]); err != nil {
			return err
		}
		at += int64(n)
		if err != nil {
			return nil
		}
	}
	return nil
}
