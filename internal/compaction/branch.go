package compaction

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// An Abandoned branch is what is left when the leaf moves, prepared to be summed
// up. It is not safe for concurrent use.
type Abandoned struct {
	// Entries are the positions of what is left, oldest first: from the leaf back
	// to the last entry that the target's path shares, that one excluded.
	Entries []int
	// Ancestor is the position of that entry, or -1.
	Ancestor int
	// Messages are those to sum up, oldest first: the newest that fit.
	Messages []replay.Message
	// Tokens is how many they take, about.
	Tokens int
	// Files are those read and changed in the messages, and those that summaries
	// on the branch know of.
	Files Files

	rules Rules
}

// BranchBudget returns how many tokens of a branch a model with that window can
// be given; without a known window 128,000 are taken for one (pi 0.87.1,
// omp 18.2.3).
func BranchBudget(s compact.Settings, window int) int {
	if window <= 0 {
		window = 128_000
	}
	return max(window-reserveTokens(s), 1)
}

// Abandon prepares to sum up what is left when the leaf moves to target; either
// may be -1 for none. budget is the most tokens to take, 0 for any number. The
// walk goes from the newest entry back and ends at the first that does not fit,
// but takes a summary into the last tenth of the budget even if it is too long.
// Compactions on the way count as their summaries. Messages is empty when nothing
// was said. The error is that of an entry that cannot be loaded.
func (r Rules) Abandon(t *tree.Tree, l *entry.List, m Move, budget int) (*Abandoned, error) {
	b := &Abandoned{Ancestor: tree.None, rules: r}
	if m.From < 0 {
		return b, nil
	}
	path := t.Path(m.From, m.Links)
	if m.To >= 0 {
		b.Ancestor = t.CommonAncestor(m.From, m.To, m.Links)
	}
	b.Entries = path[slices.Index(path, b.Ancestor)+1:]
	c, err := replay.Build(l, path, r.replay)
	if err != nil {
		return nil, err
	}
	files := collector{rules: r.files}
	for _, i := range b.Entries {
		if l.Kind(i) != entry.BranchSummary {
			continue
		}
		line, err := l.Load(i)
		if err != nil {
			return nil, err
		}
		files.details(line)
	}
	if err := b.take(c, l, &files, budget); err != nil {
		return nil, err
	}
	b.Files = files.done()
	return b, nil
}

// A Move is a move of the leaf.
type Move struct {
	// From is the leaf that is left, To the entry that is gone to; -1 for none.
	From, To int
	// Links says how parents are read.
	Links tree.Links
}

// take collects the newest messages that fit.
func (b *Abandoned) take(c *replay.Context, l *entry.List, files *collector, budget int) error {
	for _, i := range slices.Backward(b.Entries) {
		m, ok, err := c.Alone(i)
		if err != nil {
			return err
		}
		if !ok || m.Role == entry.RoleToolResult && (!b.rules.branchResults || isUseless(m.JSON)) {
			continue
		}
		files.calls(m.JSON)
		tokens := b.rules.Count.Estimate(m.JSON)
		if m.Role == entry.RoleToolResult {
			tokens = b.rules.Count.Estimate(shortened(m.JSON))
		}
		if budget > 0 && b.Tokens+tokens > budget {
			kind := l.Kind(i)
			summary := kind == entry.Compaction || kind == entry.BranchSummary
			if summary && float64(b.Tokens) < float64(budget)*0.9 {
				b.Messages, b.Tokens = append(b.Messages, m), b.Tokens+tokens
			}
			break
		}
		b.Messages, b.Tokens = append(b.Messages, m), b.Tokens+tokens
	}
	slices.Reverse(b.Messages)
	return nil
}

// shortened returns a tool's result as far as a summary is made from it.
func shortened(msg entry.JSON) entry.JSON {
	m, err := message.Decode(msg)
	result, ok := m.(*message.ToolResult)
	if err != nil || !ok {
		return msg
	}
	text := result.Content.Text
	for _, b := range result.Content.Blocks {
		if block, ok := b.(*message.TextBlock); ok {
			text += block.Text
		}
	}
	return jsonedit.Set(msg, "content", jsonedit.Quoted(shorten(text)))
}

// Conversation returns the messages as text.
func (b *Abandoned) Conversation() string { return b.rules.Text(b.Messages) }

// Request returns the request for the summary of the branch.
func (b *Abandoned) Request(o RequestOptions) compact.Request {
	const tokens = 4096
	q := question{prompt: branchPrompt}
	q.record = fit(b.rules.texts(b.Messages), q.room(o, tokens))
	return q.request(o, tokens)
}

// Join returns the summary as it is to be stored, from the answer to Request: with
// the files at its end.
func (b *Abandoned) Join(summary string) string {
	return b.Files.Append(strings.TrimSpace(summary))
}

// Body returns the entry that tells of the branch, in the dialect's spelling; it
// becomes a child of the entry that is gone to. from is the leaf that was left for
// pi, for the others that entry, and nil for none (see [spelling.Dialect]'s
// FromLeaf). Of r, Summary, Details, FromExtension and Usage count.
func (b *Abandoned) Body(from *entry.ID, r compact.Result) *entry.BranchSummaryBody {
	body := &entry.BranchSummaryBody{FromID: "root", Summary: r.Summary, Details: r.Details}
	if from != nil {
		body.FromID = *from
	}
	if body.Details == nil {
		body.Details = b.Files.Details()
	}
	if b.rules.fromHook {
		body.FromHook = r.FromExtension
	} else {
		body.FromExtension = r.FromExtension
	}
	if b.rules.usage {
		body.Usage = r.Usage
	}
	return body
}
