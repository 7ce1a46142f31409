package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// maxBeside is how many names beside a path are tried.
const maxBeside = 1000

// Names in the directory of one thing in the trash.
const (
	recordName    = "record"
	sessionName   = "session"
	artifactsName = "artifacts"
)

// Trash moves the session file or draft c.Path, and its artifacts, to the
// trash, and records it. c.Op is Remove or Discard. A link is resolved and
// stays; c.Path of the result is the file. On an error the session is where it
// was; where that could not be achieved, the error says where it is.
func (j *Journal) Trash(ctx context.Context, c Change) (Operation, error) {
	o, err := j.discard(ctx, c)
	if err != nil {
		return o, fmt.Errorf("move %q to the trash: %w", c.Path, err)
	}
	return o, nil
}

func (j *Journal) discard(ctx context.Context, c Change) (Operation, error) {
	j, path, release, err := j.at(c.Path)
	defer release()
	if err != nil {
		return Operation{}, err
	}
	c.Path = path
	info, err := j.fs.Lstat(path)
	switch {
	case err != nil:
		return Operation{}, err
	case !info.Regular():
		return Operation{}, vfs.ErrNotRegular
	case c.File != (File{}) && c.File != (File{Dev: info.Dev, Ino: info.Ino}):
		return Operation{}, &storage.Changed{Kind: storage.Replaced}
	case !trashes(c.Op):
		return Operation{}, fmt.Errorf("%q is no removal", c.Op)
	}
	o := record{Operation: Operation{Change: c, At: j.opt.Now(), Status: Done}}
	if o.ID, err = j.mint(); err != nil {
		return o.Operation, err
	}
	if err := j.start(o.ID); err != nil {
		return o.Operation, err
	}
	dir := filepath.Join(j.trash, o.ID)
	err = j.prepare(o, dir)
	if err == nil {
		err = j.append(ctx, o.begun())
	}
	if err != nil {
		j.stop(o.ID, true)
		return o.Operation, errors.Join(err, j.clear(dir))
	}
	if err := j.take(ctx, path, dir); err != nil {
		defer j.stop(o.ID, false)
		if !j.exists(filepath.Join(dir, sessionName)) {
			err = errors.Join(err, j.mark(ctx, line{ID: o.ID, Status: Failed, Cause: err.Error()}), j.clear(dir))
		}
		return o.Operation, err
	}
	if err := j.mark(ctx, line{ID: o.ID, Status: Done}); err != nil {
		j.opt.Report(path, err) // it is in the trash all the same
	}
	return o.Operation, nil
}

