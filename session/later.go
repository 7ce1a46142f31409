package session

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/journal"
)

// notYet is why a session that was opened to be written later cannot be.
const notYet = "it is not in use yet"

// StartWriting ends the waiting of a session that was opened with
// Options.Later: what opening to write does to the disk is done now. A missing or
// empty file becomes a session, an older version is migrated, presence and
// Options.OnVisit are told. Who else has the session open is asked meanwhile, and
// told by an event. The leaf stays. On an error nothing has changed and it may be
// called again. For every other session it does nothing.
func (s *Session) StartWriting(ctx context.Context) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	b := s.cur
	if b.why != notYet {
		return nil
	}
	ask := s.opt.IfBusy
	s.opt.IfBusy = nil // it was asked when the session was opened
	defer func() { s.opt.IfBusy = ask }()
	b.why = ""
	if err := s.start(ctx, b); err != nil {
		s.exit(b.present)
		b.present, b.why = present{}, notYet
		return err
	}
	s.opt.Later = false
	s.opened()
	return nil
}

// start does to the disk what opening to write does.
func (s *Session) start(ctx context.Context, b *book) error {
	path := b.log.Name()
	if b.found != nil {
		return s.startAnew(ctx, b, path)
	}
	s.enterSoon(ctx, b, path)
	if !b.log.Old() {
		return nil
	}
	leaf, id := b.leaf, b.leafID
	if err := s.migrate(ctx, b); err != nil {
		return fmt.Errorf("migrate session %q: %w", path, err)
	}
	if at := b.log.List().Find(id); leaf < 0 || at >= 0 {
		b.point(at)
	}
	return nil
}

// startAnew makes the session that was promised for a path where there was none.
func (s *Session) startAnew(ctx context.Context, b *book, path string) error {
	promised, found, id := b.log, b.found, s.opt.ID
	s.opt.ID = promised.Header().ID
	defer func() { s.opt.ID = id }()
	b.log, b.found = found, nil
	if err := s.accept(ctx, b, path); err != nil {
		b.log, b.found = promised, found
		return err
	}
	return promised.Close()
}

// promise makes b, at whose path no session was found, look like the one that is
// to be there.
func (s *Session) promise(b *book, path string) error {
	h, rules, err := s.header(s.firstAt(path))
	if err != nil {
		return err
	}
	b.found, b.rules = b.log, rules
	b.log = journal.Hold(s.logOptions(b, path), h, nil)
	s.settle(b)
	b.why = notYet
	return nil
}

// wait asks who else has the session open, and leaves the rest to StartWriting.
func (s *Session) wait(ctx context.Context, b *book, path string) error {
	s.settle(b)
	b.why = notYet
	if s.presence == nil || s.opt.IfBusy == nil {
		return nil
	}
	others, err := s.presence.Who(ctx, path, "")
	if err != nil {
		s.opt.Log.Debug("presence", "path", path, "error", err)
	}
	if len(others) == 0 {
		return nil
	}
	return s.opt.IfBusy(others)
}
