package compaction

import (
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// Used returns how many tokens the context at the end of path takes: what the
// last usable answer says, and estimates of what follows it. What was counted
// before an edit or a compaction is true no longer; then, and where no answer
// says anything, all is estimated. An answer is usable that ended neither in an
// error nor before its time, and counted something. It loads the entries after
// that answer, in the other case the whole context. The error is that of an entry
// that cannot be loaded.
func (r Rules) Used(l *entry.List, path []int) (compact.Fill, error) {
	c, err := replay.Build(l, path, r.replay)
	if err != nil {
		return compact.Fill{}, err
	}
	return r.used(c, l, path)
}

func (r Rules) used(c *replay.Context, l *entry.List, path []int) (compact.Fill, error) {
	f := compact.Fill{Entry: -1}
	for at := len(path) - 1; at >= c.From(); at-- {
		i := path[at]
		if r.stales(l, i) {
			break
		}
		m, ok, err := c.Alone(i)
		if err != nil {
			return f, err
		}
		if !ok {
			continue
		}
		if n, usable := r.counted(m); usable {
			f.Counted, f.Entry = n, i
			f.Tokens = f.Counted + f.Estimated
			return f, nil
		}
		f.Estimated += r.Count.Estimate(m.JSON)
	}
	n, err := r.estimate(c)
	return compact.Fill{Tokens: n, Estimated: n, Entry: -1}, err
}

// stales reports whether entry i makes what was counted before it untrue.
func (r Rules) stales(l *entry.List, i int) bool {
	kind := l.Kind(i)
	if !r.replay.Acts.Has(kind) {
		return false
	}
	switch kind {
	case entry.Compaction, entry.ContextEdit, entry.ResetBoundary:
		return true
	case entry.Custom:
		return r.replay.EditType != "" && l.Ref(i) == r.replay.EditType
	}
	return false
}

// estimate returns about how many tokens all that the model sees takes. System
// messages count as the one that they come to.
func (r Rules) estimate(c *replay.Context) (int, error) {
	n := 0
	var s system
	for m, err := range c.Messages() {
		if err != nil {
			return 0, err
		}
		if m.Role == entry.RoleSystem {
			s.add(m.JSON)
			continue
		}
		n += r.Count.Estimate(m.JSON)
	}
	return n + r.Count.Estimate(s.message(0)), nil
}

// counted returns how many tokens the context had after an answer, and whether it
// says so.
func (r Rules) counted(m replay.Message) (int, bool) {
	usage := usageOf(m)
	if usage == nil {
		return 0, false
	}
	n := contextTokens(usage)
	if snapshot, ok := jsonedit.Get(m.JSON, "contextSnapshot"); ok && r.outcome {
		if prompt, ok := number(snapshot, "promptTokens"); ok {
			removed, _ := number(snapshot, "historyRewriteTokensRemoved")
			output, _ := number(usage, "output")
			n = max(prompt-removed, 0) + output
		}
	}
	return n, n > 0
}

// usageOf returns the usage of an answer that ended well, nil for any other.
func usageOf(m replay.Message) entry.JSON {
	if m.Role != entry.RoleAssistant {
		return nil
	}
	switch reason, _ := jsonedit.Text(m.JSON, "stopReason"); reason {
	case "error", "aborted":
		return nil
	}
	usage, _ := jsonedit.Get(m.JSON, "usage")
	if jsonedit.Kind(usage) != '{' {
		return nil
	}
	return usage
}

// contextTokens returns what a usage says that the context has: what the provider
// said of it, else the total without what the provider spent on its own.
func contextTokens(usage entry.JSON) int {
	if n, ok := number(usage, "contextTokens"); ok {
		return max(n, 0)
	}
	total, _ := number(usage, "totalTokens")
	if total == 0 {
		total = sum(usage, "input", "output", "cacheRead", "cacheWrite")
	}
	own, _ := jsonedit.Get(usage, "orchestration")
	return max(total-sum(own, "input", "output", "cacheRead"), 0)
}

// promptTokens returns what a usage says that the request had.
func promptTokens(usage entry.JSON) int {
	if n, ok := number(usage, "contextTokens"); ok {
		return max(n, 0)
	}
	if n := sum(usage, "input", "cacheRead", "cacheWrite"); n > 0 {
		return n
	}
	return contextTokens(usage)
}

func sum(usage entry.JSON, keys ...string) int {
	total := 0
	for _, key := range keys {
		n, _ := number(usage, key)
		total += n
	}
	return total
}

// maxTokens bounds what a file may claim, so that sums stay numbers.
const maxTokens = 1 << 40

func number(obj entry.JSON, key string) (int, bool) {
	v, _ := jsonedit.Get(obj, key)
	f, ok := jsonedit.Number(v)
	if !ok || f != f {
		return 0, false
	}
	return int(min(max(f, -maxTokens), maxTokens)), true
}
