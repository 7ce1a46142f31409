package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Compactor is a model that writes summaries. The package has none of its own.
type Compactor interface {
	// Limits returns how many tokens the model takes in all and how many it can
	// answer; 0 for what is not known.
	Limits() (window, answer int)
	// Complete asks once and returns the whole answer. An answer that broke off
	// is an error. It returns soon after ctx has ended.
	Complete(ctx context.Context, r compact.Request) (Completion, error)
}

// A Completion is the answer of a [Compactor].
type Completion struct {
	Text string
	// Usage is what it used, as an answer in a session has it (published P5);
	// nil where that is not known.
	Usage entry.JSON
}

// errNoModel is the published refusal.
var errNoModel = errors.New("No model available for summarization")

// asking asks a compactor one request after the other.
type asking struct {
	model Compactor
	usage entry.JSON // of all requests, nil for not known

	asked, parts int // how many requests there were, and will be
}

func (q *asking) ask(ctx context.Context, r compact.Request) (string, error) {
	q.asked++
	if q.parts > 0 {
		r.Part, r.Parts = q.asked, max(q.parts, q.asked)
	}
	c, err := q.model.Complete(ctx, r)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("ask model: %w", err)
	}
	if strings.TrimSpace(c.Text) == "" {
		return "", errors.New("ask model: its answer is empty")
	}
	q.usage = addUsage(q.usage, c.Usage)
	return c.Text, nil
}

// addUsage returns two usages as one; nil is none.
func addUsage(a, b entry.JSON) entry.JSON {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	costs := [2]entry.JSON{}
	costs[0], _ = jsonedit.Get(a, "cost")
	costs[1], _ = jsonedit.Get(b, "cost")
	sum := added(a, a, b, "input", "output", "cacheRead", "cacheWrite", "totalTokens")
	if jsonedit.Kind(costs[0]) != '{' {
		costs[0] = entry.JSON("{}")
	}
	return jsonedit.Set(sum, "cost", added(costs[0], costs[0], costs[1], "input", "output", "cacheRead", "cacheWrite", "total"))
}

// added returns obj with the sums of the members keys of a and b.
func added(obj, a, b entry.JSON, keys ...string) entry.JSON {
	for _, key := range keys {
		x, _ := jsonedit.Get(a, key)
		y, _ := jsonedit.Get(b, key)
		m, _ := jsonedit.Number(x)
		n, _ := jsonedit.Number(y)
		obj = jsonedit.Set(obj, key, entry.JSON(jsonedit.JSNumber(m+n)))
	}
	return obj
}

// options returns what goes with every request.
func (q *asking) options(instructions string) compaction.RequestOptions {
	window, answer := q.model.Limits()
	return compaction.RequestOptions{Focus: instructions, Window: window, MaxTokens: answer}
}

// abandoned is the [Summarizer] that asks the compactor.
func (a *Agent) abandoned(ctx context.Context, left compact.Abandoned, instructions string) (compact.Result, error) {
	q := asking{model: a.opt.Compactor}
	text, err := q.ask(ctx, left.(*compaction.Abandoned).Request(q.options(instructions)))
	if err != nil {
		return compact.Result{}, err
	}
	return compact.Result{Summary: left.Join(text), Usage: q.usage}, nil
}

// summarize writes the summary of a preparation, and its line for lists where the
// dialect has one.
func (q *asking) summarize(ctx context.Context, p *compaction.Preparation, o compaction.RequestOptions, short bool) (compact.Result, error) {
	if q.parts = p.Parts(o); short {
		q.parts++
	}
	history := ""
	for at, previous := 0, p.PreviousSummary; at < len(p.Summarize); previous = history {
		r, next := p.History(at, previous, o)
		var err error
		if history, err = q.ask(ctx, r); err != nil {
			return compact.Result{}, err
		}
		at = next
	}
	prefix := ""
	if r, split := p.TurnPrefix(o); split {
		var err error
		if prefix, err = q.ask(ctx, r); err != nil {
			return compact.Result{}, err
		}
	}
	out := compact.Result{Summary: p.Join(history, prefix)}
	if short {
		line, err := q.ask(ctx, p.Short(out.Summary, o))
		if err != nil && ctx.Err() != nil {
			return compact.Result{}, err
		}
		out.ShortSummary = strings.TrimSpace(line) // "" for none: lists do without
	}
	out.Usage = q.usage
	return out, nil
}
