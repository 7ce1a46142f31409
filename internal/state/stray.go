package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// A stray is a file without a header: a program that had a session open, which was
// moved away meanwhile, made it at the old place with what it appended. Its first entry
// follows one of the session.

// IsStray reports whether the log at path is a stray of a session.
func IsStray(ctx context.Context, store storage.Store, path, session string) (bool, error) {
	parent := ""
	err := eachLine(ctx, store, path, func(line storage.Line) bool {
		kind, _ := jsonedit.Text(line.Bytes, "type")
		if kind == "" {
			return true // damaged
		}
		if kind != "session" && kind != "title" {
			parent, _ = jsonedit.Text(line.Bytes, "parentId")
		}
		return false
	})
	if err != nil || parent == "" {
		return false, err
	}
	found := false
	err = eachLine(ctx, store, session, func(line storage.Line) bool {
		if bytes.Contains(line.Bytes, []byte(parent)) {
			id, _ := jsonedit.Text(line.Bytes, "id")
			found = id == parent
		}
		return !found
	})
	return found, err
}

// TakeIn appends to a session what its stray holds and it lacks, and takes the stray
// away: it gets the name aside first, so that what its program appends to it until then
// is taken in as well. Lines that are in the session already are left out, so that it can
// be done again. It returns how many lines it appended.
func TakeIn(ctx context.Context, fsys vfs.FS, store storage.Store, stray, session, aside string) (int, error) {
	n, err := lacking(ctx, store, stray, session)
	if err != nil {
		return n, err
	}
	if err := fsys.RenameNew(stray, aside); err != nil {
		return n, err
	}
	late, err := lacking(ctx, store, aside, session)
	if err == nil {
		err = fsys.Remove(aside)
	}
	return n + late, err
}

// Append appends to a session what its stray holds and it lacks.
func Append(ctx context.Context, store storage.Store, stray, session string) error {
	_, err := lacking(ctx, store, stray, session)
	return err
}

// lacking appends to a session the lines of a stray that it lacks, durably.
func lacking(ctx context.Context, store storage.Store, stray, session string) (int, error) {
	var lines [][]byte
	err := eachLine(ctx, store, stray, func(line storage.Line) bool {
		if len(bytes.TrimSpace(line.Bytes)) > 0 {
			lines = append(lines, bytes.Clone(line.Bytes))
		}
		return true
	})
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	log, err := store.Open(ctx, session, storage.Write)
	if err != nil {
		return 0, err
	}
	n, err := appendLacking(ctx, log, lines)
	if err == nil {
		err = powers.Sync(ctx, log)
	}
	return n, errors.Join(err, log.Close())
}

// appendLacking appends the lines that a log lacks, as it is at that moment.
func appendLacking(ctx context.Context, log storage.Log, lines [][]byte) (int, error) {
	for range maxChases {
		info, err := log.Stat(ctx)
		if err != nil {
			return 0, err
		}
		want := make(map[string]bool, len(lines))
		for _, line := range lines {
			want[string(line)] = true
		}
		for line, err := range log.Read(ctx, storage.Mark{}) {
			if err != nil {
				return 0, err
			}
			delete(want, string(line.Bytes))
		}
		var lack [][]byte
		for _, line := range lines {
			if want[string(line)] {
				lack = append(lack, line)
			}
		}
		if len(lack) == 0 {
			return 0, nil
		}
		_, err = log.Append(ctx, info.Mark, lack)
		var changed *storage.Changed
		var partial *storage.Partial
		if errors.As(err, &changed) || errors.As(err, &partial) {
			continue
		}
		return len(lack), err
	}
	return 0, errors.New("others keep writing to it")
}

// eachLine calls f with the lines of a log until it says false.
func eachLine(ctx context.Context, store storage.Store, path string, f func(storage.Line) bool) error {
	log, err := store.Open(ctx, path, storage.Read)
	if err != nil {
		return err
	}
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return errors.Join(err, log.Close())
		}
		if !f(line) {
			break
		}
	}
	return log.Close()
}

// strayName begins the names of strays in a directory of the trash.
const strayName = "stray-"

// maxStrays is how often a place is cleared of strays that a program keeps making.
const maxStrays = 100

// takeIn unites what is in a directory of the trash with its strays: those at its old
// place, and one that an interrupted restoring left.
func (j *Journal) takeIn(ctx context.Context, dir, place string) (int, error) {
	session := filepath.Join(dir, sessionName)
	there, err := j.there(session)
	if err != nil || !there || j.opt.Shared != nil {
		return 0, err
	}
	names, err := j.fs.Names(dir)
	if err != nil {
		return 0, err
	}
	all := 0
	for _, name := range names {
		if !strings.HasPrefix(name, strayName) {
			continue
		}
		stray := filepath.Join(dir, name)
		n, err := lacking(ctx, j.store, stray, session)
		if err == nil {
			err = j.fs.Remove(stray)
		}
		if all += n; err != nil {
			return all, err
		}
	}
	for n := range maxStrays {
		info, err := j.fs.Lstat(place)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Regular() {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if is, err := IsStray(ctx, j.store, place, session); err != nil || !is {
			return all, err
		}
		taken, err := TakeIn(ctx, j.fs, j.store, place, session, filepath.Join(dir, fmt.Sprintf("%s%d", strayName, n)))
		if all += taken; elsewhere(err) {
			return all, nil // another file system: it is put beside, as what is no stray
		} else if err != nil {
			return all, err
		}
	}
	return all, nil
}
