package catalog

import (
	"hash/maphash"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// Usage sums what the calls of a session took and cost.
type Usage struct {
	Input           float64 `json:"input"`
	Output          float64 `json:"output"`
	CacheRead       float64 `json:"cacheRead"`
	CacheWrite      float64 `json:"cacheWrite"`
	PremiumRequests float64 `json:"premiumRequests"`
	// Cost is the total in US dollars.
	Cost float64 `json:"cost"`
	// Messages counts the answers that say what they cost.
	Messages int `json:"-"`
}

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

// parseUsage reads a usage object, as a session does.
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

// members are those of a line, and of its message.
type members interface {
	Key(i int) []byte
	Inner(i int) []byte
}

// usageOf returns the object in which an entry says what it took and cost, nil where it
// has none.
func usageOf(kind entry.Kind, role entry.Role, m members) []byte {
	switch {
	case kind != entry.Message:
		return m.Key(ofLineUsage)
	case role == entry.RoleAssistant:
		return m.Inner(inUsage)
	case role != entry.RoleToolResult:
		return nil
	}
	usage := m.Inner(inUsage)
	if details := m.Inner(inDetails); usage == nil && details != nil && string(m.Inner(inTool)) == `"task"` {
		usage, _ = jsonedit.Get(details, "usage") // omp 18.2.3: a subtask's
	}
	return usage
}

// usageIn reads what usageOf returns.
func usageIn(raw []byte, role entry.Role) (u Usage, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return u, false
	}
	if u, ok = parseUsage(raw); ok && role == entry.RoleAssistant {
		u.Messages = 1
	}
	return u, ok
}

// number reads a JSON number, 0 for anything else.
func number(raw []byte) float64 {
	if f, ok := decimal(raw); ok {
		return f
	}
	n, _ := jsonedit.Number(raw)
	return n
}

// decimal reads a number of few digits without sign and exponent: both what its
// digits are without the point and the power of ten that divides it are exact
// then, and the quotient is the nearest double.
func decimal(raw []byte) (float64, bool) {
	if len(raw) == 0 || len(raw) > 16 {
		return 0, false
	}
	var whole int64
	point := -1
	for i, c := range raw {
		switch {
		case c-'0' < 10:
			whole = whole*10 + int64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if point < 0 {
		return float64(whole), len(raw) < 16
	}
	return float64(whole) / tens[len(raw)-1-point], true
}

// tens are the powers of ten.
var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

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
