package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
)

// A State says where a session was, so that it can go back there. It is plain
// data. That of a session without a log of its own means something only to the
// [Session] that it was captured from.
type State struct {
	// Path is the session's log, "" in memory.
	Path string `json:"path,omitempty"`
	// SessionID is the id of its header.
	SessionID string `json:"sessionId"`
	// LeafID is the leaf, nil for none.
	LeafID *entry.ID `json:"leafId"`
	// Entries is how many entries it had.
	Entries int `json:"entries"`
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
	return st
}

// Restore goes back to where the session was: to that log, if it has become
// another one since, and to that leaf. What was appended meanwhile stays; it is
// a branch then. The error is ErrNotFound when the session is nowhere any more;
// a failure changes nothing.
func (s *Session) Restore(ctx context.Context, st State) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	target, opened, err := s.captured(ctx, st)
	if err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	leaf := -1
	if st.LeafID != nil {
		leaf, err = target.find(*st.LeafID)
	}
	if err == nil && target != s.cur {
		err = s.become(ctx, target)
	}
	if err != nil {
		if opened {
			err = errors.Join(err, s.shut(target))
		}
		return err
	}
	target.point(leaf)
	return nil
}

// captured finds the session of a state: the one that is open, one that is held
// because it has no log yet, or the one at its path, which is opened.
func (s *Session) captured(ctx context.Context, st State) (b *book, opened bool, err error) {
	var moved *book
	for _, b := range append([]*book{s.cur}, s.left...) {
		switch {
		case b.log.Header().ID != st.SessionID:
		case b.log.Name() == st.Path:
			return b, false, nil
		case moved == nil:
			moved = b
		}
	}
	if st.Path == "" {
		return nil, false, ErrNotFound
	}
	if _, err := s.store.Stat(ctx, st.Path); err != nil {
		if moved != nil && errors.Is(err, ErrNotFound) {
			return moved, false, nil
		}
		return nil, false, err
	}
	if b, err = s.open(ctx, st.Path); err != nil {
		return nil, false, err
	}
	if id := b.log.Header().ID; id != st.SessionID {
		return nil, false, errors.Join(fmt.Errorf("%q is session %q now: %w", st.Path, id, ErrNotFound), s.shut(b))
	}
	return b, true, nil
}

// Switch makes this session the one at path (published setSessionFile). The
// target is opened before anything is given up; a failure changes nothing.
// Entries of the present session that cannot be saved are such a failure.
func (s *Session) Switch(ctx context.Context, path string) error {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return ErrClosed
	}
	path = s.absolute(path)
	if err := s.flushAll(ctx); err != nil {
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
	var b *book
	var err error
	if path != "" && path == s.cur.log.Name() && !s.opt.ReadOnly {
		b, err = s.anew(path)
	} else {
		b, err = s.open(ctx, path)
	}
	if err != nil {
		return err
	}
	if err := s.become(ctx, b); err != nil {
		return errors.Join(err, s.shut(b))
	}
	s.opened()
	return nil
}

// anew makes a session for a path at which the present one is to be, and is not yet:
// it is not written either before its first write, so that either can be.
func (s *Session) anew(path string) (*book, error) {
	h, rules, err := s.header(s.firstAt(path))
	if err != nil {
		return nil, err
	}
	b := &book{leaf: -1, rules: rules}
	if b.log, err = s.hold(b, path, h); err != nil {
		return nil, err
	}
	s.settle(b)
	return b, nil
}

// New makes this session a new one of the same working directory and dialect
// (published newSession) and returns its path, "" in memory. parent is its
// parentSession, verbatim. The session before is left as it is.
func (s *Session) New(ctx context.Context, parent string) (path string, err error) {
	return s.NewAs(ctx, "", parent)
}

// NewAs is New with an id that somebody chose, "" for none.
func (s *Session) NewAs(ctx context.Context, id, parent string) (path string, err error) {
	if id != "" {
		if err := ident.CheckID(id); err != nil {
			return "", err
		}
	}
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return "", ErrClosed
	}
	if err := s.flushAll(ctx); err != nil {
		return "", err
	}
	f := fresh{cwd: s.cur.cwd, id: id, parent: parent, dialect: s.cur.rules.Name, dir: s.dir()}
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
	held := !old.log.OnDisk()
	if !held {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	_ = s.nameAgain(ctx) // told already; what comes of this session has the name
	if i := slices.Index(s.left, b); i >= 0 {
		s.left = slices.Delete(s.left, i, i+1)
	}
	s.cur = b
	if held {
		s.left = append(s.left, old)
		return nil
	}
	if err := s.shut(old); err != nil {
		s.tell(Event{Kind: Unsaved, Err: fmt.Errorf("close session %q: %w", old.log.Name(), err)})
	}
	return nil
}
