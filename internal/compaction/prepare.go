package compaction

import (
	"slices"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// A Preparation is what a compaction will do. It is a value that hooks may look
// at; nothing is written before its Body is appended. It is not safe for
// concurrent use.
type Preparation struct {
	// FirstKept is the position of the first entry to keep, FirstKeptEntryID
	// its id.
	FirstKept        int
	FirstKeptEntryID entry.ID
	// Summarize are the messages to sum up, in order; of a split turn those
	// before it, and Prefix those of the turn that are not kept.
	Summarize, Prefix []replay.Message
	// Kept are the messages that stay as they are.
	Kept []replay.Message
	// Split reports that the cut splits a turn.
	Split bool
	// TokensBefore is how many tokens the context takes now.
	TokensBefore int
	// PreviousSummary is the summary of the compaction in effect, which the new
	// one is to continue, and Previous its position; "" and -1 for none.
	PreviousSummary string
	Previous        int
	// Files are those that the summed up part read and changed, and those that
	// the previous summary knew of.
	Files Files
	// Settings are those it was made with.
	Settings compact.Settings

	rules  Rules
	system system
}

// Prepare decides what of the branch is summed up and what is kept. What the
// compaction in effect has kept counts as conversation again, its summary is to
// be continued. The error is ErrCompacted or ErrNothing, or that of an entry that
// cannot be loaded. The preparation holds the loaded lines of all its messages.
func (r Rules) Prepare(l *entry.List, path []int, s compact.Settings) (*Preparation, error) {
	done, err := r.justCompacted(l, path)
	if err != nil {
		return nil, err
	}
	if done {
		return nil, compact.ErrCompacted
	}
	v, err := r.look(l, path)
	if err != nil {
		return nil, err
	}
	if len(v.items) == 0 {
		return nil, compact.ErrNothing
	}
	keep, err := v.keep(s)
	if err != nil {
		return nil, err
	}
	c := v.cut(keep)
	if r.cutting.atPoint {
		c.first = c.point
	}
	return v.prepare(c, s)
}

func (v *view) prepare(c cut, s compact.Settings) (*Preparation, error) {
	if !v.items[c.first].named {
		return nil, compact.ErrNothing
	}
	p := &Preparation{FirstKept: v.items[c.first].entry, Settings: s, rules: v.rules}
	p.FirstKeptEntryID, _ = v.list.ID(p.FirstKept)
	history := c.first
	if c.turn >= 0 {
		history = c.turn
		p.Prefix = v.spoken(v.items[c.turn:c.first])
		p.Split = len(p.Prefix) > 0
	}
	p.Summarize = v.spoken(v.items[:history])
	p.Kept = v.spoken(v.items[c.first:])
	if len(p.Summarize) == 0 && len(p.Prefix) == 0 {
		return nil, compact.ErrNothing
	}
	if err := p.carry(v); err != nil {
		return nil, err
	}
	return p, nil
}

// carry takes over what holds beyond the messages: the previous summary, files,
// the system message, the tokens.
func (p *Preparation) carry(v *view) error {
	text, line, at, err := v.previous()
	if err != nil {
		return err
	}
	p.PreviousSummary, p.Previous = text, at
	if i := v.ctx.Request(); i >= 0 {
		// It belongs to the summary, which goes, and would go with it.
		m, ok, err := v.ctx.Alone(i)
		if err != nil {
			return err
		}
		if ok {
			p.Summarize = slices.Insert(p.Summarize, 0, m)
		}
	}
	files := collector{rules: v.rules.files}
	if at >= 0 {
		files.details(line)
	}
	for _, msgs := range [][]replay.Message{p.Summarize, p.Prefix} {
		for _, m := range msgs {
			files.calls(m.JSON)
		}
	}
	p.Files = files.done()
	if v.rules.System {
		if _, system := v.ctx.Summary(); system != nil {
			p.system.add(system)
		}
		for k := range v.items {
			if v.items[k].gives && v.items[k].role == entry.RoleSystem {
				p.system.add(v.items[k].msg.JSON)
			}
		}
	}
	fill, err := v.rules.used(v.ctx, v.list, v.path)
	p.TokensBefore = fill.Tokens
	return err
}

// justCompacted reports whether the branch ends with a compaction. One whose
// provider had not seen all that came before it leaves something to do
// (omp 18.2.3).
func (r Rules) justCompacted(l *entry.List, path []int) (bool, error) {
	if len(path) == 0 {
		return false, nil
	}
	last := path[len(path)-1]
	if l.Kind(last) != entry.Compaction || !r.replay.Acts.Has(entry.Compaction) {
		return false, nil
	}
	if !r.replay.Compaction.RemoteObjects {
		return true, nil
	}
	line, err := l.Load(last)
	through, _ := jsonedit.Text(line, "providerReplayThroughEntryId")
	return through == "", err
}

// TokensAfter estimates how many tokens the context takes with that summary.
func (p *Preparation) TokensAfter(summary string) int {
	var o jsonedit.Object
	o.String("role", entry.RoleCompactionSummary.String()).String("summary", summary)
	n := p.rules.Count.Estimate(o.Value()) + p.rules.Count.Estimate(p.system.message(0))
	for _, m := range p.Kept {
		n += p.rules.Count.Estimate(m.JSON)
	}
	return n
}
