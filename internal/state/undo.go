package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Undo takes back an operation, named by its id or the beginning of one; "" is
// the last one that is in effect. No entry is ever removed: where a file was
// written to since its bytes were replaced, the old bytes are put beside it, and
// the note says so. The error wraps ErrUnknown, ErrUndone, ErrConflict or is an
// [*Ambiguous].
func (j *Journal) Undo(ctx context.Context, id string, revert Reverter) (Restored, error) {
	if !exists(j.own, j.path("operations")) {
		return Restored{}, fmt.Errorf("undo: %w", ErrUnknown)
	}
	f, _, err := j.locked(ctx, "operations.lock")
	if err != nil {
		return Restored{}, fmt.Errorf("undo: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	for {
		o, err := j.lookUp(ctx, id)
		if err != nil {
			return Restored{}, fmt.Errorf("undo: %w", err)
		}
		r, err := j.undo(ctx, o, revert)
		if errors.Is(err, errNoEffect) {
			// Interrupted before it changed anything.
			if err := j.mark(ctx, line{ID: o.ID, Status: Failed, Cause: "interrupted"}); err != nil {
				return r, fmt.Errorf("undo: %w", err)
			}
			if id == "" {
				continue
			}
			err = fmt.Errorf("it was interrupted before it changed anything: %w", ErrUndone)
		}
		if err != nil {
			return r, fmt.Errorf("undo %s of %q: %w", o.Op, o.Path, err)
		}
		return r, nil
	}
}

// errNoEffect says that an interrupted operation changed nothing.
var errNoEffect = errors.New("without effect")

func (j *Journal) undo(ctx context.Context, o record, revert Reverter) (Restored, error) {
	r := Restored{Operation: o.Operation}
	if !o.Undoable() {
		return r, fmt.Errorf("it is %s: %w", o.Status, ErrUndone)
	}
	// Said first: what is interrupted is known by it.
	if err := j.undoing(ctx, o, ""); err != nil {
		return r, err
	}
	var err error
	switch {
	case trashes(o.Op):
		return j.untrash(ctx, o)
	case keeps(o.Op):
		r.Now, r.Note, err = j.putBack(ctx, o)
	case revert != nil:
		c := o.Change
		c.Again = o.Status == Undoing
		if r.Now, r.Note, err = revert(ctx, c); errors.Is(err, ErrConflict) && o.interrupted() {
			err = errNoEffect
		}
		if err == nil && o.open > 0 {
			j.reopenEnd(ctx, r.Now, o.open)
		}
	default:
		err = errors.ErrUnsupported
	}
	if err != nil {
		return r, errors.Join(err, j.notUndone(ctx, o))
	}
	err = j.mark(ctx, line{ID: o.ID, Status: Undone})
	if err == nil && keeps(o.Op) {
		err = j.drop(j.path("kept", o.ID)) // they are where they were
	}
	if err != nil {
		j.opt.Report(r.Now, err)
	}
	return r, nil
}

// undoing records that an operation is about to be taken back, to the place to, "" for
// where it was.
func (j *Journal) undoing(ctx context.Context, o record, to string) error {
	if err := j.start(o.ID); err != nil {
		return err
	}
	if o.Status == Undoing && o.back == to {
		return nil
	}
	err := j.mark(ctx, line{ID: o.ID, Status: Undoing, To: name(to)})
	if err != nil {
		j.stop(o.ID, true)
	}
	return err
}

// notUndone records that an operation is as it was before it was to be taken back.
func (j *Journal) notUndone(ctx context.Context, o record) error {
	was := o.Status
	if was == Undoing {
		was = o.from
	}
	return j.mark(ctx, line{ID: o.ID, Status: was})
}

// untrash brings back what an operation removed.
func (j *Journal) untrash(ctx context.Context, o record) (Restored, error) {
	r, err := j.restore(ctx, o.ID, o.back)
	if err == nil {
		return r, nil
	}
	if !errors.Is(err, ErrUnknown) {
		return r, errors.Join(err, j.notUndone(ctx, o))
	}
	r = Restored{Operation: o.Operation, Now: o.Path}
	switch {
	case o.Status == Undoing: // it was brought back, and then interrupted
		return r, errors.Join(j.mark(ctx, line{ID: o.ID, Status: Undone}), j.clear(filepath.Join(j.trash, o.ID)))
	case o.Status == Done:
		err = fmt.Errorf("it is no longer in the trash: %w", ErrUndone)
	default:
		err = errNoEffect
	}
	return r, errors.Join(err, j.notUndone(ctx, o))
}

// keep copies the bytes at path that an operation is about to replace.
func (j *Journal) keep(ctx context.Context, o record, path string) error {
	if err := j.mkdir("kept", o.ID); err != nil {
		return err
	}
	if o.File != (File{}) {
		// A file that took its place since is not what is going to be replaced.
		info, err := j.fs.Lstat(path)
		if err == nil && o.File != (File{Dev: info.Dev, Ino: info.Ino}) {
			err = &storage.Changed{Kind: storage.Replaced}
		}
		if err != nil {
			return err
		}
	}
	return copyFile(ctx, site{j.fs, path}, site{j.own, j.kept(o)})
}

// kept is where the bytes are that an operation replaced.
func (j *Journal) kept(o record) string { return j.path("kept", o.ID, "bytes") }

// putBack puts the kept bytes in the place of the file, if that is as the
// operation left it, else beside it.
func (j *Journal) putBack(ctx context.Context, o record) (now, note string, err error) {
	if err := j.believedBelow(j.own, j.path("kept"), j.path("kept", o.ID)); err != nil {
		return "", "", err
	}
	if err := makeDir(j.fs, filepath.Dir(o.Path)); err != nil {
		return "", "", err
	}
	j, path, release, err := j.at(o.Path)
	defer release()
	if err != nil {
		return "", "", err
	}
	was, err := fingerprintAt(ctx, j.own, j.kept(o), -1)
	if err != nil {
		return "", "", err
	}
	is, err := j.fingerprint(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		now, err = j.putBeside(ctx, o)
		return now, "nothing was there", err
	case err != nil:
		return "", "", err
	case is == was && o.interrupted():
		return "", "", errNoEffect
	case is == was:
		return o.Path, "it is as it was before", nil
	case o.Status == Undoing && j.nearly(ctx, path, was):
		return o.Path, "", j.trim(ctx, path, was.Size)
	case is == o.print:
		err = j.putInPlace(ctx, o, path, is)
		var changed *storage.Changed
		if !errors.As(err, &changed) {
			return o.Path, "", err
		}
	}
	now, err = j.putBeside(ctx, o)
	return now, fmt.Sprintf("%q was written to since, and stays as it is", o.Path), err
}

// putBeside copies the kept bytes to the file's path or a free one beside it.
func (j *Journal) putBeside(ctx context.Context, o record) (string, error) {
	if err := makeDir(j.fs, filepath.Dir(o.Path)); err != nil {
		return "", err
	}
	was, err := fingerprintAt(ctx, j.own, j.kept(o), -1)
	if err != nil {
		return "", err
	}
	for n := range maxBeside {
		to := beside(o.Path, n)
		taken, err := j.there(to)
		if err != nil {
			return "", err
		}
		if taken && o.Status == Undoing { // it may have been put there already
			if is, err := j.fingerprint(ctx, to); err == nil && is == was {
				return to, nil
			}
		}
		if taken {
			continue
		}
		err = copyFile(ctx, site{j.own, j.kept(o)}, site{j.fs, to})
		if !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
	return "", fmt.Errorf("%q: %w", o.Path, fs.ErrExist)
}

// putInPlace replaces the file by the kept bytes, all or nothing, if it is still
// the one of the fingerprint. What others append meanwhile is carried over.
func (j *Journal) putInPlace(ctx context.Context, o record, path string, is fingerprint) (err error) {
	kept, err := j.own.Open(j.kept(o), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }() // nothing was written
	info, err := kept.Stat()
	if err != nil {
		return err
	}
	log, err := j.store.Open(ctx, path, storage.Write)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	now, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	print, err := printOfLines(ctx, log)
	if err != nil {
		return err
	}
	if print != is {
		return &storage.Changed{Kind: storage.Touched}
	}
	open := false // the last line has no line feed
	_, err = log.Replace(ctx, now.Mark, func(iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for line, err := range loglines.Lines[storage.Line](ctx, kept, 0, info.Size) {
				open = err == nil && !line.LF
				if !yield(line.Bytes, err) {
					return
				}
			}
		}
	})
	if err != nil || !open {
		return err
	}
	return j.trim(ctx, path, info.Size)
}

// printOfLines is the fingerprint of a log's bytes.
func printOfLines(ctx context.Context, log storage.Log) (fingerprint, error) {
	sum, size := sha256.New(), int64(0)
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return fingerprint{}, err
		}
		_, _ = sum.Write(line.Bytes) // never fails
		size += int64(len(line.Bytes))
		if line.LF {
			_, _ = sum.Write([]byte{'\n'})
			size++
		}
	}
	return fingerprint{Size: size, Sum: hex.EncodeToString(sum.Sum(nil))}, nil
}

