package session

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
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
	// TotalTokens is what the providers call their sum, and Orchestration what a
	// provider spent on agents of its own (omp).
	TotalTokens         float64 `json:"-"`
	OrchestrationInput  float64 `json:"-"`
	OrchestrationOutput float64 `json:"-"`
	OrchestrationCache  float64 `json:"-"`
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
		if usage := spent(e); jsonedit.Kind(usage) == jsontext.KindBeginObject {
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
func spent(e entry.Entry) entry.JSON {
	if e.Kind != entry.Message {
		usage, _ := jsonedit.Get(e.Raw(), "usage")
		return usage
	}
	usage, ok := jsonedit.Get(e.Message(), "usage")
	if ok || e.Role != entry.RoleToolResult {
		return usage
	}
	if tool, _ := jsonedit.Text(e.Message(), "toolName"); tool == "task" {
		usage, _ = jsonedit.Path(e.Message(), "details", "usage")
	}
	return usage
}

func (u *Usage) add(usage entry.JSON) {
	for key, value := range jsonedit.Members(usage) {
		n, _ := jsonedit.Number(value)
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
		case "totalTokens":
			u.TotalTokens += n
		case "orchestration":
			u.orchestrated(value)
		case "cost":
			total, _ := jsonedit.Get(value, "total")
			n, _ = jsonedit.Number(total)
			u.Cost += n
		}
	}
}

// orchestrated adds what a provider spent on agents of its own.
func (u *Usage) orchestrated(spent entry.JSON) {
	for key, value := range jsonedit.Members(spent) {
		n, _ := jsonedit.Number(value)
		switch key {
		case "input":
			u.OrchestrationInput += n
		case "output":
			u.OrchestrationOutput += n
		case "cacheRead":
			u.OrchestrationCache += n
		}
	}
}