// prepare makes the directory and the record, durably.
func (j *Journal) prepare(o record, dir string) error {
	if err := makeDir(j.fs, dir); err != nil {
		return err
	}
	raw, err := encode(o.begun())
	if err != nil {
		return err
	}
	f, err := j.fs.Open(filepath.Join(dir, recordName), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = vfs.WriteAll(f, append(raw, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, dir := range []string{dir, j.trash, filepath.Dir(j.trash)} {
		if err := j.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// clear removes the directory of what did not get into the trash. One that
// holds anything else than a record stays.
func (j *Journal) clear(dir string) error {
	infos, err := j.fs.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || slices.ContainsFunc(infos, func(i vfs.Info) bool { return i.Name != recordName }) {
		return err
	}
	err = j.fs.Remove(filepath.Join(dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, j.removeDir(dir))
}

// take moves the session, then its artifacts: a session that is seen anywhere
// is seen whole. What cannot be done is put back.
func (j *Journal) take(ctx context.Context, path, dir string) error {
	into := filepath.Join(dir, sessionName)
	if err := j.moveLog(ctx, path, into); err != nil {
		if j.exists(into) && !j.exists(path) {
			err = j.back(ctx, err, into, path)
		}
		return err
	}
	artifacts := ident.ArtifactDir(path)
	if artifacts == "" {
		return nil
	}
	if info, err := j.fs.Lstat(artifacts); err != nil || !info.Mode.IsDir() {
		return nil // there are none
	}
	if err := j.moveTree(ctx, artifacts, filepath.Join(dir, artifactsName)); err != nil {
		return j.back(ctx, fmt.Errorf("move artifacts: %w", err), into, path)
	}
	return nil
}

// back puts a session back, and says where it is if that fails.
func (j *Journal) back(ctx context.Context, cause error, from, to string) error {
	err := j.moveLog(context.WithoutCancel(ctx), from, to)
	if err != nil && j.exists(from) {
		return errors.Join(cause, fmt.Errorf("put back: it is now %q: %w", from, err))
	}
	return cause
}

// moveLog gives a log another name, on whatever file system. It never replaces.
func (j *Journal) moveLog(ctx context.Context, from, to string) error {
	err := j.store.Rename(ctx, from, to)
	if !elsewhere(err) {
		return err
	}
	return j.across(ctx, from, to)
}

// moveTree gives a directory another name, on whatever file system. A rename
// that is done but not durable is taken back.
func (j *Journal) moveTree(ctx context.Context, from, to string) error {
	err := j.fs.RenameNew(from, to)
	if elsewhere(err) {
		return j.acrossTree(ctx, from, to)
	}
	if err != nil && (j.exists(from) || !j.exists(to)) {
		return err
	}
	for _, dir := range []string{filepath.Dir(to), filepath.Dir(from)} {
		if err := j.fs.SyncDir(dir); err != nil {
			return errors.Join(err, j.fs.RenameNew(to, from))
		}
	}
	return nil
}

// Trashed returns what is in the trash, oldest first.
func (j *Journal) Trashed(ctx context.Context) ([]Trashed, error) {
	infos, err := j.fs.ReadDir(j.trash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	var all []Trashed
	for _, info := range infos {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t, ok := j.trashed(info); ok {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b Trashed) int { return a.At.Compare(b.At) })
	return all, nil
}

// trashed describes one directory of the trash; false for one with nothing in
// it.
func (j *Journal) trashed(info vfs.Info) (Trashed, bool) {
	t := Trashed{Dir: filepath.Join(j.trash, info.Name), Size: -1}
	t.ID = info.Name
	if !info.Mode.IsDir() {
		return t, false
	}
	if raw, err := vfs.ReadFile(j.fs, filepath.Join(t.Dir, recordName), maxLine); err == nil {
		if l, ok := decode([]byte(strings.TrimSuffix(string(raw), "\n"))); ok {
			t.Operation = l.operation().Operation
			t.ID = info.Name
		}
	}
	if s, err := j.fs.Lstat(filepath.Join(t.Dir, sessionName)); err == nil {
		t.Size = s.Size
	}
	return t, t.Size >= 0 || j.exists(filepath.Join(t.Dir, artifactsName))
}

// find returns what is in the trash under an id or the beginning of one.
func (j *Journal) find(ctx context.Context, id string) (Trashed, error) {
	all, err := j.Trashed(ctx)
	if err != nil {
		return Trashed{}, err
	}
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	i, err := choose(id, ids)
	if err != nil {
		return Trashed{}, err
	}
	return all[i], nil
}

// Restore brings something back from the trash: to where it was, or to the path
// that is given. Where that is taken, it is put beside, under a name of its
// own, and the note says so. The error wraps ErrUnknown or is an [*Ambiguous].
func (j *Journal) Restore(ctx context.Context, id, to string) (Restored, error) {
	f, _, err := j.locked(ctx, "operations.lock")
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	r, err := j.restore(ctx, id, to)
	if err != nil {
		return r, fmt.Errorf("restore from the trash: %w", err)
	}
	return r, nil
}

func (j *Journal) restore(ctx context.Context, id, to string) (Restored, error) {
	t, err := j.find(ctx, id)
	if err != nil {
		return Restored{}, err
	}
	r := Restored{Operation: t.Operation}
	if err := j.believedTrash(t.Dir); err != nil {
		return r, err
	}
	want := t.Path
	if to != "" {
		want = to
	}
	switch {
	case want == "":
		return r, fmt.Errorf("where %q was is not on record; name a path for %q", t.ID, filepath.Join(t.Dir, sessionName))
	case !filepath.IsAbs(want):
		return r, fmt.Errorf("%q: not an absolute path", want)
	}
	o, unknown := j.lookUp(ctx, t.ID) // that of another machine is
	if unknown == nil && o.Undoable() {
		if err := j.undoing(ctx, o, to); err != nil {
			return r, err
		}
	}
	united := 0
	if r.Now, united, err = j.restoreTo(ctx, t.Dir, want); err != nil {
		if unknown == nil && o.Undoable() {
			err = errors.Join(err, j.notUndone(ctx, o))
		}
		return r, err
	}
	switch {
	case r.Now != want:
		r.Note = fmt.Sprintf("%q is taken", want)
	case united > 0:
		r.Note = fmt.Sprintf("with %d lines that a program wrote at its place meanwhile", united)
	}
	if err := errors.Join(j.mark(ctx, line{ID: t.ID, Status: Undone}), j.clear(t.Dir)); err != nil {
		j.opt.Report(r.Now, err)
	}
	return r, nil
}

// restoreTo brings what is in a directory of the trash to a place, together with what a
// program wrote there meanwhile that had it open; united is how many lines that were.
func (j *Journal) restoreTo(ctx context.Context, dir, want string) (now string, united int, err error) {
	if err := makeDir(j.fs, filepath.Dir(want)); err != nil {
		return "", 0, err
	}
	j, release := j.below(filepath.Dir(want))
	defer release()
	if united, err = j.takeIn(ctx, dir, want); err != nil {
		return "", united, err
	}
	now, err = j.bring(ctx, dir, want)
	return now, united, err
}

// bring moves artifacts and session out of a directory of the trash, in this
// order, so that a session that is seen is whole. It returns the session's path.
func (j *Journal) bring(ctx context.Context, dir, want string) (string, error) {
	from, artifacts := filepath.Join(dir, sessionName), filepath.Join(dir, artifactsName)
	hasArtifacts, err := j.there(artifacts)
	if err != nil {
		return "", err
	}
	hasSession, err := j.there(from)
	if err != nil {
		return "", err
	}
	for n := range maxBeside {
		to := beside(want, n)
		with := ident.ArtifactDir(to)
		twin, free, err := j.room(ctx, from, to)
		if err != nil {
			return "", err
		}
		if !free && !twin && hasSession {
			continue
		}
		if hasArtifacts {
			free, err := j.mergeable(ctx, artifacts, with)
			if err != nil {
				return "", err
			}
			if !free {
				continue
			}
			if err := j.mergeTree(ctx, artifacts, with); err != nil {
				return "", err
			}
		}
		switch {
		case !hasSession: // an interrupted restoring moved it already
			return to, nil
		case twin: // an interrupted move left it in both places
			return to, j.fs.Remove(from)
		}
		err = j.moveLog(ctx, from, to)
		if err == nil || j.exists(to) && !j.exists(from) {
			if err != nil {
				j.opt.Report(to, err) // it is there, and a crash may bring it back into the trash
			}
			return to, nil
		}
		if hasArtifacts {
			err = errors.Join(err, j.moveTree(context.WithoutCancel(ctx), with, artifacts))
		}
		if !errors.Is(err, storage.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%q: %w", want, fs.ErrExist)
}

// there reports whether a name is taken.
func (j *Journal) there(path string) (bool, error) {
	_, err := j.fs.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// room reports whether a path is free, or else has the same bytes as a file.
func (j *Journal) room(ctx context.Context, from, to string) (twin, free bool, err error) {
	taken, err := j.there(to)
	if err != nil || !taken {
		return false, true, err
	}
	twin, err = j.twins(ctx, from, to)
	return twin, false, err
}

// twins reports whether two names are of regular files with the same bytes.
func (j *Journal) twins(ctx context.Context, a, b string) (bool, error) {
	x, err := j.fs.Lstat(a)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	y, err := j.fs.Lstat(b)
	if err != nil || !x.Regular() || !y.Regular() || x.Size != y.Size {
		return false, err
	}
	p, err := j.fingerprint(ctx, a)
	if err != nil {
		return false, err
	}
	q, err := j.fingerprint(ctx, b)
	return p == q, err
}

// mergeable reports whether a directory can be brought to a place: nothing is
// there, or only what is in it, too, with the same bytes, or nothing of it. A
// move of another file system that was interrupted leaves it so.
func (j *Journal) mergeable(ctx context.Context, from, to string) (bool, error) {
	if to == "" {
		return false, nil
	}
	taken, err := j.there(to)
	if err != nil || !taken {
		return err == nil, err
	}
	_, files, err := j.walk(from, "")
	if errors.Is(err, vfs.ErrNotRegular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, file := range files {
		taken, err := j.there(filepath.Join(to, file))
		if err != nil {
			return false, err
		}
		if !taken {
			continue
		}
		if twin, err := j.twins(ctx, filepath.Join(from, file), filepath.Join(to, file)); err != nil || !twin {
			return false, err
		}
	}
	return true, nil
}

// mergeTree brings a directory to a place that is mergeable.
func (j *Journal) mergeTree(ctx context.Context, from, to string) error {
	taken, err := j.there(to)
	if err != nil {
		return err
	}
	if !taken {
		return j.moveTree(ctx, from, to)
	}
	return j.acrossTree(ctx, from, to)
}

// beside returns the path, or the n-th name beside it.
func beside(path string, n int) string {
	if n == 0 {
		return path
	}
	stem, ok := strings.CutSuffix(path, Suffix)
	if !ok {
		return fmt.Sprintf("%s.restored-%d", path, n)
	}
	return fmt.Sprintf("%s.restored-%d%s", stem, n, Suffix)
}

// Empty deletes something in the trash, for good. It fails with ErrBusy when
// another process has the session open. The error wraps ErrUnknown or is an
// [*Ambiguous].
func (j *Journal) Empty(ctx context.Context, id string) (Trashed, error) {
	f, _, err := j.locked(ctx, "operations.lock")
	if err != nil {
		return Trashed{}, fmt.Errorf("empty trash: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	j, release := j.below()
	defer release()
	t, err := j.find(ctx, id)
	if err == nil {
		err = j.idle(ctx, filepath.Join(t.Dir, sessionName))
	}
	if err == nil && j.opt.Shared == nil {
		err = j.cleanable(t.Dir, trashName)
	}
	if err == nil {
		// Said first: what is half deleted must not be offered.
		err = j.mark(ctx, line{ID: t.ID, Status: Emptied})
	}
	if err == nil {
		err = errors.Join(j.removeTree(t.Dir), j.fs.SyncDir(j.trash))
	}
	if err != nil {
		return t, fmt.Errorf("empty trash: %w", err)
	}
	return t, nil
}

// idle fails with ErrBusy when another process has a file open, or holds it.
func (j *Journal) idle(ctx context.Context, path string) error {
	held, _, err := powers.Holders(ctx, j.store, path)
	if err == nil && len(held) > 0 {
		err = fmt.Errorf("%q: %w", path, ErrBusy)
	}
	if err != nil {
		return err
	}
	info, err := j.fs.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	used, err := j.fs.InUse(info)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err == nil && used {
		err = fmt.Errorf("%q: %w", path, ErrBusy)
	}
	return err
}
