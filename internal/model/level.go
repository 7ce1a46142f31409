package model

import "slices"

// Off is the thinking level of not thinking.
const Off = "off"

// Levels returns all thinking levels there are, least first (pi 0.87.1).
func Levels() []string {
	return []string{Off, "minimal", "low", "medium", "high", "xhigh", "max"}
}

// A Budget is how many tokens a model that is asked by number may think on each
// level. Levels that are not in it have the default.
type Budget map[string]int

// Tokens returns the budget of a level: 0 for off and for what is no level. The
// defaults are 1,024, 2,048, 8,192 and 16,384 tokens from minimal to high; the
// levels above think as much as high where they have no budget of their own
// (pi 0.87.1).
func (b Budget) Tokens(level string) int {
	if n, ok := b[level]; ok && level != Off {
		return max(n, 0)
	}
	switch level {
	case "minimal":
		return 1024
	case "low":
		return 2048
	case "medium":
		return 8192
	case "high":
		return 16_384
	case "xhigh", "max":
		return b.Tokens("high")
	}
	return 0
}

// isLevel reports whether a word is a thinking level.
func isLevel(s string) bool { return slices.Contains(Levels(), s) }
