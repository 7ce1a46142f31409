package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// A Summarizer sums up what is left behind, with a model as a rule. The text of
// the result is stored as it is (see compact.Abandoned.Join); an empty one means
// that there is nothing to say.
type Summarizer func(ctx context.Context, left compact.Abandoned, instructions string) (compact.Result, error)

// NavigateOptions say how the leaf moves.
type NavigateOptions struct {
	// Summarize leaves a summary of what is left behind where the leaf goes to.
	Summarize bool
	// Instructions are the user's, for the summary.
	Instructions string
	// Onto has the leaf go to the entry itself, whatever it is: nothing is to be
	// said in another way.
	Onto bool
	// Budget is the most tokens to sum up; 0 means what the Compactor's window
	// leaves beside the reserve, and any number where it has not been asked.
	Budget int
}

// A Navigation says what became of a move of the leaf.
type Navigation struct {
	// Cancelled says that a hook did not want it.
	Cancelled bool
	// Prefill is the text of the entry that was gone to, to be said in another
	// way: that of a message of the user or an extension, before which the leaf
	// is then. "" otherwise.
	Prefill string
	// Summary is the id of the branch_summary, "" for none.
	Summary entry.ID
}

// Navigate moves the leaf to an entry of the session's tree, in the published
// order: session_before_tree; the summary; the leaf; messages; session_tree. What
// runs is stopped first. Going to the leaf does nothing. Without a summary the
// move is not written.
//
// A summary that is wanted where Options.Summarize is nil is refused, and so is
// an entry that is not there, with the published texts. On an error the leaf is
// where it was; a summary that was written stays as a branch.
func (a *Agent) Navigate(ctx context.Context, id entry.ID, o NavigateOptions) (Navigation, error) {
	ctx, at, done, err := a.leaving(ctx)
	if err != nil {
		return Navigation{}, err
	}
	defer done()
	old, had := at.s.Leaf()
	if had && old == id {
		return Navigation{}, nil
	}
	if o.Summarize && a.opt.Summarize == nil {
		return Navigation{}, errNoModel
	}
	e, err := at.s.Entry(id)
	if err != nil {
		return Navigation{}, err
	}
	return a.navigate(ctx, at, e, o)
}

func (a *Agent) navigate(ctx context.Context, at place, e entry.Entry, o NavigateOptions) (n Navigation, err error) {
	t := &target{s: at.s}
	defer a.orBack(ctx, at, t, &err)()
	if err := a.leave(ctx, at, t); err != nil {
		return n, err
	}
	budget := o.Budget
	if budget == 0 && o.Summarize && a.opt.Compactor != nil {
		window, _ := a.opt.Compactor.Limits()
		budget = compaction.BranchBudget(a.opt.Settings.Compaction, window)
	}
	left, err := abandon(at.s, e.ID, budget)
	if err != nil {
		return n, err
	}
	ask, err := prepare(at.s, left, e.ID, o)
	if err != nil {
		return n, err
	}
	r := a.opt.Hooks.Emit(ctx, SessionBeforeTree{Preparation: ask})
	if r.Cancel {
		a.connect()
		return Navigation{Cancelled: true}, nil
	}
	sum, ours, err := a.summary(ctx, left, r, o)
	if err != nil {
		return n, fmt.Errorf("sum up branch: %w", err)
	}
	leaf, prefill := &e.ID, ""
	if !o.Onto {
		leaf, prefill = landing(at.s, e)
	}
	if n.Summary, err = moveLeaf(ctx, at.s, leaf, sum, ours); err != nil {
		return Navigation{}, err
	}
	if err := a.refill(ctx, t, false); err != nil {
		return Navigation{}, err
	}
	a.opt.Hooks.Emit(ctx, SessionTree{
		NewLeafID: leafOf(at.s), OldLeafID: ask.OldLeafID, SummaryEntry: n.Summary,
		FromExtension: n.Summary != "" && !ours,
	})
	n.Prefill = prefill
	return n, nil
}

