package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Flush saves what waits and makes all that was appended durable. A session
// that has no log yet stays without one, unless its first write was due.
func (s *Session) Flush(ctx context.Context) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	return s.flushAll(ctx)
}

// flushAll is flush, and the name that waits.
func (s *Session) flushAll(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.nameAgain(ctx)
}

// flush saves the entries that wait and makes all durable.
func (s *Session) flush(ctx context.Context) error {
	err := s.firstWrite(ctx)
	if err == nil {
		err = s.cur.log.Flush(ctx)
	}
	s.followed()
	return unsaved(err)
}

// EnsureOnDisk writes a session that has no log yet, whatever it holds (published
// ensureOnDisk). In memory it does nothing.
func (s *Session) EnsureOnDisk(ctx context.Context) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if s.cur.log.Name() != "" && !s.cur.log.OnDisk() {
		s.cur.due = true
	}
	return s.flush(ctx)
}

// Queued returns how many entries are in memory and should be on disk.
func (s *Session) Queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur.waits() {
		return s.cur.log.List().Len()
	}
	return s.cur.log.Queued()
}

// Refresh reads what others did to the session since it was last looked at and
// reports whether there was anything. The leaf stays.
func (s *Session) Refresh(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return false, ErrClosed
	}
	before := s.cur.log.Mark()
	err := s.refresh(powers.Impatient(ctx)) // others read meanwhile
	return s.cur.log.Mark() != before, err
}

func (s *Session) refresh(ctx context.Context) error {
	_, err := s.cur.log.Refresh(ctx)
	s.followed()
	return err
}

// Close saves what waits, makes it durable and gives back what the session
// holds. It does all of that whatever fails, and returns the first error with
// the others joined. A draft of a session that was never written stays, unless
// nothing was said in it: all that it holds is which model, thinking level, mode
// and the like it began with. A second Close does nothing.
//
// A closed session can still be read as it was: header, title, entries, branches,
// labels, context, usage. All else is refused with ErrClosed.
func (s *Session) Close() error {
	s.askNoMore()
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return nil
	}
	ctx := context.Background()
	if n := s.cur.naming; n != nil && errors.Is(n.err, storage.ErrLocked) {
		ctx = powers.Impatient(ctx) // it was waited for
	}
	errs := []error{unsaved(s.firstWrite(ctx)), s.nameAgain(ctx)}
	s.closed = true
	for _, b := range append(s.left, s.cur) {
		errs = append(errs, unsaved(s.shut(b)))
	}
	s.left = nil
	return errors.Join(errs...)
}

// writable refuses to write what cannot be written.
func (s *Session) writable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.cur.why != "":
		return fmt.Errorf("write session %q: %w: %s", s.cur.log.Name(), ErrReadOnly, s.cur.why)
	}
	return nil
}

// happened notes what a journal says. It is called with the journal's lock held
// and, except during a sync, the session's.
func (s *Session) happened(e journal.Event) {
	s.seeing.Lock()
	defer s.seeing.Unlock()
	s.seen = append(s.seen, e)
}

// followed makes sense of what the journal said during the last call: entries
// of others are announced, and positions found anew if the log was read anew.
func (s *Session) followed() {
	b := s.cur
	if b.log.Loads() != b.loads {
		s.rebuild(b)
	}
	b.tree.Grow()
	h := b.log.Header()
	if text, source := h.Effective(); b.header != (title{text: text, source: source}) {
		b.readTitle() // somebody else gave it another one
	}
	s.heard()
}

// heard makes sense of what a journal said.
func (s *Session) heard() {
	s.seeing.Lock()
	seen := s.seen
	s.seen = nil
	s.seeing.Unlock()
	for _, e := range seen {
		s.translate(s.cur, e)
	}
}

// rebuild makes anew what goes by position, and finds the leaf by its id.
func (s *Session) rebuild(b *book) {
	leaf, id := b.leaf, b.leafID
	named, header := b.title, b.header
	s.settle(b)
	if b.header == header && !b.rules.NameByEntry {
		b.title = named // a saved branch may have its name in memory only
	}
	switch at := b.log.List().Find(id); {
	case leaf < 0:
		b.point(-1)
	case at >= 0:
		b.point(at)
	}
}

func (s *Session) translate(b *book, e journal.Event) {
	switch e.Kind {
	case journal.Appended:
		list := b.log.List()
		var ids []entry.ID
		for i := e.From; i < min(e.To, list.Len()); i++ {
			id, _ := list.ID(i)
			ids = append(ids, id)
			if list.Kind(i) == entry.SessionInfo {
				b.readTitle()
			}
		}
		if !b.shared {
			b.shared = true
			s.tell(Event{Kind: Busy, Text: "another process writes this session: what each appends is a branch of its own"})
		}
		s.tell(Event{Kind: Appended, IDs: ids, Foreign: true})
	case journal.Replaced:
		s.tell(Event{Kind: Replaced, Foreign: true})
	case journal.Restored:
		restored := Event{Kind: Restored}
		if e.Err != nil {
			restored.Text = e.Err.Error()
		}
		s.tell(restored)
	case journal.Cut:
		s.tell(Event{Kind: Replaced, Foreign: true, Text: "it was cut short"})
	case journal.Other:
		s.tell(Event{Kind: Replaced, Foreign: true, Text: "it was written anew, or another file took its place"})
	case journal.Gone:
		s.tell(Event{Kind: Gone, Foreign: true, Text: "it is not there any more"})
	case journal.Moved:
		s.tell(Event{Kind: Moved, Foreign: e.Name != b.given, Text: e.Name})
	case journal.Unsaved:
		s.tell(Event{Kind: Unsaved, Err: e.Err})
	case journal.Unlocked:
		s.tell(Event{Kind: Busy, Text: "another program holds the lock of this session; it was done without"})
	}
}

// Rest makes what the session keeps in memory smaller, for one that is expected to
// do nothing for a while: what is kept in case somebody cuts its log short is
// packed. It takes about 10 ms for each MB of the log, up to 16 MB, and holds up
// nobody. It may be called whenever much was read; on a closed session it does
// nothing.
func (s *Session) Rest() {
	s.mu.Lock()
	if s.closed || s.cur == nil {
		s.mu.Unlock()
		return
	}
	s.cur.walked = walk{}
	log := s.cur.log
	s.mu.Unlock()
	log.Pack()
}
