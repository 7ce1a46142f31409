package session

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/undo"
)

// fresh is what a new session is made of.
type fresh struct {
	cwd, id, parent, title string
	dialect                dialect.Name
	dir                    string // "" for the dialect's own
	path                   string // "" for one in dir
}

// header makes the header of a new session.
func (s *Session) header(f fresh) (entry.Header, spelling.Dialect, error) {
	if f.dialect == "" {
		f.dialect = dialect.Cambium
	}
	rules, ok := spelling.ByName(string(f.dialect))
	if !ok {
		return entry.Header{}, rules, fmt.Errorf("create session: no dialect is called %q", f.dialect)
	}
	h := entry.Header{
		Version: CurrentVersion, ID: f.id, CWD: f.cwd, ParentSession: f.parent,
		Timestamp: jsonedit.FormatTime(s.opt.Now().UnixMilli()),
	}
	if h.ID == "" {
		var err error
		if h.ID, err = s.mint.Session(string(rules.Name)); err != nil {
			return h, rules, err
		}
	}
	if !rules.NameByEntry {
		if h.Title = rules.Sanitize(f.title); h.Title != "" {
			h.TitleSource = dialect.UserTitle
		}
	}
	h.Raw = h.Encode(rules.CreateOrder...)
	return h, rules, nil
}

// create begins a new session: held until its first write, or written at once.
// It is called with the lock held.
func (s *Session) create(ctx context.Context, f fresh) (*book, error) {
	h, rules, err := s.header(f)
	if err != nil {
		return nil, err
	}
	b := &book{rules: rules, leaf: -1}
	place := places.For(string(rules.Name), s.opt.Env, layout.Overrides{AgentDir: s.opt.AgentDir, SessionDir: s.opt.Dir})
	if f.dir == "" {
		f.dir = place.Dir(f.cwd, s.opt.Env)
	}
	if f.path == "" {
		f.path = filepath.Join(f.dir, ident.FileName(h.Timestamp, h.ID))
	}
	if s.local {
		if err := s.opt.programs.Refusal(s.opt.fs, f.path, ErrReadOnly); err != nil {
			return nil, err
		}
	}
	if s.opt.FirstWrite == Immediately {
		b.log, err = journal.Create(ctx, s.logOptions(b, f.path), h, nil)
	} else {
		b.log, err = s.hold(b, f.path, h)
	}
	if err != nil {
		return nil, fmt.Errorf("create session %q: %w", f.path, err)
	}
	s.settle(b)
	return b, s.nameByEntry(ctx, b, f.title)
}

// hold makes a journal for a session that has no log yet.
func (s *Session) hold(b *book, path string, h entry.Header) (*journal.Journal, error) {
	opt := s.logOptions(b, path)
	if s.opt.NoDrafts || !s.local {
		return journal.Hold(opt, h, nil), nil
	}
	var tag [4]byte
	if _, err := io.ReadFull(s.opt.Random, tag[:]); err != nil {
		return nil, fmt.Errorf("name draft: %w", err)
	}
	name := state.Name(places.Own(s.opt.Env).State, h.ID, hex.EncodeToString(tag[:]))
	return journal.Hold(opt, h, &journal.Draft{
		Store:  s.store,
		Name:   name,
		Header: state.Mark(h.Raw, state.Draft{Path: path, Agent: string(b.rules.Name)}),
		Remove: func(context.Context) error { return s.opt.fs.Remove(name) },
	}), nil
}

// begin makes a new session at the very path at which nothing, or an empty log,
// was found. b is what was found there.
func (s *Session) begin(ctx context.Context, b *book, path string) error {
	h, rules, err := s.header(s.firstAt(path))
	if err != nil {
		return err
	}
	found := b.log
	b.rules = rules
	s.lockToo(b)
	if found.Found() == journal.Missing {
		b.log, err = journal.Create(ctx, s.logOptions(b, path), h, nil)
		if errors.Is(err, storage.ErrExist) {
			// Somebody else made one meanwhile: that is the session then.
			b.log, err = s.begun(ctx, b, path)
		}
	} else {
		b.log, err = s.fill(ctx, b, path, h)
	}
	if err != nil {
		b.log = found
		return fmt.Errorf("create session %q: %w", path, err)
	}
	s.settle(b)
	return errors.Join(s.nameByEntry(ctx, b, s.opt.Title), found.Close())
}

// firstAt is what a session that begins at that very path is made of.
func (s *Session) firstAt(path string) fresh {
	name := s.opt.Dialect
	if name == "" && s.local {
		name = dialect.Name(places.Owner(path, s.opt.Env))
	}
	return fresh{cwd: s.here(), id: s.opt.ID, parent: s.opt.Parent, dialect: name, title: s.opt.Title}
}

