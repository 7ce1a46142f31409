package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/undo"
)

// Move makes the session one of another working directory (published moveTo):
// its log and its artifacts go to that directory's place, its header says cwd.
// The name of the file stays. On a failure everything is as it was; where even
// that fails, the error says so.
func (s *Session) Move(ctx context.Context, cwd string) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	cwd = s.absolute(cwd)
	old := s.cur.log.Name()
	if old == "" || s.cur.log.Held() {
		return s.moveHeld(ctx, old, cwd, s.movedHeader(cwd, "")) // it never was at the old place
	}
	if _, err := s.store.Stat(ctx, old); errors.Is(err, ErrNotFound) {
		if _, err := s.cur.log.Refresh(ctx); err != nil { // it is put back first
			return fmt.Errorf("move session %q: %w", old, err)
		}
		s.followed()
	}
	header := s.movedHeader(cwd, old)
	now := filepath.Join(s.movedDir(cwd), filepath.Base(old))
	was := s.cur.log.Header().Raw
	done, err := s.record(ctx, s.cur, undo.Change{Op: state.Move, Path: old, To: now, Before: was, After: header(was)})
	if err != nil {
		return err
	}
	return done(-1, s.relocate(ctx, destination{path: now, cwd: cwd, header: header}))
}

// moveFiles renames the log and moves the artifacts, and returns how to undo
// that. On an error it is undone already.
func (s *Session) moveFiles(ctx context.Context, old, now string) ([]func() error, error) {
	if s.local {
		if err := vfs.MakeDir(s.opt.fs, filepath.Dir(now)); err != nil {
			return nil, fmt.Errorf("move session %q: %w", old, err)
		}
		vfs.PinToo(s.opt.fs, filepath.Dir(now))
	}
	s.cur.given = now
	if err := s.cur.log.Move(ctx, now); err != nil {
		s.cur.given = old
		return nil, errors.Join(err, s.unmove(context.WithoutCancel(ctx), old, now))
	}
	s.lockToo(s.cur)
	undo := []func() error{func() error {
		s.cur.given = old
		if err := s.cur.log.Move(context.WithoutCancel(ctx), old); err != nil {
			return fmt.Errorf("Failed to move session file and rollback: %w", err)
		}
		return nil
	}}
	back, err := s.moveArtifacts(ctx, old, now)
	if err != nil {
		if bad := vfs.Rollback(undo); bad != nil {
			return nil, fmt.Errorf("Failed to move artifacts and rollback: %w", errors.Join(err, bad))
		}
		return nil, fmt.Errorf("move session %q: %w", old, err)
	}
	return append(undo, back...), nil
}

// unmove takes back a rename of the log that failed, if it was made all the
// same.
func (s *Session) unmove(ctx context.Context, old, now string) error {
	if _, err := s.store.Stat(ctx, old); !errors.Is(err, ErrNotFound) {
		return nil
	}
	if s.local || s.cur.log.Name() == now { // of the disk it is what is open that moves
		return s.cur.log.Move(ctx, old)
	}
	return s.store.Rename(ctx, now, old)
}

// movedDir is where a session of the new working directory belongs: beside the
// directory it is in, if that is the managed one of the old working directory,
// else in the dialect's own place.
func (s *Session) movedDir(cwd string) string {
	b := s.cur
	if s.opt.Dir != "" {
		return s.dir()
	}
	name := string(b.rules.Name)
	dir := filepath.Dir(b.log.Name())
	for _, managed := range places.DirNames(name, b.cwd, s.opt.Env) {
		if filepath.Base(dir) == managed {
			return filepath.Join(filepath.Dir(dir), places.DirName(name, cwd, s.opt.Env))
		}
	}
	return b.place.Dir(cwd, s.opt.Env)
}

// movedHeader returns what makes the header of a session that moved.
func (s *Session) movedHeader(cwd, old string) func(line []byte) []byte {
	omp := s.cur.rules.Name == dialect.Omp
	return func(line []byte) []byte {
		out := jsonedit.Set(line, "cwd", jsonedit.Quoted(cwd))
		if !omp || old == "" {
			return out
		}
		h, _ := entry.ParseHeader(line)
		files := append(h.PreviousSessionFiles, old)
		return jsonedit.Set(out, "previousSessionFiles", entry.JSON(jsonedit.Strings(files...)))
	}
}

// moveHeld moves a session that has no log yet. It may have artifacts.
func (s *Session) moveHeld(ctx context.Context, old, cwd string, header func([]byte) []byte) error {
	h, ok := entry.ParseHeader(header(s.cur.log.Header().Raw))
	if !ok {
		return fmt.Errorf("move session: %w", ErrNotSession)
	}
	path := ""
	var undo []func() error
	if old != "" {
		path = filepath.Join(s.movedDir(cwd), filepath.Base(old))
	}
	if filepath.Clean(path) != filepath.Clean(old) {
		var err error
		if undo, err = s.moveArtifacts(ctx, old, path); err != nil {
			return fmt.Errorf("move session %q: %w", old, err)
		}
	}
	if err := s.rehold(ctx, path, h); err != nil {
		return errors.Join(fmt.Errorf("move session %q: %w", old, err), vfs.Rollback(undo))
	}
	s.cur.cwd = cwd
	return nil
}

// moveArtifacts moves the artifacts of the session at the path old to those of the
// one at now, and returns how to undo that. On an error it is undone already.
func (s *Session) moveArtifacts(ctx context.Context, old, now string) ([]func() error, error) {
	from, to := ident.ArtifactDir(old), ident.ArtifactDir(now)
	if from == "" || to == "" {
		return nil, nil
	}
	fsys := s.shelves(ctx, from, to)
	if _, err := fsys.Lstat(from); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if s.local {
		if err := vfs.MakeDir(s.opt.fs, filepath.Dir(to)); err != nil {
			return nil, err
		}
	}
	back, err := vfs.MoveTree(fsys, from, to)
	var met *vfs.LinkError
	if errors.As(err, &met) && met.Link == from {
		s.leftAlone(from) // it is no directory of the session's
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("its artifacts: %w", err)
	}
	return []func() error{back}, nil
}

// rehold gives a session that has no log yet another header and path.
func (s *Session) rehold(ctx context.Context, path string, h entry.Header) error {
	list := s.cur.log.List()
	lines := make([][]byte, list.Len())
	for i := range lines {
		var err error
		if lines[i], err = s.cur.whole(i); err != nil {
			return err
		}
	}
	return s.reholdLines(ctx, path, h, lines)
}

// reholdLines holds a session anew with the given lines: the new draft is
// written before the old one is dropped. Positions and the leaf stay.
func (s *Session) reholdLines(ctx context.Context, path string, h entry.Header, lines [][]byte) error {
	was := s.cur
	b := (&book{rules: was.rules, leaf: -1}).inherit(was)
	var err error
	if path == "" {
		b.log = journal.Hold(s.logOptions(b, ""), h, nil)
	} else if b.log, err = s.hold(b, path, h); err != nil {
		return err
	}
	s.settle(b)
	for _, line := range lines {
		if _, err := b.log.Append(ctx, line, false); err != nil {
			return errors.Join(err, b.log.Discard(ctx))
		}
	}
	if err := was.log.Discard(ctx); err != nil {
		return errors.Join(err, b.log.Discard(ctx))
	}
	b.tree.Grow()
	b.title, b.due = was.title, was.due
	b.point(was.leaf)
	s.cur = b
	return was.log.Close()
}
