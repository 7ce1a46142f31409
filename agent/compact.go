package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// A CompactReason says why a session is compacted.
type CompactReason string

// The reasons.
const (
	// Manual is that the user wants it; "" is the same. What runs is stopped.
	Manual CompactReason = "manual"
	// Threshold is that [Agent.Due] said so, between two turns. Results of tools
	// are pruned first (see Settings.NoPrune), and where that is enough nothing is
	// summed up.
	Threshold CompactReason = "threshold"
	// Overflow is that the model refused the conversation as too long; see
	// [Agent.Recover].
	Overflow CompactReason = "overflow"
)

// CompactOptions say how to compact. The zero value is the user's wish.
type CompactOptions struct {
	Reason CompactReason
	// Instructions are what the summary is to look after above all.
	Instructions string
	// Summary is the summary, by the user; no model is asked. "" asks it.
	Summary string
}

// A Compacted says what became of a compaction.
type Compacted struct {
	// Cancelled says that a hook did not want it.
	Cancelled bool
	// Entry is the id of the compaction, "" where there is none.
	Entry entry.ID
	// Summary is what it says.
	Summary string
	// TokensBefore and TokensAfter are how many tokens the context took and
	// takes, about.
	TokensBefore, TokensAfter int
	// FromExtension says that a hook brought it.
	FromExtension bool
	// Pruned are the results of tools that were cut to a notice instead.
	Pruned []entry.ID
	// Usage is what the summary cost, nil where that is not known.
	Usage entry.JSON
}

// Compact sums up what is old of the conversation and gives the driver what is
// left, in the published order: session_before_compact, whose reply may cancel or
// bring the compaction; session.compacting; the model, in as many portions as its
// window asks for; the entry; the messages; session_compact. What is kept and
// summed up is decided by the rules of the session's dialect; a
// compaction in effect is continued from what it kept, its summary brought up to
// date.
//
// For Manual, what runs is stopped first. For the other reasons the driver calls
// it itself, between two turns: it is not stopped and nobody is disconnected. Who
// wants to go to another session or entry, or to close the agent, does not wait:
// the compaction ends as with a ctx that ended.
//
// All or nothing: on an error, that of a model, of a ctx that ended or of the disk,
// the session has its leaf and the driver its messages of before. An entry that was
// written when the driver failed stays as a branch. compact.ErrNothing and
// compact.ErrCompacted say that there was nothing to do. Without a model, a
// summary and a hook that brings one it is refused with the published text.
func (a *Agent) Compact(ctx context.Context, o CompactOptions) (Compacted, error) {
	ctx, at, done, err := a.compacting(ctx)
	if err != nil {
		return Compacted{}, err
	}
	defer done()
	return a.compact(ctx, at, o)
}

func (a *Agent) compact(ctx context.Context, at place, o CompactOptions) (c Compacted, err error) {
	if at.s.ReadOnly() {
		return c, fmt.Errorf("compact session %q: %s: %w", at.s.Path(), at.s.ReadOnlyReason(), session.ErrReadOnly)
	}
	t := &target{s: at.s, quiet: o.Reason != Manual && o.Reason != ""}
	back := a.orBack(ctx, at, t, &err)
	defer func() {
		if back(); err != nil {
			c = Compacted{}
		}
	}()
	if err := a.leave(ctx, at, t); err != nil {
		return c, err
	}
	if o.Reason == Threshold && !a.opt.Settings.NoPrune {
		enough, err := a.pruneIfEnough(ctx, t, &c)
		if enough || err != nil {
			return c, err
		}
	}
	if o.Reason == Overflow {
		if err := leaveBroken(at.s); err != nil {
			return c, err
		}
	}
	body, err := a.prepareCompaction(ctx, at.s, o, &c)
	if err != nil {
		return c, err
	}
	if c.Cancelled {
		return c, a.stay(ctx, t)
	}
	if err := keepsOnBranch(at.s, body); err != nil {
		return c, err
	}
	if c.Entry, err = at.s.Append(ctx, body); err != nil {
		return c, err
	}
	c.Summary = body.Summary
	if err := a.refill(ctx, t, false); err != nil {
		return c, err
	}
	a.opt.Hooks.Emit(ctx, SessionCompact{CompactionEntry: c.Entry, FromExtension: c.FromExtension})
	return c, nil
}

// stay goes on where the agent was, when a hook wants that.
func (a *Agent) stay(ctx context.Context, t *target) error {
	if err := t.s.Restore(ctx, *t.was); err != nil {
		return err
	}
	if !t.quiet {
		a.connect()
	}
	return nil
}

