package redact

// CheckRules compiles all expressions, panics at one that cannot be, and returns how
// many there are.
func CheckRules() int {
	for _, r := range rules().rules {
		r.expr()
	}
	return len(rules().rules)
}
