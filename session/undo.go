package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/undo"
)

// A Recorder keeps a record of changes, so that they can be taken back. It is
// called with the session's lock held and must not call the session.
type Recorder interface {
	// Begin records a change before it is made and returns what to call it.
	// On an error the change is not made.
	Begin(ctx context.Context, c undo.Change) (id string, err error)
	// End records how the change ended: done, or not made at all when failed
	// is not nil.
	End(ctx context.Context, id string, failed error) error
	// EndAt records that the change is done and made the first size bytes of
	// the file; what is behind them is of others, and is not taken back.
	EndAt(ctx context.Context, id string, size int64) error
}

// An ending is called with how a change ended, and returns that. size is how
// many bytes of the file it made, where that is recorded.
type ending func(size int64, failed error) error

func unrecorded(_ int64, err error) error { return err }

// record tells the recorder of a change to what b has open.
func (s *Session) record(ctx context.Context, b *book, c undo.Change) (ending, error) {
	if s.opt.Undo == nil {
		return unrecorded, nil
	}
	c.Session, c.Agent = b.log.Header().ID, string(b.rules.Name)
	id, err := s.opt.Undo.Begin(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	return func(size int64, failed error) error {
		if errors.Is(failed, ErrUnsaved) {
			return failed // it may still be made, when what waits is saved
		}
		var err error
		if failed != nil {
			err = s.opt.Undo.End(ctx, id, failed)
		} else {
			err = s.opt.Undo.EndAt(ctx, id, size)
		}
		if err != nil {
			s.opt.Log.Warn("the record of a change is not complete", "path", c.Path, "error", err)
		}
		return failed
	}, nil
}

// recordRename records that a session on disk gets another title, t.
func (s *Session) recordRename(ctx context.Context, b *book, t title) (ending, error) {
	if !b.log.OnDisk() {
		return unrecorded, nil
	}
	c := undo.Change{
		Op: state.Rename, Path: b.log.Name(),
		Was: state.Title{Text: b.title.text, Source: b.title.source}, Title: state.Title{Text: t.text, Source: t.source},
	}
	if raw := b.log.Header().Raw; raw != nil && !b.rules.NameByEntry {
		c.Before, c.After = bytes.Clone(raw), t.into(raw)
	}
	return s.record(ctx, b, c)
}

// Revert takes back a rename or a move, as it was recorded, and returns where
// the session is then; note says what else there is to say. No entry is taken
// away: a title that is an entry is followed by one with the title before, a
// header gets the old line back, or, when it changed otherwise since, the old
// values of what the change changed. A session whose old place is taken is put
// beside it. The error says so when the session or its title is another one by
// now; then nothing was changed. What was reverted in part, because the process was
// killed (Change.Again), is reverted to the end.
func Revert(ctx context.Context, c undo.Change, o Options) (now, note string, err error) {
	path := c.Path
	if c.Op == state.Move {
		path = c.To
		if at, ok := movedBack(ctx, c, o); ok {
			path = at
		}
	}
	united := 0
	unite := func(o Options) {
		if c.Op == state.Move && path == c.To {
			united = takeIn(ctx, c, o)
		}
	}
	err = changed(ctx, c, path, o, unite, func(s *Session) error {
		switch {
		case c.Op == state.Rename:
			err = s.revertTitle(ctx, c)
		case c.Op == state.Move && path != c.To:
			err = s.goOnMoving(ctx, c.To, func(line []byte) []byte { return merge(line, c.Before, c.After) })
		case c.Op == state.Move:
			note, err = s.revertMove(ctx, c)
		default:
			err = errors.ErrUnsupported
		}
		path = s.cur.log.Name()
		return err
	})
	if note == "" && united > 0 {
		note = fmt.Sprintf("with %d lines that a program wrote at its place meanwhile", united)
	}
	return path, note, err
}

// revertTitle gives a session the title that it had before a change.
func (s *Session) revertTitle(ctx context.Context, c undo.Change) error {
	b := s.cur
	was := title{text: c.Was.Text, source: c.Was.Source}
	h := b.log.Header()
	now, _, err := b.rules.Title(&h, b.log.List()) // that of opening may not have been read
	if err != nil {
		return fmt.Errorf("read the name: %w", err)
	}
	switch {
	case c.Again && now == was.text && now != c.Title.Text: // an interrupted one did it
		return s.flush(ctx)
	case now != c.Title.Text:
		return fmt.Errorf("%w: its name is %q, not %q", state.ErrConflict, now, c.Title.Text)
	}
	if was.text != "" || b.rules.NameByEntry {
		body := b.rules.TitleBody(was.text, was.source, b.title.text, "")
		if body != nil && !b.saysLast(was.text) {
			if _, err := s.append(ctx, body); err != nil {
				return err
			}
		}
	}
	b = s.cur
	b.title = was
	if b.rules.NameByEntry {
		return s.flush(ctx)
	}
	err = s.retitleAs(ctx, func(line []byte) []byte { return merge(line, c.Before, c.After) })
	if err == nil {
		s.cur.title = was
	}
	return err
}

// saysLast reports whether the last change of the title that is an entry beside the
// header is to that text.
func (b *book) saysLast(text string) bool {
	list := b.log.List()
	for i := list.Len() - 1; i >= 0 && !b.rules.NameByEntry; i-- {
		if list.Kind(i) != entry.TitleChange {
			continue
		}
		line, err := list.Load(i)
		if err != nil {
			return false
		}
		last, _ := jsonedit.Text(line, "title")
		return last == text
	}
	return false
}

// revertMove moves a session back.
func (s *Session) revertMove(ctx context.Context, c undo.Change) (note string, err error) {
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	header := func(line []byte) []byte { return merge(line, c.Before, c.After) }
	h, ok := entry.ParseHeader(header(s.cur.log.Header().Raw))
	if !ok {
		return "", ErrNotSession
	}
	for n := 0; ; n++ {
		to := besides(c.Path, n)
		err := s.relocate(ctx, destination{path: to, cwd: h.CWD, header: header})
		if errors.Is(err, storage.ErrExist) && n < 1000 {
			continue
		}
		if err == nil && n > 0 {
			note = fmt.Sprintf("%q is taken", c.Path)
		}
		return note, err
	}
}

// merge takes a change of a header line back: it returns before, if the line is
// still after; else the line with those members as before that are still as
// the change left them.
func merge(line, before, after []byte) []byte {
	if bytes.Equal(line, after) && before != nil {
		return before
	}
	out := entry.JSON(line)
	set := func(key string) {
		was, had := jsonedit.Get(before, key)
		is, has := jsonedit.Get(after, key)
		now, there := jsonedit.Get(out, key)
		switch {
		case had == has && bytes.Equal(was, is), there != has, !bytes.Equal(now, is):
		case had:
			out = jsonedit.Set(out, key, was)
		default:
			out = jsonedit.Delete(out, key)
		}
	}
	for key := range jsonedit.Members(after) {
		set(key)
	}
	for key := range jsonedit.Members(before) {
		set(key)
	}
	return out
}

// rewriteHeader replaces the header, but not what stands around it, and, if slot is not
// nil, the title slot.
func (s *Session) rewriteHeader(ctx context.Context, header func([]byte) []byte, slot []byte) error {
	_, err := s.cur.log.Rewrite(ctx, func(r journal.Record) ([][]byte, error) {
		switch {
		case r.Kind == entry.Session:
			return [][]byte{r.Around(header(r.Line))}, nil
		case r.Kind == entry.Title && slot != nil:
			return [][]byte{slot}, nil
		}
		return [][]byte{r.Line}, nil
	})
	return err
}

// A destination is where a session goes: its log, its working directory, its header.
type destination struct {
	path, cwd string
	header    func(line []byte) []byte
}

// relocate brings a session on disk to a place. On a failure everything is as
// it was; where even that fails, the error says so.
func (s *Session) relocate(ctx context.Context, d destination) error {
	old := s.cur.log.Name()
	var undo []func() error
	if filepath.Clean(d.path) != filepath.Clean(old) {
		var err error
		if undo, err = s.moveFiles(ctx, old, d.path); err != nil {
			return err
		}
	}
	if err := s.rewriteHeader(ctx, d.header, nil); err != nil {
		return errors.Join(fmt.Errorf("move session %q: %w", old, err), vfs.Rollback(undo))
	}
	s.followed()
	s.cur.cwd = d.cwd
	return nil
}
