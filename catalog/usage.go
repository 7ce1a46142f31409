package catalog

import (
	"hash/maphash"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/session"
)

// Usage sums what the calls of a session took and cost.
type Usage = session.Usage

// A spending is what one entry says that it cost, and which entry that is.
type spending struct {
	key   uint64
	usage Usage
}

// keyOf names an entry by its id and its timestamp: the same for the entry and
// for its copy in a fork.
func keyOf(seed maphash.Seed, e *entry.Envelope) uint64 {
	return maphash.Bytes(seed, e.ID) ^ uint64(e.Time)*0x9E3779B97F4A7C15
}

// usageQuery finds what a usage object sums.
var usageQuery = jsonl.Query{
	Keys:   []string{"input", "output", "cacheRead", "cacheWrite", "premiumRequests", "cost"},
	Inside: 5,
	Inner:  []string{"total"},
}

// parseUsage reads a usage object, as [session.Session.Usage] does.
func parseUsage(raw []byte) (u Usage, ok bool) {
	var found [7]jsonl.Span
	if usageQuery.Scan(raw, found[:]) != nil {
		return u, false
	}
	for i, to := range [...]*float64{
		0: &u.Input, 1: &u.Output, 2: &u.CacheRead, 3: &u.CacheWrite, 4: &u.PremiumRequests, 6: &u.Cost,
	} {
		if to != nil {
			*to = number(found[i].In(raw))
		}
	}
	return u, true
}

// number reads a JSON number, 0 for anything else; whole numbers fast.
func number(raw []byte) float64 {
	if n := len(raw); n > 0 && n <= 15 {
		var v int64
		for _, c := range raw {
			if c < '0' || c > '9' {
				v = -1
				break
			}
			v = v*10 + int64(c-'0')
		}
		if v >= 0 {
			return float64(v)
		}
	}
	n, _ := splice.Number(raw)
	return n
}

func add(u *Usage, v Usage) {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.PremiumRequests += v.PremiumRequests
	u.Cost += v.Cost
	u.Messages += v.Messages
}

// costs are what the entries of one session say that they cost.
type costs struct {
	// own is what the session spent itself, inherited what was spent before it
	// was copied from another one, which has the same entries.
	own, inherited Usage
	// had are the keys of what the other spent, in order; nil as long as they
	// are not known.
	had []uint64
	// each are the first that came, to be divided when had is known; there are
	// more when full.
	each []spending
	full bool
}

// maxCosts is how many costs are kept one by one. A copy that has more is read
// again, when it is known what it was copied from.
const maxCosts = 1 << 14

// add takes what one more entry cost.
func (c *costs) add(key uint64, u Usage) {
	if _, ok := slices.BinarySearch(c.had, key); ok {
		add(&c.inherited, u)
	} else {
		add(&c.own, u)
	}
	switch {
	case c.had != nil:
	case len(c.each) < maxCosts:
		c.each = append(c.each, spending{key, u})
	default:
		c.full = true
	}
}

// divide tells the own costs from the inherited ones. It must not be full.
func (c *costs) divide(had []uint64) {
	all := c.each
	*c = costs{had: had}
	for _, s := range all {
		c.add(s.key, s.usage)
	}
	c.each = all
}