// nearly reports whether a file holds what was kept and a line feed, which a putting
// back that was interrupted left there.
func (j *Journal) nearly(ctx context.Context, path string, was fingerprint) bool {
	info, err := j.fs.Lstat(path)
	if err != nil || info.Size != was.Size+1 {
		return false
	}
	is, err := fingerprintAt(ctx, j.fs, path, was.Size)
	return err == nil && is == was
}

// reopenEnd takes away the line feed that a change added at the end of a file, unless
// somebody has the file open: what that appends must not be cut off.
func (j *Journal) reopenEnd(ctx context.Context, path string, size int64) {
	path, err := vfs.Resolve(j.fs, path)
	if err == nil {
		err = j.idle(ctx, path)
	}
	if err == nil {
		err = j.trim(ctx, path, size)
	}
	if err != nil && !errors.Is(err, ErrBusy) {
		j.opt.Report(path, err)
	}
}

// trim takes away the line feed that a replaced file got at its end and the
// kept one had not. It is not there any more when somebody appended.
func (j *Journal) trim(ctx context.Context, path string, size int64) error {
	f, err := j.fs.Open(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // synced; the lock goes with it
	if err := f.Lock(ctx); err != nil {
		return storage.AsLocked(err)
	}
	info, err := f.Stat()
	if err != nil || info.Size != size+1 {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size); err != nil && !errors.Is(err, io.EOF) || last[0] != '\n' {
		return err
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}
