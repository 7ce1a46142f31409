package session

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
)

// eager is up to which size a log is written anew with each append, to get a
// name into it that could not be saved: a larger one only with each Flush and
// with Close.
const eager = 16 << 20

// naming is a name that the log lacks, because it could not be written anew.
type naming struct {
	title  title
	header title               // what the header said then: if that changes, somebody else named it since
	body   entry.Body          // the entry that follows, nil for none
	line   func([]byte) []byte // makes the header line of the one before
	done   ending              // ends the record of the change
	err    error               // what kept it from the log
	tried  bool                // in this call
}

// postpone notes a name that could not be saved, and why. It is in memory, and
// tried again by later calls.
func (s *Session) postpone(n naming) error {
	n.err, n.tried = fmt.Errorf("rename session: %w", unsaved(n.err)), true
	s.cur.title, s.cur.naming = n.title, &n
	s.opt.Log.Error("the name of a session is not saved", "path", s.cur.log.Name(), "error", n.err)
	s.tell(Event{Kind: Unsaved, Err: n.err})
	return n.err
}

// nameAgain tries to save the name that waits, once in a call, and returns what
// keeps it from the log. It is called with the lock held.
func (s *Session) nameAgain(ctx context.Context) error {
	b := s.cur
	n := b.naming
	switch {
	case n == nil:
		return nil
	case b.header != n.header:
		b.naming = nil
		return n.done(-1, nil) // it was named anew since: that stands
	case n.tried:
		return n.err
	}
	n.tried = true
	b.title = n.title
	if err := s.retitleAs(ctx, n.line); err != nil {
		n.err = fmt.Errorf("rename session: %w", unsaved(err))
		s.cur.title, s.cur.naming = n.title, n
		return n.err
	}
	s.cur.naming = nil
	var err error
	if n.body != nil {
		_, err = s.append(ctx, n.body)
	}
	return n.done(-1, err)
}

// nameSoon is nameAgain for calls that have nothing to do with the name and do
// not end with its error.
func (s *Session) nameSoon() {
	if s.cur == nil || s.cur.naming == nil {
		return
	}
	if !s.closed && s.cur.log.Size() <= eager {
		_ = s.nameAgain(powers.Impatient(context.Background())) // told once; Flush and Close return it
	}
	if n := s.cur.naming; n != nil {
		n.tried = false
	}
}
