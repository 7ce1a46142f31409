package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
)

// A State says where a session was, so that it can go back there. It is plain
// data, except that a session without a log of its own can only go back to
// it within the process.
type State struct {
	// Path is the session's log, "" in memory.
	Path string `json:"path,omitempty"`
	// SessionID is the id of its header.
	SessionID string `json:"sessionId"`
	// LeafID is the leaf, nil for none.
	LeafID *entry.ID `json:"leafId"`
	// Entries is how many entries it had.
	Entries int `json:"entries"`

	book *book
}

// Capture says where the session is.
func (s *Session) Capture() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.cur
	st := State{Path: b.log.Name(), SessionID: b.log.Header().ID, Entries: b.log.List().Len()}
	if b.leaf >= 0 {
		id, _ := b.log.List().ID(b.leaf)
		st.LeafID = &id
	}
	if !b.log.OnDisk() {
		st.book = b
	}
	return st
}

// Restore goes back to where the session was: to that log, if it has become
// another one since, and to that leaf. What was appended meanwhile stays; it is
// a branch then.
func (s *Session) Restore(ctx context.Context, st State) error {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	target := s.cur
	switch {
	case st.book != nil && st.book != s.cur:
		target = st.book
	case st.book == nil && st.Path != s.cur.log.Name():
		var err error
		if target, err = s.open(ctx, st.Path); err != nil {
			return err
		}
	}
	leaf := -1
	if st.LeafID != nil {
		if leaf = target.log.List().Find(*st.LeafID); leaf < 0 {
			err := noEntry(*st.LeafID)
			if target != s.cur && st.book == nil {
				err = errors.Join(err, target.log.Close())
			}
			return err
		}
	}
	if target != s.cur {
		if err := s.become(ctx, target); err != nil {
			return err
		}
	}
	target.point(leaf)
	return nil
}

// Switch makes this session the one at path (published setSessionFile). The
// target is opened before anything is given up; a failure changes nothing.
// Entries of the present session that cannot be saved are such a failure.
func (s *Session) Switch(ctx context.Context, path string) error {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	path = s.absolute(path)
	if err := s.flush(ctx); err != nil {
		return err
	}
	if path == s.cur.log.Name() && s.cur.log.OnDisk() {
		// The same log again: what others did to it is read, and the leaf
		// is the default one.
		if err := s.refresh(ctx); err != nil {
			return err
		}
		s.cur.point(s.cur.tree.Leaf())
		return nil
	}
	b, err := s.open(ctx, path)
	if err != nil {
		return err
	}
	if err := s.become(ctx, b); err != nil {
		return errors.Join(err, b.log.Close())
	}
	s.opened()
	return nil
}

// New makes this session a new one of the same working directory and dialect
// (published newSession) and returns its path, "" in memory. parent is its
// parentSession, verbatim. The session before is left as it is.
func (s *Session) New(ctx context.Context, parent string) (path string, err error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return "", ErrClosed
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	f := fresh{cwd: s.cur.cwd, parent: parent, dialect: s.cur.rules.Name, dir: s.dir()}
	var b *book
	if s.cur.log.Name() == "" {
		b, err = s.memory(ctx, f)
	} else {
		b, err = s.create(ctx, f)
	}
	if err != nil {
		return "", err
	}
	if err := s.become(ctx, b); err != nil {
		return "", errors.Join(err, s.scrap(ctx, b))
	}
	return b.log.Name(), nil
}

// become makes b what is open. What was open before is closed, unless its
// entries would be lost with it. It is called with the lock held; on an error
// nothing has changed.
func (s *Session) become(ctx context.Context, b *book) error {
	old := s.cur
	for i, l := range s.left {
		if l == b {
			s.left = append(s.left[:i], s.left[i+1:]...)
			break
		}
	}
	if !old.log.OnDisk() {
		s.left = append(s.left, old)
		s.cur = b
		return nil
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.cur = b
	if err := old.log.Close(); err != nil {
		s.tell(Event{Kind: Unsaved, Err: fmt.Errorf("close session %q: %w", old.log.Name(), err)})
	}
	return nil
}
