package session

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
)

// Usage sums what the assistant messages of a session cost (published
// getUsageStatistics).
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

// Usage sums the usage of all assistant messages, on every branch. A message
// that says nothing of it counts for nothing. It reads each of them once.
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
		if list.Role(i) != entry.RoleAssistant {
			s.mu.Unlock()
			continue
		}
		e, err := list.Entry(i)
		s.mu.Unlock()
		if err != nil {
			return sum, err
		}
		if usage, ok := splice.Get(e.Message(), "usage"); ok {
			sum.add(usage)
		}
	}
}

func (u *Usage) add(usage jsontext.Value) {
	if splice.Kind(usage) != '{' {
		return
	}
	u.Messages++
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
