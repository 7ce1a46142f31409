package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/tree"
)

// SaveBranch writes the branch that ends at an entry as a session of its own
// and returns its path, "" in memory (published createBranchedSession). This
// Session becomes the new one, with its last entry as the leaf; the old one is
// left as it is.
//
// Labels of entries on the branch are given anew at its end; what followed a
// label on the branch follows the entry before it; a compaction that keeps what
// follows from a label on keeps it from the entry after that. All other bytes
// are those of the old session.
func (s *Session) SaveBranch(ctx context.Context, leaf entry.ID) (path string, err error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	if _, err := s.cur.find(leaf); err != nil {
		return "", err
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	plan, err := s.cur.branched(leaf, s.mint)
	if err != nil {
		return "", err
	}
	h, err := s.derivedHeader(s.cur.rules.BranchHeader)
	if err != nil {
		return "", err
	}
	b, err := s.derive(ctx, h, s.planned(plan), s.branchWaits(plan))
	if err != nil {
		return "", fmt.Errorf("save branch: %w", err)
	}
	if !b.rules.NameByEntry {
		b.title = s.cur.title // kept in memory where the header does not keep it
	}
	if err := s.become(ctx, b); err != nil {
		return "", errors.Join(err, s.scrap(ctx, b))
	}
	return b.log.Name(), nil
}

// branched plans the branch that ends at an entry.
func (b *book) branched(leaf entry.ID, mint *ident.Mint) (tree.Branched, error) {
	at, err := b.find(leaf)
	if err != nil {
		return tree.Branched{}, err
	}
	return b.branchedAt(at, leaf, mint)
}

// branchedAt plans the branch that ends at the entry of an id.
func (b *book) branchedAt(at int, leaf entry.ID, mint *ident.Mint) (tree.Branched, error) {
	plan, err := b.tree.Branched(at, healed)
	if err == nil && len(plan.Kept) == 0 {
		err = noEntry(leaf)
	}
	if err != nil {
		return plan, err
	}
	return plan, plan.Name(b.log.List(), mint.Entry)
}

// branchWaits reports whether the new session is not to be written yet: pi
// waits for an answer.
func (s *Session) branchWaits(plan tree.Branched) bool {
	if !s.cur.rules.BranchWaits || s.opt.FirstWrite == Immediately {
		return false
	}
	for _, k := range plan.Kept {
		if s.asks(s.cur.log.List().Role(k.Entry)) {
			return false
		}
	}
	return true
}

// planned yields the lines of a branch that is saved.
func (s *Session) planned(plan tree.Branched) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var last *string
		for _, k := range plan.Kept {
			line, err := s.copied(k.Entry)
			if err != nil {
				yield(nil, err)
				return
			}
			if id, ok := s.cur.log.List().ID(k.Entry); ok {
				last = &id
			} else if k.ID != "" {
				last = &k.ID
			}
			if !yield(k.Line(line), nil) {
				return
			}
		}
		used := map[string]bool{}
		for _, l := range plan.Labels {
			id, err := s.mint.Entry(func(id string) bool { return used[id] || s.cur.taken(id) })
			if err != nil {
				yield(nil, err)
				return
			}
			used[id] = true
			at := s.opt.Now().UnixMilli()
			if s.cur.rules.LabelTimes && l.Time != entry.NoTime {
				at = l.Time
			}
			line, err := entry.Encode(nil, entry.Stamp{ID: id, Parent: last, Time: at},
				&entry.LabelBody{TargetID: l.TargetID, Label: l.Label})
			if !yield(line, err) || err != nil {
				return
			}
			last = &id
		}
	}
}