// orBack remembers where the agent is, and returns what goes back there when the
// error is not nil by then.
func (a *Agent) orBack(ctx context.Context, from place, t *target, err *error) func() {
	back := a.remember(from, t)
	return func() {
		if *err != nil {
			*err = errors.Join(*err, back(context.WithoutCancel(ctx)))
		}
	}
}

// abandon finds what is left behind by going to an entry.
func abandon(s *session.Session, id entry.ID, budget int) (*compaction.Abandoned, error) {
	list := s.List()
	return compaction.RulesOf(s.Dialect()).Abandon(tree.Of(s.Tree()), list, compaction.Move{
		From: s.LeafPosition(), To: list.Find(id), Links: tree.Healed,
	}, budget)
}

// prepare tells hooks what is about to happen.
func prepare(s *session.Session, left *compaction.Abandoned, id entry.ID, o NavigateOptions) (TreePreparation, error) {
	p := TreePreparation{
		TargetID: id, OldLeafID: leafOf(s), UserWantsSummary: o.Summarize, CustomInstructions: o.Instructions,
	}
	list := s.List()
	if left.Ancestor >= 0 {
		shared, _ := list.ID(left.Ancestor)
		p.CommonAncestorID = &shared
	}
	var err error
	p.EntriesToSummarize, err = entriesAt(list, left.Entries)
	return p, err
}

func leafOf(s *session.Session) *entry.ID {
	if id, ok := s.Leaf(); ok {
		return &id
	}
	return nil
}

// summary returns what is said of what is left behind: by a hook, else by the
// summarizer; ours is true for the latter.
func (a *Agent) summary(ctx context.Context, left *compaction.Abandoned, r Reply, o NavigateOptions) (sum compact.Result, ours bool, err error) {
	switch {
	case !o.Summarize:
		return sum, true, nil
	case r.Summary != nil:
		return *r.Summary, false, nil
	case len(left.Messages) == 0:
		return sum, true, nil
	}
	sum, err = a.opt.Summarize(ctx, left, o.Instructions)
	if sum.Details == nil {
		sum.Details = left.Files.Details()
	}
	if err == nil {
		err = ctx.Err()
	}
	return sum, true, err
}

// landing returns where the leaf goes when an entry is chosen, nil for none: to
// the entry, or before it when its text is to be said in another way.
func landing(s *session.Session, e entry.Entry) (leaf *entry.ID, prefill string) {
	switch {
	case e.Kind == entry.Message && e.Role == entry.RoleUser:
		if m, err := message.Decode(e.Message()); err == nil {
			prefill = message.Text(m)
		}
	case e.Kind == entry.CustomMessage:
		content, _ := jsonedit.Get(e.Raw(), "content")
		asked := jsonedit.Set([]byte(`{"role":"user"}`), "content", content)
		if m, err := message.Decode(asked); err == nil {
			prefill = message.Text(m)
		}
	default:
		return &e.ID, ""
	}
	list := s.List()
	parent := tree.Of(s.Tree()).Parent(list.Find(e.ID), tree.Healed)
	if parent < 0 {
		return nil, prefill
	}
	id, _ := list.ID(parent)
	return &id, prefill
}

// moveLeaf moves the leaf, and leaves a summary if there is one.
func moveLeaf(ctx context.Context, s *session.Session, leaf *entry.ID, sum compact.Result, ours bool) (entry.ID, error) {
	switch {
	case sum.Summary != "":
		b := session.BranchSummary{Target: leaf, Summary: sum.Summary, Details: sum.Details, FromExtension: sum.FromExtension, Usage: sum.Usage}
		if !ours {
			yes := true
			b.FromExtension = &yes
		}
		return s.BranchWithSummary(ctx, b)
	case leaf == nil:
		s.ResetLeaf()
		return "", nil
	}
	return "", s.MoveLeaf(*leaf)
}
