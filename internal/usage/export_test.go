package usage

// Scaled is scaled: whether the value is a number that is believed.
func Scaled(raw string, shift int, most int64) (n int64, ok bool) {
	n, is := scaled([]byte(raw), shift, most)
	return n, is == good
}

// Cost is what a call costs at a price.
func Cost(p Price, t Tokens) Micros { return p.cost(&t) }
