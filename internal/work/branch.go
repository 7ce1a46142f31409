package work

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// BranchOptions say where a session goes on.
type BranchOptions struct {
	// Entry names the entry.
	Entry string
	// Summary is what happened on the branch that is left; nil for none.
	Summary *string
	// Apart makes the way to the entry a session of its own.
	Apart bool
}

// A Branched is where a session goes on now.
type Branched struct {
	Whereabouts
	// ID is the entry that was appended to say so, "" for a branch that is a session of
	// its own. Leaf is the leaf.
	ID, Leaf entry.ID
}

// Branch makes an entry the place where the session that arg names goes on.
func (l *Library) Branch(ctx context.Context, arg string, o BranchOptions) (b Branched, err error) {
	_, err = l.change(ctx, arg, func(s *session.Session) error {
		at, err := EntryID(s, o.Entry)
		switch {
		case err != nil:
			return err
		case o.Apart:
			_, err = s.SaveBranch(ctx, at)
		case o.Summary != nil:
			b.ID, err = s.BranchWithSummary(ctx, session.BranchSummary{Target: &at, Summary: *o.Summary})
		default:
			b.ID, err = s.SaveLeaf(ctx, at)
		}
		b.Whereabouts = whereabouts(s)
		b.Leaf, _ = s.Leaf()
		return err
	})
	return b, err
}
