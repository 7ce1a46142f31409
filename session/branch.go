package session

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/internal/spelling"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
)

const (
	strict = tree.Strict
	healed = tree.Healed
)

// Leaf returns the id of the entry that the next one follows, and false when
// it will be a root.
func (s *Session) Leaf() (entry.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur.leaf < 0 {
		return "", false
	}
	return s.cur.leafID, true
}

// LeafPosition returns the position of the leaf in the file, -1 for none.
func (s *Session) LeafPosition() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.leaf
}

// Children yields the entries whose parentId is *parent, in the order of the
// file; nil asks for those whose parentId is null. It goes by what is written
// (published getChildren): the parent need not exist, and may be several.
func (s *Session) Children(parent *entry.ID) iter.Seq2[entry.Entry, error] {
	return yields(s, func(b *book) (at []int) {
		list := b.log.List()
		for i := range list.Len() {
			id, named := list.ParentID(i)
			if named == (parent != nil) && (parent == nil || id == *parent) {
				at = append(at, i)
			}
		}
		return at
	})
}

// Label returns the label of an entry, and false when it has none.
func (s *Session) Label(id entry.ID) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.tree.Label(id)
}

// Branch yields the path from the root to the entry *from, both included; nil
// means the leaf. Links are taken strictly, as published: an entry whose parent
// is nowhere is a root. An id that no entry has gives an empty path.
func (s *Session) Branch(from *entry.ID) iter.Seq2[entry.Entry, error] {
	return yields(s, func(b *book) []int {
		at := b.leaf
		if from != nil {
			at = b.log.List().Find(*from)
		}
		if at < 0 {
			return nil
		}
		return b.path(at, strict)
	})
}

// yields yields the entries that are chosen when the sequence begins, as they are then. The
// first whose line cannot be read ends it with its error.
func yields(s *Session, chosen func(*book) []int) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		all, err := entriesAt(s, chosen)
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(entry.Entry{}, err)
		}
	}
}

func entriesAt(s *Session, chosen func(*book) []int) ([]entry.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, list := chosen(s.cur), s.cur.log.List()
	all := make([]entry.Entry, 0, len(at))
	for _, i := range at {
		e, err := list.Entry(i)
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

// MoveLeaf makes an entry the leaf (published branch). Nothing is written: the
// move does not outlive the session.
func (s *Session) MoveLeaf(id entry.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	i, err := s.cur.find(id)
	if err == nil {
		s.cur.point(i)
	}
	return err
}

// SaveLeaf is MoveLeaf that outlives the session: it appends an entry that says so, and
// returns the id of that, which is the leaf then.
func (s *Session) SaveLeaf(ctx context.Context, id entry.ID) (entry.ID, error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	to, err := s.cur.find(id)
	if err != nil {
		return "", err
	}
	var from *entry.ID
	was, wasID := s.cur.leaf, s.cur.leafID
	if was >= 0 {
		from = &wasID
	}
	s.cur.point(to)
	moved, err := s.append(ctx, spelling.LeafBody(from))
	if moved == "" {
		s.cur.point(was)
	}
	return moved, err
}

// ResetLeaf makes the next entry a root. Nothing is written.
func (s *Session) ResetLeaf() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cur.point(-1)
}

// A BranchSummary tells what was left behind when the leaf moved.
type BranchSummary struct {
	// Target is the new leaf; nil means none: the summary becomes a root.
	Target *entry.ID
	// Summary is its text.
	Summary string
	// Details is free data; nil for none.
	Details entry.JSON
	// FromExtension says whether an extension made it; nil where that is not
	// recorded. pi writes it as fromHook.
	FromExtension *bool
	// Usage is what the summary cost; nil where that is not recorded. pi.
	Usage entry.JSON
}

// BranchWithSummary moves the leaf to the target and appends a branch_summary
// there, which makes the move durable. It returns the summary's id. What it
// says it came from is the dialect's way: the leaf that was left for pi, the
// target for the others, "root" for none.
func (s *Session) BranchWithSummary(ctx context.Context, b BranchSummary) (entry.ID, error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	target := -1
	if b.Target != nil {
		var err error
		if target, err = s.cur.find(*b.Target); err != nil {
			return "", err
		}
	}
	from := target
	if s.cur.rules.FromLeaf {
		from = s.cur.leaf
	}
	body := &entry.BranchSummaryBody{FromID: "root", Summary: b.Summary, Details: b.Details}
	if from >= 0 {
		body.FromID, _ = s.cur.log.List().ID(from)
	}
	if s.cur.rules.FromHook {
		body.FromHook, body.Usage = b.FromExtension, b.Usage
	} else {
		body.FromExtension = b.FromExtension
	}
	was := s.cur.leaf
	s.cur.point(target)
	id, err := s.append(ctx, body)
	if id == "" {
		s.cur.point(was)
	}
	return id, err
}
