package entry

// Hops returns how many entries are passed on the way from the last with an id to the
// one before position i.
func (x *Index) Hops(id string, i int) (n int) {
	for at := x.Find(id); at >= i; at = x.back(at, i) {
		n++
	}
	return n
}

// Rename gives entry i another id and parent. [Index.Rehash] must follow before the next
// look-up. A nil parent is null.
func (x *Index) Rename(i int, id string, parent *string) {
	var up []byte
	if parent != nil {
		up = append(make([]byte, 0, len(*parent)), *parent...)
	}
	x.name(i, append(make([]byte, 0, len(id)), id...), up, x.ref(i))
}
