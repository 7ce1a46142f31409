package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
)

// Fork writes the whole session, with all its branches, as a session of its
// own and returns the old path and the new one (published fork). This Session
// becomes the new one, with the same leaf; artifacts are copied; the old one is
// left as it is. A session in memory cannot be forked.
func (s *Session) Fork(ctx context.Context) (old, now string, err error) { return s.ForkAs(ctx, true) }

// ForkAs is Fork that copies the artifacts or leaves them behind.
func (s *Session) ForkAs(ctx context.Context, artifacts bool) (old, now string, err error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", "", err
	}
	old = s.cur.log.Name()
	if old == "" {
		return "", "", fmt.Errorf("fork session: it is in memory only: %w", errors.ErrUnsupported)
	}
	if err := s.flush(ctx); err != nil {
		return "", "", err
	}
	h, err := s.derivedHeader(s.cur.rules.ForkHeader)
	if err != nil {
		return "", "", err
	}
	// The artifacts first: a session that is seen is whole.
	undo := func() error { return nil }
	if artifacts {
		if undo, err = s.copyArtifacts(ctx, old, filepath.Join(s.dir(), ident.FileName(h.Timestamp, h.ID))); err != nil {
			return "", "", fmt.Errorf("fork session: %w", err)
		}
	}
	b, err := s.derive(ctx, h, s.every(), false)
	if err != nil {
		return "", "", errors.Join(fmt.Errorf("fork session: %w", err), undo())
	}
	now = b.log.Name()
	leaf, id := s.cur.leaf, s.cur.leafID
	if err := s.become(ctx, b); err != nil {
		return "", "", errors.Join(err, undo(), s.scrap(ctx, b))
	}
	if leaf < 0 {
		b.point(-1)
	} else if at := b.log.List().Find(id); at >= 0 {
		b.point(at)
	}
	return old, now, nil
}

// own is what a session that comes from another one has of its own.
func (s *Session) own(name dialect.Name, cwd string) (spelling.Fresh, error) {
	id, err := s.mint.Session(string(name))
	return spelling.Fresh{ID: id, Timestamp: jsonedit.FormatTime(s.opt.Now().UnixMilli()), CWD: cwd}, err
}

// source is the session that another one comes from.
func (b *book) source() spelling.Source {
	h := b.log.Header()
	return spelling.Source{Header: &h, Path: b.log.Name(), Title: b.title.text, TitleSource: b.title.source}
}

// derivedHeader makes the header of a session that comes from this one.
func (s *Session) derivedHeader(spell func(spelling.Source, spelling.Fresh) entry.Header) (entry.Header, error) {
	own, err := s.own(s.cur.rules.Name, s.cur.cwd)
	if err != nil {
		return entry.Header{}, err
	}
	return spell(s.cur.source(), own), nil
}

// derive makes a session out of the lines of this one, beside it. waits says
// that it is not to be written yet.
func (s *Session) derive(ctx context.Context, h entry.Header, lines iter.Seq2[[]byte, error], waits bool) (*book, error) {
	b := (&book{rules: s.cur.rules, leaf: -1}).inherit(s.cur)
	path := ""
	if s.cur.log.Name() != "" {
		path = filepath.Join(s.dir(), ident.FileName(h.Timestamp, h.ID))
	}
	var err error
	switch {
	case path == "" || waits:
		if path == "" {
			b.log = journal.Hold(s.logOptions(b, ""), h, nil)
		} else if b.log, err = s.hold(b, path, h); err != nil {
			return nil, err
		}
		s.settle(b)
		for line, err := range lines {
			if err == nil {
				_, err = b.log.Append(ctx, line, false)
			}
			if err != nil {
				return nil, errors.Join(err, b.log.Discard(ctx))
			}
		}
	default:
		if err := s.written(ctx, b, path, h, lines); err != nil {
			return nil, err
		}
	}
	s.settle(b)
	return b, nil
}

// written writes a session whole and opens it as the log of b. If it cannot be
// opened it is taken back: nobody knows of it. What somebody else put there stays.
func (s *Session) written(ctx context.Context, b *book, path string, h entry.Header, lines iter.Seq2[[]byte, error]) error {
	err := s.writeWhole(ctx, path, h.Raw, lines)
	if err != nil {
		return err
	}
	if b.log, err = s.begun(ctx, b, path); errors.Is(err, storage.ErrExist) {
		return fmt.Errorf("write session %q: %w", path, err)
	} else if err != nil {
		return errors.Join(err, s.remove(ctx, path))
	}
	return nil
}

// remove takes back a log that was just made, also when ctx is what ended it.
func (s *Session) remove(ctx context.Context, name string) error {
	err := s.store.Remove(context.WithoutCancel(ctx), name)
	if errors.Is(err, storage.ErrNotExist) {
		return nil
	}
	return err
}

// scrap takes back a session that was just made and that nobody knows of.
func (s *Session) scrap(ctx context.Context, b *book) error {
	if !b.log.OnDisk() {
		return errors.Join(b.log.Discard(ctx), b.log.Close())
	}
	return errors.Join(s.shut(b), s.remove(ctx, b.log.Name()))
}

// every yields the lines of all entries, with the links as they are read.
func (s *Session) every() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		links, err := s.cur.tree.Relink(s.mint.Entry)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range s.cur.log.List().Len() {
			line, err := s.copied(i)
			if !yield(links.Line(i, line), err) || err != nil {
				return
			}
		}
	}
}

