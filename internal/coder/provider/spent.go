package provider

import (
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// Spend completes u: the total of its tokens where that is 0, and what it cost
// with m, as [model.Cost] counts. Reasoning is part of the output.
func Spend(u *message.Usage, m model.Model) {
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	c := model.Cost(m, *u)
	u.Cost = &c
}
