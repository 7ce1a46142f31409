package session

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
)

// Usage sums what the calls of a session cost (published getUsageStatistics).
type Usage struct {
	Input           float64 `json:"input"`
	Output          float64 `json:"output"`
	CacheRead       float64 `json:"cacheRead"`
	CacheWrite      float64 `json:"cacheWrite"`
	PremiumRequests float64 `json:"premiumRequests"`
	// Cost is the total in US dollars.
	Cost float64 `json:"cost"`
	// Messages counts the assistant messages that say what they cost.
	Messages int `json:"-"`
}

// Usage sums the usage of all assistant messages, on every branch, and what was
// spent beside them, in any program's spelling: by subtasks, by tools, for
// summaries and for calls outside the conversation (pi 0.87.1, omp 18.2.3). What
// says nothing of it counts for nothing. It reads each such entry once.
func (s *Session) Usage(ctx context.Context) (Usage, error) {
	var sum Usage
	for i := 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		s.mu.Lock()
		list := s.cur.log.List()
		if i >= list.Len() {
			s.mu.Unlock()
			return sum, nil
		}
		if !spends(list.Kind(i), list.Role(i)) {
			s.mu.Unlock()
			continue
		}
		e, err := list.Entry(i)
		s.mu.Unlock()
		if err != nil {
			return sum, err
		}
		if usage := spent(e); splice.Kind(usage) == jsontext.KindBeginObject {
			sum.add(usage)
			if e.Role == entry.RoleAssistant {
				sum.Messages++
			}
		}
	}
}

// spends reports whether entries of a kind and role may say what they cost.
func spends(k entry.Kind, r entry.Role) bool {
	switch k {
	case entry.Message:
		return r == entry.RoleAssistant || r == entry.RoleToolResult
	case entry.Usage, entry.ModelUsage, entry.Compaction, entry.BranchSummary:
		return true
	}
	return false
}

// spent returns the usage that an entry tells of; nil for none. A subtask's is
// in the details of its result (omp 18.2.3).
func spent(e entry.Entry) jsontext.Value {
	if e.Kind != entry.Message {
		usage, _ := splice.Get(e.Raw(), "usage")
		return usage
	}
	usage, ok := splice.Get(e.Message(), "usage")
	if ok || e.Role != entry.RoleToolResult {
		return usage
	}
	if tool, _ := splice.Text(e.Message(), "toolName"); tool == "task" {
		usage, _ = splice.Path(e.Message(), "details", "usage")
	}
	return usage
}

func (u *Usage) add(usage jsontext.Value) {
	for key, value := range splice.Members(usage) {
		n, _ := splice.Number(value)
		switch key {
		case "input":
			u.Input += n
		case "output":
			u.Output += n
		case "cacheRead":
			u.CacheRead += n
		case "cacheWrite":
			u.CacheWrite += n
		case "premiumRequests":
			u.PremiumRequests += n
		case "cost":
			total, _ := splice.Get(value, "total")
			n, _ = splice.Number(total)
			u.Cost += n
		}
	}
}
