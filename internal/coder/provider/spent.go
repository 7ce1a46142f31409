package provider

import (
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// Spend completes u: the total of its tokens where that is 0, and its cost at
// the price p. What is kept for an hour costs twice the input (Anthropic's
// published prices); reasoning is part of the output.
func Spend(u *message.Usage, p model.Price) {
	const million = 1e6
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	hour := min(u.CacheWrite1h, u.CacheWrite)
	c := &message.Cost{
		Input:      u.Input * p.Input / million,
		Output:     u.Output * p.Output / million,
		CacheRead:  u.CacheRead * p.CacheRead / million,
		CacheWrite: ((u.CacheWrite-hour)*p.CacheWrite + hour*2*p.Input) / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	u.Cost = c
}
