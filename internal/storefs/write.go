package storefs

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"os"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// pending is how many bytes are gathered before they are appended.
const pending = 1 << 20

// added is a log that lines are added to. It is for one goroutine.
type added struct {
	*file
	mark storage.Mark // behind what was added; zero for a log that is not there yet
	wait []byte       // not appended yet
}

// openWrite opens a log to add to it; one that is made is there with its first
// lines.
func (f *files) openWrite(name string, flag int) (vfs.File, error) {
	if err := f.may("open", name); err != nil {
		return nil, err
	}
	mode := storage.Write
	switch {
	case flag&os.O_APPEND == 0 || flag&os.O_TRUNC != 0:
		return nil, source.Fail("open", name, fs.ErrPermission)
	case flag&os.O_CREATE != 0:
		mode = storage.Create
		if _, err := f.store.Stat(f.ctx, name); err == nil {
			return nil, source.Fail("open", name, fs.ErrExist)
		}
	}
	log, err := f.store.Open(f.ctx, name, mode)
	if err != nil {
		return nil, source.Fail("open", name, err)
	}
	a := &added{file: f.newFile(name, log)}
	if mode == storage.Write {
		info, err := log.Stat(f.ctx)
		if err != nil {
			return nil, errors.Join(source.Fail("open", name, err), log.Close())
		}
		a.mark = info.Mark
	}
	return a, nil
}

// Write gathers bytes.
func (a *added) Write(p []byte) (int, error) {
	a.wait = append(a.wait, p...)
	if len(a.wait) < pending {
		return len(p), nil
	}
	whole := bytes.LastIndexByte(a.wait, '\n') + 1
	if err := a.flush(whole); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush appends the first n bytes of what waits as lines.
func (a *added) flush(n int) error {
	var lines [][]byte
	for line := range bytes.Lines(a.wait[:n]) {
		lines = append(lines, bytes.TrimSuffix(line, []byte{'\n'}))
	}
	if len(lines) == 0 {
		return nil
	}
	for {
		mark, err := a.log.Append(a.ctx, a.mark, lines)
		var changed *storage.Changed
		var part *storage.Partial
		switch {
		case err == nil:
			a.mark = mark
			a.wait = append(a.wait[:0], a.wait[n:]...)
			a.Forget()
			return nil
		case errors.As(err, &part):
			a.mark, lines = mark, lines[part.Lines:]
		case errors.As(err, &changed) && changed.Kind == storage.Grown:
			a.mark = changed.Now // it is added to the end, whoever else adds
		default:
			return source.Fail("write", a.name, err)
		}
	}
}

// Sync appends what waits and makes it durable.
func (a *added) Sync() error {
	if err := a.flush(len(a.wait)); err != nil {
		return err
	}
	if a.mark.IsZero() {
		return nil // nothing was written
	}
	if err := powers.Sync(a.ctx, a.log); err != nil {
		return source.Fail("sync", a.name, err)
	}
	return nil
}

// SyncData is Sync.
func (a *added) SyncData() error { return a.Sync() }

// Stat describes the log with what was written to it.
func (a *added) Stat() (vfs.Info, error) {
	if err := a.flush(len(a.wait)); err != nil {
		return vfs.Info{}, err
	}
	if a.mark.IsZero() {
		return vfs.Info{Name: a.name, Mode: vfs.FileMode}, nil
	}
	return a.file.Stat()
}

// ReadAt reads what the log holds.
func (a *added) ReadAt(p []byte, off int64) (int, error) {
	if err := a.flush(len(a.wait)); err != nil {
		return 0, err
	}
	return a.file.ReadAt(p, off)
}

// Truncate takes the lines behind the first size bytes away.
func (a *added) Truncate(size int64) error {
	if err := a.flush(len(a.wait)); err != nil {
		return err
	}
	mark, err := a.log.Replace(a.ctx, a.mark, func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			at := int64(0)
			for line, err := range lines {
				if at += int64(len(line.Bytes)) + 1; at > size && err == nil {
					return
				}
				if !yield(line.Bytes, err) {
					return
				}
			}
		}
	})
	if err != nil {
		return source.Fail("truncate", a.name, err)
	}
	a.mark = mark
	a.Forget()
	return nil
}

// Chmod has nothing to do: a store has no modes.
func (a *added) Chmod(fs.FileMode) error { return nil }

// Chown has nothing to do.
func (a *added) Chown(uint32, uint32) error { return nil }

// Close appends what waits and lets the log go.
func (a *added) Close() error {
	return errors.Join(a.flush(len(a.wait)), a.file.Close())
}
