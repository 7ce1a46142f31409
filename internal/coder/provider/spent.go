package provider

import (
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// maxTokens is the most that an answer is believed to have taken.
const maxTokens = 1e12

// Spend completes u: the total of its tokens where that is 0, and what it cost
// with m, as [model.Cost] counts. Reasoning is part of the output. Counts that
// cannot be are held at the ends of what can.
func Spend(u *message.Usage, m model.Model) {
	for _, n := range []*float64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.CacheWrite1h, &u.Reasoning, &u.TotalTokens} {
		if *n = min(*n, maxTokens); !(*n >= 0) {
			*n = 0
		}
	}
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	c := model.Cost(m, *u)
	u.Cost = &c
}
