package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// underWay are the operations that this journal began and did not end yet. Each has a
// file in pending/, locked for as long as its process lives: one that is not locked is
// of an operation that was interrupted.
type underWay struct {
	mu    sync.Mutex
	files map[string]vfs.File
}

// start says that an operation is under way.
func (j *Journal) start(id string) error {
	j.busy.mu.Lock()
	defer j.busy.mu.Unlock()
	if j.busy.files[id] != nil {
		return nil
	}
	if err := j.mkdir("pending"); err != nil {
		return err
	}
	for range 100 {
		f, err := j.own.Open(j.path("pending", id), os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) { // its process is no more, or settles it
			f, err = j.own.Open(j.path("pending", id), os.O_RDWR)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		ok, err := f.TryLock()
		if err != nil {
			return errors.Join(err, f.Close())
		}
		if info, err := f.Stat(); ok && err == nil && info.Nlink > 0 {
			j.busy.files[id] = f
			return nil
		}
		_ = f.Close() // who looked at it takes it away
	}
	return fmt.Errorf("operation %s: %w", id, ErrBusy)
}

// stop says that an operation is no longer under way; gone that its file is to go,
// since nothing of it is left to be done.
func (j *Journal) stop(id string, gone bool) {
	j.busy.mu.Lock()
	defer j.busy.mu.Unlock()
	f := j.busy.files[id]
	if f == nil {
		return
	}
	delete(j.busy.files, id)
	if gone {
		if err := j.own.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			j.opt.Report(f.Name(), err)
		}
	}
	_ = f.Close() // nothing was written
}

// A Finisher brings a Rename or a Move to an end whose process was killed, which only
// who knows sessions can, and reports whether the change is in effect.
type Finisher func(ctx context.Context, c Change) (done bool, err error)

// Settled is an operation that was interrupted, and what became of it.
type Settled struct {
	Restored
	// Err says why it is as it was left, nil when it is settled.
	Err error
}

// Interrupted returns the operations that were killed before they ended, the oldest
// first. It changes nothing.
func (j *Journal) Interrupted(ctx context.Context) ([]Operation, error) {
	ids, err := j.own.Names(j.path("pending"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(ids) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read operations: %w", err)
	}
	dead := map[string]bool{}
	for _, id := range ids {
		dead[id] = j.dead(id)
	}
	all, err := j.List(ctx)
	var out []Operation
	for _, o := range all {
		if dead[o.ID] && (o.Status == Begun || o.Status == Undoing) {
			out = append(out, o)
		}
	}
	return out, err
}

// dead reports whether nobody has an operation under way.
func (j *Journal) dead(id string) bool {
	f, err := j.own.Open(j.path("pending", id), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	ok, err := f.TryLock()
	return ok && err == nil
}

// Settle finishes the operations that were killed before they ended, or takes them
// back: what was being taken back is taken back, what was begun is finished where it
// took effect. While somebody takes something back it does nothing.
func (j *Journal) Settle(ctx context.Context, revert Reverter, finish Finisher) ([]Settled, error) {
	ids, err := j.own.Names(j.path("pending"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(ids) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("settle what was interrupted: %w", err)
	}
	f, free, err := j.tryLocked("operations.lock")
	if err != nil {
		return nil, fmt.Errorf("settle what was interrupted: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	if !free {
		return nil, nil
	}
	var all []Settled
	for _, id := range ids {
		if !j.dead(id) || j.start(id) != nil {
			continue
		}
		s, ok := j.settle(ctx, id, revert, finish)
		if err := ctx.Err(); err != nil {
			j.stop(id, false)
			return all, err
		}
		j.stop(id, true) // what cannot be settled now is left to undo
		if ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// tryLocked is locked for who does not wait.
func (j *Journal) tryLocked(base string) (f vfs.File, free bool, err error) {
	f, err = j.own.Open(j.path(base), os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = j.own.Open(j.path(base), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	}
	if err != nil {
		return nil, false, err
	}
	if free, err = f.TryLock(); err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, free, nil
}

// settle brings one operation to an end, and reports false when it had one.
func (j *Journal) settle(ctx context.Context, id string, revert Reverter, finish Finisher) (Settled, bool) {
	o, err := j.lookUp(ctx, id)
	if err != nil || o.Status != Begun && o.Status != Undoing {
		return Settled{}, false
	}
	s := Settled{Restored: Restored{Operation: o.Operation, Now: o.Path}}
	if o.Status == Undoing {
		if s.Restored, s.Err = j.undo(ctx, o, revert); s.Err == nil {
			s.Status = Undone
		}
		return s, true
	}
	s.Status, s.Err = j.finish(ctx, o, finish)
	if s.Err == nil && s.Status != Begun {
		s.Err = j.mark(ctx, line{ID: o.ID, Status: s.Status, Cause: "interrupted"})
	}
	return s, true
}

// finish brings an operation to an end that was begun, and says to which.
func (j *Journal) finish(ctx context.Context, o record, finish Finisher) (Status, error) {
	switch {
	case trashes(o.Op):
		return j.finishTrash(ctx, o)
	case keeps(o.Op):
		was, err := fingerprintAt(ctx, j.own, j.kept(o), -1)
		if errors.Is(err, fs.ErrNotExist) {
			return Failed, nil
		}
		is, missing := j.fingerprint(ctx, o.Path)
		switch {
		case err != nil:
			return Begun, err
		case errors.Is(missing, fs.ErrNotExist): // it was on its way to another name
			_, err := j.putBeside(ctx, o)
			return Failed, err
		case missing == nil && is == was:
			return Failed, nil
		}
		return Done, missing
	case finish == nil:
		return Begun, errors.ErrUnsupported
	}
	done, err := finish(ctx, o.Change)
	switch {
	case err != nil:
		return Begun, err
	case done:
		return Done, nil
	}
	return Failed, nil
}

// finishTrash moves the artifacts of a session to the trash that is there already. One
// whose copy in the trash is not all of it was not removed.
func (j *Journal) finishTrash(ctx context.Context, o record) (Status, error) {
	dir := filepath.Join(j.trash, o.ID)
	into := filepath.Join(dir, sessionName)
	there, err := j.there(into)
	if err != nil {
		return Begun, err
	}
	if !there {
		return Failed, j.clear(dir)
	}
	j, release := j.below(filepath.Dir(o.Path))
	defer release()
	taken, err := j.there(o.Path)
	if err != nil {
		return Begun, err
	}
	if taken {
		copied, err := j.begins(ctx, o.Path, into)
		if err != nil || !copied {
			return Done, err // somebody else's, which came since
		}
		if err := j.fs.Remove(into); err != nil {
			return Begun, err
		}
		return Failed, j.clear(dir)
	}
	artifacts := ident.ArtifactDir(o.Path)
	if info, err := j.fs.Lstat(artifacts); artifacts == "" || err != nil || !info.Mode.IsDir() {
		return Done, nil
	}
	return Done, j.mergeTree(ctx, artifacts, filepath.Join(dir, artifactsName))
}

// begins reports whether a file begins with all that another one holds.
func (j *Journal) begins(ctx context.Context, long, short string) (bool, error) {
	part, err := j.fingerprint(ctx, short)
	if err != nil {
		return false, err
	}
	all, err := fingerprintAt(ctx, j.fs, long, part.Size)
	return all == part, err
}