// prepareCompaction asks hooks and the model, and returns what is to be appended.
// It notes in c what comes of it.
func (a *Agent) prepareCompaction(ctx context.Context, s *session.Session, o CompactOptions, c *Compacted) (*entry.CompactionBody, error) {
	d := spelling.For(s.Dialect())
	list, path := s.Snapshot()
	p, err := compaction.RulesOf(d.Name).Prepare(list, path, a.opt.Settings.Compaction)
	if err != nil {
		return nil, err
	}
	c.TokensBefore = p.TokensBefore
	ask := SessionBeforeCompact{Preparation: p, CustomInstructions: o.Instructions}
	if a.opt.Hooks.hears(ask) {
		if ask.BranchEntries, err = entriesAt(list, path); err != nil {
			return nil, err
		}
	}
	r := a.opt.Hooks.Emit(ctx, ask)
	if r.Cancel {
		c.Cancelled = true
		return nil, nil
	}
	body := a.brought(p, r, d.FromHook)
	if c.FromExtension = body != nil; body == nil {
		result, err := a.result(ctx, s, p, o)
		if err != nil {
			return nil, err
		}
		c.Usage = result.Usage
		body = p.Body(result)
	}
	c.TokensAfter = p.TokensAfter(body.Summary)
	return body, ctx.Err()
}

// result makes the summary: the user's, else the model's.
func (a *Agent) result(ctx context.Context, s *session.Session, p *compaction.Preparation, o CompactOptions) (compact.Result, error) {
	if o.Summary == "" && a.opt.Compactor == nil {
		return compact.Result{}, errNoModel
	}
	ask := SessionCompacting{SessionID: s.ID()}
	for _, m := range slices.Concat(p.Summarize, p.Prefix) {
		ask.Messages = append(ask.Messages, m.JSON)
	}
	r := a.opt.Hooks.Emit(ctx, ask)
	result := compact.Result{Summary: p.Join(o.Summary, "")}
	if o.Summary == "" {
		q := asking{model: a.opt.Compactor}
		ro := q.options(o.Instructions)
		ro.Context, ro.Instructions = r.Context, r.Prompt
		var err error
		if result, err = q.summarize(ctx, p, ro, !spelling.For(s.Dialect()).FromHook); err != nil {
			return result, err
		}
	}
	result.PreserveData = r.PreserveData
	result.Time = a.clock().UnixMilli()
	return result, nil
}

// brought returns the compaction that a hook brings, nil for none. hook is how the
// dialect marks it.
func (a *Agent) brought(p *compaction.Preparation, r Reply, hook bool) *entry.CompactionBody {
	yes := true
	if r.Compaction == nil && r.Summary == nil {
		return nil
	}
	if r.Compaction == nil {
		result := *r.Summary
		result.FromExtension = &yes
		if result.Time == 0 {
			result.Time = a.clock().UnixMilli()
		}
		return p.Body(result)
	}
	b := *r.Compaction
	if b.Summary == "" && r.Summary != nil {
		b.Summary = r.Summary.Summary
	}
	if b.TokensBefore == 0 {
		b.TokensBefore = int64(p.TokensBefore)
	}
	if hook {
		b.FromHook, b.FromExtension = &yes, nil
	} else {
		b.FromHook, b.FromExtension = nil, &yes
	}
	return &b
}

// keepsOnBranch refuses a compaction that says nothing, or that would keep from an
// entry that is not on the branch: a hook's, or one whose branch was left while
// the model wrote.
func keepsOnBranch(s *session.Session, b *entry.CompactionBody) error {
	if b.Summary == "" {
		return errors.New("compact session: there is no summary")
	}
	if b.FirstKeptEntryID == "" {
		return nil // keeps nothing
	}
	list, path := s.Snapshot()
	for _, i := range path {
		if id, ok := list.ID(i); ok && id == b.FirstKeptEntryID {
			return nil
		}
	}
	return fmt.Errorf("compact session: %q, from which to keep, is not on the branch", b.FirstKeptEntryID)
}

// entriesAt returns the entries of a path.
func entriesAt(list *entry.List, path []int) ([]entry.Entry, error) {
	all := make([]entry.Entry, 0, len(path))
	for _, i := range path {
		e, err := list.Entry(i)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// clock returns the time of the session's clock.
func (a *Agent) clock() time.Time {
	if a.opt.Session.Now != nil {
		return a.opt.Session.Now()
	}
	return time.Now()
}
