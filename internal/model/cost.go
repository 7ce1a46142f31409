package model

import "github.com/cambium-dev/cambium/message"

// million is the number of tokens that prices are for.
const million = 1_000_000

// Cost returns what an answer cost, in US dollars (published P5): each field at
// its price, Total their sum. A prompt that is longer than m.Long says is paid for
// at that price. What Anthropic keeps for an hour costs twice the price of input.
func Cost(m Model, u message.Usage) message.Cost {
	price := m.Price
	if m.Long.Above > 0 && u.Input+u.CacheRead+u.CacheWrite > float64(m.Long.Above) {
		price = m.Long.Price
	}
	hour := 0.0
	if m.API == Anthropic {
		hour = min(u.CacheWrite1h, u.CacheWrite)
	}
	c := message.Cost{
		Input:      price.Input * u.Input / million,
		Output:     price.Output * u.Output / million,
		CacheRead:  price.CacheRead * u.CacheRead / million,
		CacheWrite: (price.CacheWrite*(u.CacheWrite-hour) + 2*price.Input*hour) / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}
