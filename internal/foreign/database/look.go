package database

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// What SQLite keeps beside a database while it is in use.
const (
	logSuffix     = "-wal"
	journalSuffix = "-journal"
)

// A look is what can be seen of a database without locking it. Equal looks are of one state,
// as far as the clock of the file system can tell.
type look struct {
	path    string // links followed
	db, log part
	head    [32]byte // of the log: it changes when the log begins anew
	journal part
}

// A part is one file of a database, the zero value one that is not there.
type part struct {
	dev, ino   uint64
	size, time int64
}

// lookAt looks at a database and at what lies beside it. One that is not there is
// fs.ErrNotExist.
func lookAt(fsys vfs.FS, path string) (look, error) {
	real, err := vfs.Resolve(fsys, path)
	if err != nil {
		return look{}, err
	}
	l := look{path: real}
	for _, file := range []struct {
		suffix string
		to     *part
	}{{"", &l.db}, {logSuffix, &l.log}, {journalSuffix, &l.journal}} {
		info, err := fsys.Lstat(real + file.suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist) && file.suffix != "":
			continue
		case err != nil:
			return look{}, err
		case !info.Regular():
			return look{}, &fs.PathError{Op: "open", Path: real + file.suffix, Err: vfs.ErrNotRegular}
		}
		*file.to = part{info.Dev, info.Ino, info.Size, info.ModTime}
	}
	if l.log.size > 0 {
		err = l.readHead(fsys)
	}
	return l, err
}

func (l *look) readHead(fsys vfs.FS) (err error) {
	f, err := fsys.Open(l.path+logSuffix, os.O_RDONLY)
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

// stillAs reports whether what was read between the looks l and now is one state of the
// database. Its log may grow meanwhile: what is behind its end was not read.
func (l look) stillAs(now look) bool {
	if l.path != now.path || l.db != now.db || l.journal != now.journal {
		return false
	}
	if l.log.size == 0 {
		return now.log.size == 0 || now.log.ino == l.log.ino || l.log == part{}
	}
	return now.log.ino == l.log.ino && now.log.size >= l.log.size && now.head == l.head
}

// tick is how far apart changes may be that the clock of a file system does not tell apart.
const tick = 20 * time.Millisecond

// settled reports whether a change after a time would be seen in the next look.
func (l look) settled(at time.Time) bool {
	return at.Sub(time.Unix(0, l.db.time)) > tick || at.Before(time.Unix(0, l.db.time))
}
