package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/undo"
)

// Finish brings a rename or a move to an end whose process was killed, as it was
// recorded, and reports whether the change is in effect. A move whose log has its new
// name is finished; what did not get so far was not made.
func Finish(ctx context.Context, c undo.Change, o Options) (done bool, err error) {
	path := c.Path
	if c.Op == state.Move {
		path = c.To
	}
	err = changed(ctx, c, path, o, func(Options) {}, func(s *Session) error {
		switch c.Op {
		case state.Rename:
			done = s.cur.title.text == c.Title.Text
		case state.Move:
			done = true
			return s.goOnMoving(ctx, c.Path, func(line []byte) []byte { return merge(line, c.After, c.Before) })
		}
		return nil
	})
	if errors.Is(err, state.ErrConflict) {
		return false, nil
	}
	return done, err
}

// changed opens the session at path that was changed and has f deal with it; before that
// is called when its directory is held. The error wraps state.ErrConflict when it is not
// there any more.
func changed(ctx context.Context, c undo.Change, path string, o Options, before func(Options), f func(s *Session) error) (err error) {
	o.ReadOnly, o.Reinitialize, o.Undo = false, false, nil
	if o.fs == nil {
		o.fs = vfs.OS()
	}
	if o.Store == nil {
		var release func()
		if o.fs, release, err = vfs.PinFile(o.fs, path); err != nil {
			return fmt.Errorf("find session %q: %w", path, err)
		}
		defer release()
		before(o)
	}
	s, err := begin(o)
	if err != nil {
		return err
	}
	if _, err := s.store.Stat(ctx, path); err != nil { // opening would begin one
		return fmt.Errorf("find session %q: %w", path, errors.Join(state.ErrConflict, err))
	}
	if s.cur, err = s.open(ctx, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if id := s.cur.log.Header().ID; id != c.Session {
		return fmt.Errorf("%w: session %q is there, not %q", state.ErrConflict, id, c.Session)
	}
	return f(s)
}

// besides returns the path, or the n-th name beside it.
func besides(path string, n int) string {
	if n == 0 {
		return path
	}
	if stem, ok := strings.CutSuffix(path, ident.Ext); ok {
		return fmt.Sprintf("%s.restored-%d%s", stem, n, ident.Ext)
	}
	return fmt.Sprintf("%s.restored-%d", path, n)
}

// movedBack returns where the session of a move is, when that is not its new place any
// more, but the old one, or beside that: a reverting that was killed left it there.
func movedBack(ctx context.Context, c undo.Change, o Options) (string, bool) {
	if !c.Again {
		return "", false
	}
	o.ReadOnly, o.Undo, o.OnEvent, o.IfBusy = true, nil, nil, nil
	s, err := begin(o)
	if err != nil {
		return "", false
	}
	if _, err := s.store.Stat(ctx, c.To); !errors.Is(err, ErrNotFound) {
		return "", false
	}
	for n := range 1000 {
		path := besides(c.Path, n)
		if _, err := s.store.Stat(ctx, path); err != nil {
			return "", false
		}
		s, err := Open(ctx, path, o)
		if err != nil {
			continue // something else is there
		}
		id := s.ID()
		if err := s.Close(); err == nil && id == c.Session {
			return path, true
		}
	}
	return "", false
}

// goOnMoving does what a move leaves to do when the log has its new name: the artifacts
// of the old name follow, and the header is changed.
func (s *Session) goOnMoving(ctx context.Context, old string, header func([]byte) []byte) error {
	from, to := ident.ArtifactDir(old), ident.ArtifactDir(s.cur.log.Name())
	_, taken := s.store.Stat(ctx, old)
	if from != "" && to != "" && from != to && errors.Is(taken, ErrNotFound) {
		_, err := vfs.MoveTree(s.shelves(ctx, from, to), from, to)
		var met *vfs.LinkError
		if errors.As(err, &met) && met.Link == from {
			s.leftAlone(from) // it is no directory of the session's
		} else if err != nil {
			return fmt.Errorf("move artifacts to %q: %w", filepath.Dir(to), err)
		}
	}
	if raw := s.cur.log.Header().Raw; bytes.Equal(header(raw), raw) {
		return nil
	}
	err := s.rewriteHeader(ctx, header, nil)
	s.followed()
	return err
}

// takeIn unites a session that was moved with what a program that had it open wrote at
// its old place meanwhile: a file without a header, which no program opens. What cannot
// be united stays, and the session is put beside it. It returns how many lines it took.
func takeIn(ctx context.Context, c undo.Change, o Options) int {
	fsys := o.fs
	vfs.PinToo(fsys, filepath.Dir(c.Path))
	s, err := begin(o)
	if err != nil {
		return 0
	}
	all := 0
	for range 100 { // as often as the program makes another
		if info, err := fsys.Lstat(c.Path); err != nil || !info.Regular() {
			return all
		}
		is, err := state.IsStray(ctx, s.store, c.Path, c.To)
		if err != nil || !is {
			return all
		}
		n, err := state.TakeIn(ctx, fsys, s.store, c.Path, c.To, freeBackup(fsys, c.Path))
		if all += n; err != nil {
			s.opt.Log.Warn("what a program wrote at the old place of a session stays there", "path", c.Path, "error", err)
			return all
		}
	}
	return all
}

// freeBackup returns a name beside a path that no program lists and nothing has.
func freeBackup(fsys vfs.FS, path string) string {
	dir, base := filepath.Split(path)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%s.cambium-kept-%d", dir, base, n)
		if _, err := fsys.Lstat(name); err != nil {
			return name
		}
	}
}
