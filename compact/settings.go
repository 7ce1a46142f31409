package compact

import "math"

// Defaults of the programs (pi 0.87.1, omp 18.2.3, xcsh 17.4.4), in tokens.
const (
	DefaultReserve    = 16_384
	DefaultKeepRecent = 20_000
)

// Settings are what a user chooses. The zero Settings are the defaults.
type Settings struct {
	// Disabled turns compaction by itself off; it can still be asked for.
	Disabled bool
	// Reserve is how many tokens of the window are kept free for the next
	// request and answer; 0 is DefaultReserve, less is none.
	Reserve int
	// KeepRecent is about how many tokens of the newest conversation stay; 0 is
	// DefaultKeepRecent, less is as little as can be.
	KeepRecent int
	// ThresholdTokens is the fill of the window above which to compact; 0 or
	// less is unset. It wins over ThresholdPercent.
	ThresholdTokens int
	// ThresholdPercent is the same in percent of the window, 1 to 99; 0 or less
	// is unset. Unset, the reserve decides.
	ThresholdPercent float64
}

// ReserveTokens returns the tokens to keep free.
func (s Settings) ReserveTokens() int {
	if s.Reserve == 0 {
		return DefaultReserve
	}
	return max(s.Reserve, 0)
}

// KeepTokens returns the tokens of recent conversation to keep.
func (s Settings) KeepTokens() int {
	if s.KeepRecent == 0 {
		return DefaultKeepRecent
	}
	return max(s.KeepRecent, 0)
}

// Due reports whether a context of used tokens is to be compacted for a model
// with a window of so many tokens; never for a window that is not known.
func (r Rules) Due(used, window int, s Settings) bool {
	return !s.Disabled && window > 0 && used > r.Threshold(window, s)
}

// Threshold returns the number of tokens above which to compact.
func (r Rules) Threshold(window int, s Settings) int {
	if s.ThresholdTokens > 0 {
		return min(window-1, s.ThresholdTokens)
	}
	if p := s.ThresholdPercent; p > 0 && !math.IsInf(p, 0) {
		return int(float64(window) * min(max(p, 1), 99) / 100)
	}
	return min(max(window-r.reserve(window, s), 0), window-1)
}

// reserve returns what is kept free of a window. A reserve that leaves nothing of
// a small window gives way to 15 % of it: omp 18.2.3 has it so where the reserve
// is the default or larger than the window.
func (r Rules) reserve(window int, s Settings) int {
	if r.wholeReserve && s.ReserveTokens() < window {
		return s.ReserveTokens()
	}
	part := window * 15 / 100
	reserve := max(part, s.ReserveTokens())
	if s.Reserve == 0 && reserve >= window-max(part, 1) || reserve >= window {
		return max(part, 1)
	}
	return reserve
}
