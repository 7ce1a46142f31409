package prompts

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// What SQLite keeps beside a database while it is in use.
const (
	walSuffix     = "-wal"
	journalSuffix = "-journal"
	shmSuffix     = "-shm"
)

// errChanged is the cause when a database changed while it was copied.
var errChanged = errors.New("it changed while it was read")

// A look is what can be seen of a database without locking it. Equal looks are
// of one state, as far as the clock of the file system can tell.
type look struct {
	path    string // links followed
	db      part
	wal     part
	head    [32]byte // of the log: it changes when the log begins anew
	journal part
}

// A part is one file of a database, the zero value one that is not there.
type part struct {
	dev, ino   uint64
	size, time int64
}

// lookAt looks at a database and at what lies beside it.
func lookAt(fsys vfs.FS, path string) (look, error) {
	real, err := vfs.Resolve(fsys, path)
	if err != nil {
		return look{}, err
	}
	l := look{path: real}
	for suffix, p := range map[string]*part{"": &l.db, walSuffix: &l.wal, journalSuffix: &l.journal} {
		info, err := fsys.Lstat(real + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return look{}, err
		case !info.Regular():
			return look{}, &fs.PathError{Op: "open", Path: real + suffix, Err: vfs.ErrNotRegular}
		}
		*p = part{info.Dev, info.Ino, info.Size, info.ModTime}
	}
	if l.wal.size > 0 {
		err = l.readHead(fsys)
	}
	return l, err
}

func (l *look) readHead(fsys vfs.FS) (err error) {
	f, err := fsys.Open(l.path+walSuffix, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.ReadAt(l.head[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// there reports whether there is something to read.
func (l look) there() bool { return l.db.size > 0 || l.wal.size > 0 && l.db != part{} }

// quiet reports whether all there is stands in the database file itself.
func (l look) quiet() bool { return l.wal.size == 0 && l.journal.size == 0 }

// copiedAs reports whether what was copied between the looks l and now is one
// state of the database.
func (l look) copiedAs(now look) bool {
	switch {
	case l.path != now.path, l.journal != now.journal, l.db.ino != now.db.ino, l.db.dev != now.db.dev:
		return false
	case l.wal.size > 0:
		// It may grow, and its pages go to the database: they are in the copy.
		return now.wal.ino == l.wal.ino && now.wal.size >= l.wal.size && now.head == l.head
	}
	return l.wal == now.wal && l.db == now.db || l.journal.size > 0 && l.wal == now.wal
}
