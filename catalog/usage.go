package catalog

// Usage sums what answers took, in tokens, and what they cost.
type Usage struct {
	// Answers counts the assistant messages that say what they took.
	Answers int
	// Input, Output, CacheRead, CacheWrite and Total are in tokens.
	Input, Output, CacheRead, CacheWrite, Total float64
	// Cost is in US dollars.
	Cost float64
}

// Add adds what v sums.
func (u *Usage) Add(v Usage) {
	u.Answers += v.Answers
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Total += v.Total
	u.Cost += v.Cost
}
