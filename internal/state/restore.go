package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// maxDraft is how much of a session is looked at to see whether a draft is in
// it, beyond the draft's own size.
const maxDraft = 1 << 20

// maxKept is the size from which on a draft, which is a prompt without an answer, is
// neither read whole nor restored.
const maxKept = 128 << 20

// ErrDraftSize is a draft that is too large to be one.
var ErrDraftSize = fmt.Errorf("it is larger than %d MiB, as no prompt is: copy it to where it belongs, if it is one", maxKept>>20)

// A Kept is a draft as it lies in the state directory.
type Kept struct {
	Draft
	// File is the draft's own path, ID the id of its session.
	File, ID string
	// Modified is when it was last written to.
	Modified time.Time
	// Marked says that the header could be read: else Path and Agent are not
	// known, and ID is that of the file's name.
	Marked bool
	// Busy says that another process has it open: its session is under way.
	Busy bool
	// Saved says that its session is there and holds all of it.
	Saved bool
}

// Drafts returns the drafts in the state directory, in the order of their
// names. Files that hold nothing are left out.
func (j *Journal) Drafts(ctx context.Context) ([]Kept, error) {
	infos, err := j.fs.ReadDir(Dir(j.opt.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	var all []Kept
	for _, info := range infos {
		if !info.Regular() || info.Size == 0 || !strings.HasSuffix(info.Name, Suffix) || strings.HasPrefix(info.Name, ".") {
			continue
		}
		k, err := j.draft(ctx, filepath.Join(Dir(j.opt.Dir), info.Name), info)
		if err != nil {
			return nil, fmt.Errorf("read draft %q: %w", k.File, err)
		}
		all = append(all, k)
	}
	return all, nil
}

func (j *Journal) draft(ctx context.Context, path string, info vfs.Info) (Kept, error) {
	k := Kept{File: path, Modified: time.Unix(0, info.ModTime).UTC()}
	k.ID, _, _ = strings.Cut(info.Name, ".")
	used, err := j.fs.InUse(info)
	k.Busy = err == nil && used
	f, err := j.fs.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrPermission) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	var lines [][]byte
	size := info.Size
	if size > maxKept {
		size = maxDraft // its header is looked at
	}
	for l, err := range loglines.Lines[storage.Line](ctx, f, 0, size) {
		if err != nil {
			return k, err
		}
		if lines == nil {
			if k.Draft, k.Marked = ReadMark(l.Bytes); !k.Marked || believed(path, info) != nil || !filepath.IsAbs(k.Path) {
				k.Marked = false
				return k, nil
			}
			if id, ok := jsonedit.Text(l.Bytes, "id"); ok {
				k.ID = id
			}
			if info.Size > maxKept {
				return k, nil
			}
		}
		lines = append(lines, bytes.Clone(l.Bytes))
	}
	k.Saved = j.holds(ctx, k.Path, lines, info.Size)
	return k, nil
}

// holds reports whether the session at path has all lines of a draft but its
// header, near its beginning.
func (j *Journal) holds(ctx context.Context, path string, lines [][]byte, size int64) bool {
	path, err := vfs.Resolve(j.fs, path)
	if err != nil {
		return false
	}
	f, err := j.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return false
	}
	there := map[string]bool{}
	for l, err := range loglines.Lines[storage.Line](ctx, f, 0, min(info.Size, size+maxDraft)) {
		if err != nil {
			return false
		}
		there[string(l.Bytes)] = true
	}
	for _, line := range lines[1:] {
		if !there[string(line)] {
			return false
		}
	}
	return len(lines) > 1
}

// RestoreDraft writes the session of a draft to the path that it was meant for,
// or to the one that is given, whole or not at all, and then removes the draft,
// whose every byte but the mark is in the session. Where the path is taken the
// session is put beside, and the note says so; when what is there is the session
// itself, with all that the draft holds, only the draft goes, to the trash.
func (j *Journal) RestoreDraft(ctx context.Context, k Kept, to string) (Restored, error) {
	r, err := j.restoreDraft(ctx, k, to)
	if err != nil {
		return r, fmt.Errorf("restore draft %q: %w", k.File, err)
	}
	return r, nil
}

func (j *Journal) restoreDraft(ctx context.Context, k Kept, to string) (Restored, error) {
	r := Restored{Operation: Operation{Change: Change{Path: k.File, Session: k.ID, Agent: k.Agent}, At: j.opt.Now()}}
	if err := j.idle(ctx, k.File); err != nil {
		return r, err
	}
	if k.Saved && to == "" {
		o, err := j.discard(ctx, Change{Op: Discard, Path: k.File, Session: k.ID, Agent: k.Agent})
		r.Operation, r.Now, r.Note = o, k.Path, "the session is there already, with all of it; the draft is in the trash"
		return r, err
	}
	want := k.Path
	if to != "" {
		want = to
	}
	if !filepath.IsAbs(want) {
		return r, errors.New("where its session belongs is not known; name a path")
	}
	data, err := j.wholeDraft(k.File)
	if err != nil {
		return r, err
	}
	if err := makeDir(j.fs, filepath.Dir(want)); err != nil {
		return r, err
	}
	if r.Now, err = j.writeNew(want, unmarked(data)); err != nil {
		return r, err
	}
	if r.Now != want {
		r.Note = fmt.Sprintf("%q is taken", want)
	}
	// Nobody may have written to it meanwhile.
	now, err := j.wholeDraft(k.File)
	if err == nil && bytes.Equal(now, data) {
		err = j.store.Remove(ctx, k.File)
	}
	if err != nil {
		j.opt.Report(k.File, err)
	}
	return r, nil
}

// wholeDraft reads a draft that is not too large to be one.
func (j *Journal) wholeDraft(path string) ([]byte, error) {
	if info, err := j.fs.Lstat(path); err == nil && info.Size > maxKept {
		return nil, ErrDraftSize
	}
	data, err := vfs.ReadFile(j.fs, path, maxKept+1)
	if err == nil && len(data) > maxKept {
		err = ErrDraftSize // it grew
	}
	return data, err
}

// unmarked returns a draft's content as that of a session.
func unmarked(data []byte) []byte {
	header, rest, found := bytes.Cut(data, []byte{'\n'})
	out := append([]byte(nil), header...)
	if _, ok := ReadMark(header); ok {
		out = append([]byte(nil), Unmark(header)...)
	}
	if found {
		out = append(append(out, '\n'), rest...)
	}
	return out
}

// writeNew writes a file at a path, or beside it when that is taken: whole and
// durable, or not at all.
func (j *Journal) writeNew(want string, data []byte) (string, error) {
	dir, base := filepath.Split(want)
	var part string
	var f vfs.File
	for n := 1; ; n++ {
		var err error
		part = filepath.Join(dir, fmt.Sprintf(".%s.cambium-tmp-%d-%d", base, os.Getpid(), n))
		if f, err = j.fs.Open(part, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL); err == nil {
			break
		} else if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err := vfs.WriteAll(f, data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, j.fs.Remove(part))
	}
	for n := 0; ; n++ {
		to := beside(want, n)
		err := j.fs.RenameNew(part, to)
		if errors.Is(err, fs.ErrExist) && n < maxBeside {
			continue
		}
		if err != nil {
			return "", errors.Join(err, j.fs.Remove(part))
		}
		return to, j.fs.SyncDir(dir)
	}
}
