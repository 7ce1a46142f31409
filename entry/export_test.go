package entry

// Hops returns how many entries are passed on the way from the last with an id to the
// one before position i.
func (x *Index) Hops(id string, i int) (n int) {
	for at := x.Find(id); at >= i; at = x.back(at, i) {
		n++
	}
	return n
}
