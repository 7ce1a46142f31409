package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/texts"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Options say where an index is.
type Options struct {
	// Dir is Cambium's cache directory. It is made when it is missing.
	Dir string
	// Report is told when the index had to be built anew, and why; nil means
	// nobody is.
	Report func(error)
}

// An Index is the catalogue's index in an SQLite file.
type Index struct {
	opt Options

	mu     sync.Mutex
	conn   *sqlite.Conn // nil until it is needed
	file   string       // that of conn, as the directory calls it; "" if that is not known
	broken error        // what is wrong with the file, found by a view
}

var (
	_ catalog.BundleIndex = (*Index)(nil)
	_ texts.Index         = (*Index)(nil)
)

// errDamaged says that the file is not as it was written.
var errDamaged = errors.New("the index is damaged")

// How long a call waits for another process, before it gives up.
const (
	patience     = 250 * time.Millisecond
	longPatience = 5 * time.Second // of what runs in the background
)

// New returns the index of a directory. Nothing is opened before it is needed.
// The caller closes it.
func New(o Options) *Index { return &Index{opt: o} }

// Close closes the file, if it was opened.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shut()
}

func (x *Index) shut() error {
	if x.conn == nil {
		return nil
	}
	err := x.conn.Close()
	x.conn = nil
	return err
}

// use calls f with the open file. When the file turns out to be damaged it is
// built anew, and f is called once more.
func (x *Index) use(ctx context.Context, f func(*sqlite.Conn) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.mend(x.broken); err != nil {
		return err
	}
	for again := false; ; again = true {
		err := x.call(ctx, f)
		if err == nil || ctx.Err() != nil || again {
			return wrap(err)
		}
		switch {
		case x.replaced():
			_ = x.shut() // another process made the index anew
		case !isDamage(err):
			return wrap(err)
		default:
			if err := x.mend(err); err != nil {
				return err
			}
		}
	}
}

// replaced reports whether the open file is not the index any more.
func (x *Index) replaced() bool {
	if x.conn == nil {
		return false
	}
	name, err := current(x.opt.Dir)
	return err == nil && x.file != "" && name != x.file
}

// mend builds the file anew because of cause, if there is one.
func (x *Index) mend(cause error) error {
	if cause == nil {
		return nil
	}
	if x.replaced() {
		x.broken = nil
		return x.shut() // another process has done it
	}
	_ = x.shut() // the file is given up
	conn, err := build(x.opt.Dir)
	if err != nil {
		return wrap(errors.Join(cause, err))
	}
	x.conn, x.file, x.broken = conn, fileOf(conn), nil
	if x.opt.Report != nil {
		x.opt.Report(fmt.Errorf("build the index anew: %w", cause))
	}
	return nil
}

func (x *Index) call(ctx context.Context, f func(*sqlite.Conn) error) (err error) {
	if x.conn == nil {
		if x.conn, err = open(x.opt.Dir); err != nil {
			return err
		}
		x.file = fileOf(x.conn)
	}
	x.conn.SetInterrupt(ctx.Done())
	defer x.conn.SetInterrupt(nil)
	return f(x.conn)
}

// fail notes that a view found the file damaged.
func (x *Index) fail(err error) error {
	if isDamage(err) {
		x.mu.Lock()
		x.broken = err
		x.mu.Unlock()
	}
	return wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("use the index: %w", err)
}

// isDamage reports whether an error says that the file is of no use, as against
// one that is busy or cannot be written.
func isDamage(err error) bool {
	if errors.Is(err, errDamaged) {
		return true
	}
	code := sqlite.ErrCode(err)
	switch code {
	case sqlite.ResultIOErrShortRead, resultPage:
		return true
	}
	switch code.ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultFormat, sqlite.ResultMismatch, sqlite.ResultTooBig:
		return true
	case sqlite.ResultError:
		// Statements are fixed: one that fails meets another schema. What is
		// not from SQLite at all has this code too.
		var (
			path *fs.PathError
			link *os.LinkError
		)
		return !errors.As(err, &path) && !errors.As(err, &link) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	return false
}

// transact runs f in a transaction that writes.
func transact(conn *sqlite.Conn, f func() error) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	return f()
}
