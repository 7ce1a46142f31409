package compaction

import (
	"math"

	"github.com/cambium-dev/cambium/compact"
)

// Defaults of the programs (pi 0.87.1, omp 18.2.3, xcsh 17.4.4), in tokens.
const (
	DefaultReserve    = 16_384
	DefaultKeepRecent = 20_000
)

// reserveTokens returns the tokens to keep free.
func reserveTokens(s compact.Settings) int {
	if s.Reserve == 0 {
		return DefaultReserve
	}
	return max(s.Reserve, 0)
}

// keepTokens returns the tokens of recent conversation to keep.
func keepTokens(s compact.Settings) int {
	if s.KeepRecent == 0 {
		return DefaultKeepRecent
	}
	return max(s.KeepRecent, 0)
}

// Due reports whether a context of used tokens is to be compacted for a model
// with a window of so many tokens; never for a window that is not known.
func (r Rules) Due(used, window int, s compact.Settings) bool {
	return !s.Disabled && window > 0 && used > r.Threshold(window, s)
}

// Threshold returns the number of tokens above which to compact.
func (r Rules) Threshold(window int, s compact.Settings) int {
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
func (r Rules) reserve(window int, s compact.Settings) int {
	if r.wholeReserve && reserveTokens(s) < window {
		return reserveTokens(s)
	}
	part := window * 15 / 100
	reserve := max(part, reserveTokens(s))
	if s.Reserve == 0 && reserve >= window-max(part, 1) || reserve >= window {
		return max(part, 1)
	}
	return reserve
}