// copied returns the line of entry i as it goes into another session of the
// same dialect and blobs: as stored, unless it has to be migrated.
func (s *Session) copied(i int) ([]byte, error) {
	if !s.cur.log.Old() {
		return s.cur.log.Stored(i)
	}
	line, err := s.cur.whole(i)
	if err != nil {
		return nil, err
	}
	return s.cur.prepare(s, line)
}

// ForkFrom copies the session at the path source, with all its branches, into
// a new session of the working directory cwd, written at once. An older version
// is migrated on the way; the source is not changed. Artifacts are copied. The
// caller closes the session.
//
// A source that is no session is refused with the programs' text; the error
// wraps [ErrNotSession] or [ErrNotFound].
func ForkFrom(ctx context.Context, source, cwd string, o Options) (*Session, error) {
	return forkInto(ctx, source, cwd, nil, o)
}

// ForkBranch is ForkFrom of the branch that ends at an entry, as
// [Session.SaveBranch] writes it: at once, and without artifacts.
func ForkBranch(ctx context.Context, source, cwd string, leaf entry.ID, o Options) (*Session, error) {
	return forkInto(ctx, source, cwd, &leaf, o)
}

// forkInto makes a session out of another one, or of its branch to an entry.
func forkInto(ctx context.Context, source, cwd string, leaf *entry.ID, o Options) (_ *Session, err error) {
	s, err := begin(o)
	if err != nil {
		return nil, err
	}
	source = s.absolute(source)
	src, err := s.openSource(ctx, source)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if guest(src) {
		return nil, fmt.Errorf("fork session: %w", &foreign.OnlyReadError{Path: source, Agent: src.opt.Dialect, Err: ErrReadOnly})
	}
	s.mu.Lock()
	defer s.unlock()
	cwd = s.absolute(cwd)
	own, err := s.own(src.cur.rules.Name, cwd)
	if err != nil {
		return nil, err
	}
	own.ID = cmp.Or(o.ID, own.ID)
	spell := src.cur.rules.ForkFromHeader
	var plan tree.Branched
	if leaf != nil {
		spell = src.cur.rules.BranchHeader
		if plan, err = src.cur.branched(*leaf, s.mint); err != nil {
			return nil, err
		}
	}
	h := spell(src.cur.source(), own)
	place := places.For(string(src.cur.rules.Name), o.Env, layout.Overrides{AgentDir: o.AgentDir, SessionDir: o.Dir})
	path := filepath.Join(place.Dir(cwd, o.Env), ident.FileName(h.Timestamp, h.ID))
	b := &book{rules: src.cur.rules, leaf: -1, place: place}
	b.blobs = s.blobStore(b)
	lines := s.converted(src, b)
	if leaf != nil {
		lines = src.planned(plan)
	}
	undo := func() error { return nil }
	if leaf == nil && !o.NoArtifacts { // first: a session that is seen is whole
		if undo, err = s.copyArtifacts(ctx, source, path); err != nil {
			return nil, fmt.Errorf("fork session %q: %w", source, err)
		}
	}
	if err := s.written(ctx, b, path, h, lines); err != nil {
		return nil, errors.Join(err, undo())
	}
	s.settle(b)
	s.cur = b
	return s, nil
}

// noSource is the published answer to a source that is not there.
func noSource(name dialect.Name, source string) error {
	if name == dialect.Omp {
		return &Error{Text: fmt.Sprintf("Session %q not found.", source), Err: ErrNotFound}
	}
	return &Error{Text: "Cannot fork: source session file is empty or invalid: " + source, Err: ErrNotFound}
}

// openSource opens a session that is to be copied.
func (s *Session) openSource(ctx context.Context, source string) (*Session, error) {
	o := s.opt
	o.ReadOnly, o.OnEvent, o.MustExist = true, nil, false
	o.Dir, o.ID, o.Title, o.Parent = "", "", "", ""
	src, err := Open(ctx, source, o)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, noSource(s.opt.Dialect, source)
	case errors.Is(err, ErrNotSession):
		return nil, &Error{Text: "Cannot fork: source session file is empty or invalid: " + source, Err: ErrNotSession}
	case err != nil:
		return nil, err
	}
	switch src.cur.log.Found() {
	case journal.Empty:
		err = &Error{Text: "Cannot fork: source session file is empty or invalid: " + source, Err: ErrNotSession}
	case journal.NoHeader:
		err = &Error{Text: "Cannot fork: source session has no header: " + source, Err: ErrNotSession}
	case journal.Newer:
		err = fmt.Errorf("fork session %q: %w: its version %v is newer than %d", source, ErrReadOnly, src.cur.log.Header().Version, CurrentVersion)
	}
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return src, nil
}

// converted yields the lines of src as they go into the session of b: as
// stored, unless they have to be migrated, what they leave out is in another store
// of blobs, or their parent is nowhere: such a link is written as it is read.
func (s *Session) converted(src *Session, b *book) iter.Seq2[[]byte, error] {
	same := s.opt.Blobs == nil && b.place.Blobs == src.cur.place.Blobs && src.cur.near == "" || s.opt.Blobs != nil
	return func(yield func([]byte, error) bool) {
		links, err := src.cur.tree.Relink(s.mint.Entry)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range src.cur.log.List().Len() {
			line, err := src.cur.log.Stored(i)
			if err == nil && (src.cur.log.Old() || !same && bytes.Contains(line, []byte(blob.Prefix))) {
				if line, err = src.cur.whole(i); err == nil {
					line, err = b.prepare(s, line)
				}
			}
			if !yield(links.Line(i, line), err) || err != nil {
				return
			}
		}
	}
}
