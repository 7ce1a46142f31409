package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"sync"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// logs is a store as a source.
type logs struct{ store storage.Store }

// Logs returns the logs of a store. There are no links in it.
func Logs(store storage.Store) Source { return logs{store} }

func (l logs) Store() storage.Store { return l.store }

func (l logs) Names(ctx context.Context, dir string) (names []string, err error) {
	for info, err := range l.store.List(ctx, dir) {
		if err != nil {
			return nil, Fail("open", dir, err)
		}
		names = append(names, path.Base(info.Name))
	}
	return names, nil
}

func (l logs) Survey(ctx context.Context, dir, suffix string, to *vfs.Roll) error {
	for info, err := range l.store.List(ctx, dir) {
		if err != nil {
			return Fail("open", dir, err)
		}
		s := StateOf(info)
		to.Offer(path.Base(info.Name), suffix, vfs.Found{Dev: s.Dev, Ino: s.Ino, Size: s.Size, ModTime: s.ModTime, Mode: s.Mode.Type()})
	}
	return nil
}

func (l logs) Stat(ctx context.Context, name string) (State, error) {
	info, err := l.store.Stat(ctx, name)
	if errors.Is(err, storage.ErrNotExist) && path.Clean(name) == "/" {
		return State{Mode: fs.ModeDir | vfs.DirMode}, nil // whatever is in it
	}
	if err != nil {
		return State{}, Fail("stat", name, err)
	}
	return StateOf(info), nil
}

func (l logs) Resolve(_ context.Context, name string) (string, error) {
	return "", Fail("readlink", name, fs.ErrInvalid)
}

func (l logs) Open(ctx context.Context, name string) (File, error) {
	log, err := l.store.Open(ctx, name, storage.Read)
	if err != nil {
		return nil, Fail("open", name, err)
	}
	return &logFile{Lines: NewLines(ctx, name, log), name: name, log: log}, nil
}

// StateOf is what a source says of a log: which one it is by what its mark says of
// that.
func StateOf(info storage.Info) State {
	words := info.Mark.Words()
	return State{Stamp{Dev: words[0], Ino: words[1], Size: info.Size, ModTime: info.ModTime}, info.Mode}
}

// Fail is an error of a store as one of a file system.
func Fail(op, name string, err error) error {
	for _, known := range []error{fs.ErrNotExist, fs.ErrExist, vfs.ErrNotRegular} {
		if errors.Is(err, known) {
			err = known
		}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// logFile is an open log of a store.
type logFile struct {
	*Lines
	name string
	log  storage.Log
}

func (f *logFile) Stat() (State, error) {
	info, err := f.log.Stat(f.ctx)
	if err != nil {
		return State{}, Fail("stat", f.name, err)
	}
	return StateOf(info), nil
}

func (f *logFile) Close() error {
	f.Forget()
	return f.log.Close()
}

// Lines are the bytes of a log of lines: it is read once from its beginning, and
// held in memory as far as it was read. They are safe for concurrent use.
type Lines struct {
	ctx  context.Context // of all reading: io.ReaderAt has none
	name string
	log  storage.Log

	mu   sync.Mutex
	data []byte                             // guarded by mu
	next func() (storage.Line, error, bool) // guarded by mu
	stop func()                             // guarded by mu
	err  error                              // guarded by mu: why there is no more
}

// NewLines returns the bytes of an open log, for as long as ctx lasts.
func NewLines(ctx context.Context, name string, log storage.Log) *Lines {
	return &Lines{ctx: ctx, name: name, log: log}
}

// ReadAt reads the log on until it has what is asked for.
func (l *Lines) ReadAt(p []byte, off int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next, l.stop = iter.Pull2(l.log.Read(l.ctx, storage.Mark{}))
	}
	for l.err == nil && int64(len(l.data)) < off+int64(len(p)) {
		line, err, ok := l.next()
		switch {
		case !ok:
			l.err = io.EOF
		case err != nil:
			l.err = Fail("read", l.name, err)
		default:
			if l.data = append(l.data, line.Bytes...); line.LF {
				l.data = append(l.data, '\n')
			}
		}
	}
	n := copy(p, l.data[min(off, int64(len(l.data))):])
	if n < len(p) {
		return n, l.err
	}
	return n, nil
}

// Forget lets go of what was read: the log is read anew when it is asked for again.
func (l *Lines) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
	}
	l.data, l.next, l.stop, l.err = nil, nil, nil, nil
}