// here is the working directory of what does not say its own: that of the present
// session, and without one where this process is.
func (s *Session) here() string {
	if s.cur != nil && s.cur.cwd != "" {
		return s.cur.cwd
	}
	return s.opt.Env.Cwd
}

// fill writes a header into a log that is empty.
func (s *Session) fill(ctx context.Context, b *book, path string, h entry.Header) (*journal.Journal, error) {
	log, err := s.store.Open(ctx, path, storage.Write)
	if err != nil {
		return nil, err
	}
	_, err = log.Append(ctx, b.log.Mark(), [][]byte{h.Raw})
	if changed := (*storage.Changed)(nil); errors.As(err, &changed) {
		err = nil // somebody else filled it: that is the session then
	}
	if err == nil {
		err = powers.Sync(ctx, log)
	}
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	return s.begun(ctx, b, path)
}

// begun opens a log that was just made, here or by somebody else, to go on with it. It
// may be gone again, or another one: neither takes entries.
func (s *Session) begun(ctx context.Context, b *book, path string) (*journal.Journal, error) {
	log, err := journal.Open(ctx, s.logOptions(b, path))
	switch {
	case err != nil:
		return nil, err
	case log.Found() == journal.Missing:
		err = fmt.Errorf("somebody took it away meanwhile: %w", ErrNotFound)
	case log.Found() != journal.Valid || log.Old():
		err = fmt.Errorf("somebody put something else there meanwhile: %w", storage.ErrExist)
	default:
		return log, nil
	}
	if failed := log.Close(); failed != nil {
		return nil, errors.Join(err, failed)
	}
	return nil, err
}

// reinitialize makes a new session at the path of a file that is none, whose
// bytes are kept beside it.
func (s *Session) reinitialize(ctx context.Context, b *book, path string) error {
	done, err := s.record(ctx, b, undo.Change{Op: state.Reinitialize, Path: path})
	if err != nil {
		return err
	}
	known := b.log.Size()
	kept, err := s.beginAnew(ctx, b, path)
	if err != nil {
		return done(-1, err)
	}
	size := s.made(b)
	if info, err := s.store.Stat(ctx, kept); err != nil || info.Size != known {
		size = 0 // others wrote to it: what is on record is not all of it
	}
	return done(size, nil)
}

// made returns how many bytes of a session that was just begun are our own.
func (s *Session) made(b *book) int64 {
	size := int64(len(b.log.Header().Raw)) + 1
	if s.opt.Title != "" && b.rules.NameByEntry && b.log.List().Len() > 0 {
		line, err := b.log.Stored(0)
		if err != nil {
			return 0
		}
		size += int64(len(line)) + 1
	}
	return size
}

// beginAnew does it, and returns what the old bytes are called.
func (s *Session) beginAnew(ctx context.Context, b *book, path string) (kept string, err error) {
	if kept, err = keep(ctx, b.log, path); err != nil {
		return "", fmt.Errorf("keep %q: %w", path, err)
	}
	if err := b.log.Close(); err != nil {
		return "", errors.Join(err, s.store.Rename(context.WithoutCancel(ctx), kept, path))
	}
	log, err := journal.Open(ctx, s.logOptions(b, path))
	if err == nil {
		b.log = log
		err = s.begin(ctx, b, path)
	}
	if err != nil {
		return "", errors.Join(err, s.store.Rename(context.WithoutCancel(ctx), kept, path))
	}
	s.tell(Event{Kind: Replaced, Text: "the old bytes are kept as " + kept})
	return kept, nil
}

// keep gives the log of a path a name beside it that no program lists.
func keep(ctx context.Context, log *journal.Journal, path string) (string, error) {
	dir, base := filepath.Split(path)
	for n := 1; ; n++ {
		kept := fmt.Sprintf("%s.%s.cambium-kept-%d", dir, base, n)
		err := log.Move(ctx, kept)
		if !errors.Is(err, storage.ErrExist) {
			return kept, err
		}
	}
}

// memory begins a session that is kept nowhere.
func (s *Session) memory(ctx context.Context, f fresh) (*book, error) {
	h, rules, err := s.header(f)
	if err != nil {
		return nil, err
	}
	b := &book{rules: rules, leaf: -1}
	b.log = journal.Hold(s.logOptions(b, ""), h, nil)
	s.settle(b)
	return b, s.nameByEntry(ctx, b, f.title)
}

// nameByEntry gives a new session its title where that is an entry.
func (s *Session) nameByEntry(ctx context.Context, b *book, name string) error {
	if name == "" || !b.rules.NameByEntry {
		return nil
	}
	was := s.cur
	s.cur = b
	defer func() { s.cur = was }()
	text := b.rules.Sanitize(name)
	if _, err := s.append(ctx, b.rules.TitleBody(text, dialect.UserTitle, "", "")); err != nil {
		return err
	}
	b.title = title{text: text, source: dialect.UserTitle}
	return nil
}
