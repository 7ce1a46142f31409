package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// ErrOverflow: the model does not take the conversation, and compacting it does
// not help, or did not. Choose a model with a larger window, take back what was
// said last, or begin a new session.
var ErrOverflow = errors.New("the conversation does not fit the model even after it was compacted; " +
	"choose a model with a larger window, go back to an earlier entry, or begin a new session")

// Due returns how full the model's window is, and whether the session is to be
// compacted ([Agent.Compact] with Threshold) before the next turn: by
// Settings.Compaction and the window of the model in use. It is never due where
// the window is not known (see [Windows]), or the session cannot be written.
func (a *Agent) Due(ctx context.Context) (fill compact.Fill, due bool, err error) {
	s := a.Session()
	if s == nil {
		return fill, false, ErrNoSession
	}
	if err := ctx.Err(); err != nil {
		return fill, false, err
	}
	rules := compaction.RulesOf(s.Dialect())
	list, path := s.Snapshot()
	if fill, err = rules.Used(list, path); err != nil {
		return fill, false, fmt.Errorf("measure context: %w", err)
	}
	return fill, !s.ReadOnly() && rules.Due(fill.Tokens, a.window(), a.opt.Settings.Compaction), nil
}

// Recover is for a model that refused the conversation as too long. It compacts
// the session, for Overflow, and returns what became of it; where that has an
// Entry, the driver is to send the conversation again. An answer that ended in an
// error is left behind, so that the conversation ends with what was asked. There
// is no Entry when a hook cancelled it.
//
// A second overflow, before the model has answered, is [ErrOverflow], and so is a
// conversation of which nothing can be summed up. On an error all is as it was.
func (a *Agent) Recover(ctx context.Context) (Compacted, error) {
	ctx, at, done, err := a.compacting(ctx)
	if err != nil {
		return Compacted{}, err
	}
	defer done()
	again, err := a.overflowedAgain(at.s)
	if err != nil {
		return Compacted{}, err
	}
	if again {
		return Compacted{}, ErrOverflow
	}
	c, err := a.compact(ctx, at, CompactOptions{Reason: Overflow})
	switch {
	case errors.Is(err, compact.ErrNothing), errors.Is(err, compact.ErrCompacted):
		return Compacted{}, fmt.Errorf("%w (%w)", ErrOverflow, err)
	case err != nil:
		return Compacted{}, fmt.Errorf("make the conversation fit the model: %w", err)
	case c.Cancelled:
		return c, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recovered = c.Entry
	return c, nil
}

// overflowedAgain reports whether the branch was compacted by Recover and the
// model has not answered since.
func (a *Agent) overflowedAgain(s *session.Session) (bool, error) {
	a.mu.Lock()
	last := a.recovered
	a.mu.Unlock()
	if last == "" {
		return false, nil
	}
	list, path := s.Snapshot()
	for _, i := range slices.Backward(path) {
		if list.Kind(i) == entry.Compaction {
			id, _ := list.ID(i)
			return id == last, nil
		}
		if list.Kind(i) != entry.Message || list.Role(i) != entry.RoleAssistant {
			continue
		}
		switch reason, err := stopReason(list, i); {
		case err != nil:
			return false, err
		case reason != "error" && reason != "aborted":
			return false, nil
		}
	}
	return false, nil
}

// stopReason says how an answer ended.
func stopReason(list *entry.List, i int) (string, error) {
	line, err := list.Load(i)
	if err != nil {
		return "", err
	}
	body, _ := jsonedit.Get(line, "message")
	reason, _ := jsonedit.Text(body, "stopReason")
	return reason, nil
}

// leaveBroken moves the leaf before an answer that ended in an error, which stays
// as a branch.
func leaveBroken(s *session.Session) error {
	list, path := s.Snapshot()
	if len(path) < 2 {
		return nil
	}
	leaf := path[len(path)-1]
	if list.Kind(leaf) != entry.Message || list.Role(leaf) != entry.RoleAssistant {
		return nil
	}
	reason, err := stopReason(list, leaf)
	if err != nil || reason != "error" {
		return err
	}
	parent := tree.Of(s.Tree()).Parent(leaf, tree.Healed)
	if id, ok := list.ID(parent); ok {
		return s.MoveLeaf(id)
	}
	return nil
}

// Prune cuts old results of tools to a notice, as far as the dialect's rules want
// it, and gives the driver what is left. Nothing that is written is changed: each
// cut is an appended entry, a context_edit for pi, a custom entry elsewhere. It
// returns the results that were cut, oldest first, and about how many tokens that
// saves: none where too few would be saved. The driver calls it between two turns,
// or anybody when nothing runs. On an error all is as it was; what was written
// stays as a branch.
func (a *Agent) Prune(ctx context.Context) (pruned []entry.ID, saved int, err error) {
	ctx, at, done, err := a.attached(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	if at.s.ReadOnly() {
		return nil, 0, fmt.Errorf("prune session %q: %s: %w", at.s.Path(), at.s.ReadOnlyReason(), session.ErrReadOnly)
	}
	t := &target{s: at.s, quiet: true}
	back := a.orBack(ctx, at, t, &err)
	defer func() {
		if back(); err != nil {
			pruned, saved = nil, 0
		}
	}()
	if err := a.leave(ctx, at, t); err != nil {
		return nil, 0, err
	}
	list, path := at.s.Snapshot()
	p, err := compaction.RulesOf(at.s.Dialect()).Prune(list, path, compaction.PruneOptions{Now: a.clock().UnixMilli()})
	if err != nil || len(p.Edits) == 0 {
		return nil, 0, err
	}
	pruned, err = a.prune(ctx, t, p)
	return pruned, p.Saved, err
}

// prune appends the edits of a pruning.
func (a *Agent) prune(ctx context.Context, t *target, p compaction.Pruning) ([]entry.ID, error) {
	var pruned []entry.ID
	for _, e := range slices.Backward(p.Edits) {
		if _, err := t.s.Append(ctx, e.Body(t.s.Dialect())); err != nil {
			return nil, fmt.Errorf("prune entry %q: %w", e.ID, err)
		}
		pruned = append(pruned, e.ID)
	}
	return pruned, a.refill(ctx, t, false)
}

// pruneIfEnough prunes where the window is full no longer after that.
func (a *Agent) pruneIfEnough(ctx context.Context, t *target, c *Compacted) (enough bool, err error) {
	window, settings := a.window(), a.opt.Settings.Compaction
	if window <= 0 {
		return false, nil
	}
	rules := compaction.RulesOf(t.s.Dialect())
	list, path := t.s.Snapshot()
	p, err := rules.Prune(list, path, compaction.PruneOptions{Now: a.clock().UnixMilli()})
	if err != nil || len(p.Edits) == 0 {
		return false, err
	}
	fill, err := rules.Used(list, path)
	if err != nil || fill.Tokens-p.Saved > rules.Threshold(window, settings) {
		return false, err
	}
	c.TokensBefore, c.TokensAfter = fill.Tokens, fill.Tokens-p.Saved
	c.Pruned, err = a.prune(ctx, t, p)
	return err == nil, err
}
