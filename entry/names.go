package entry

// Names reports whether e, which a scan of a line gave, is of the kind of entry i
// and names what entry i does: so that a line which stands where entry i stood can
// be told from another one.
func (x *Index) Names(i int, e *Envelope) bool {
	if e.Kind != x.Kind(i) {
		return false
	}
	id, has := x.id(i)
	parent, hasUp := x.parent(i)
	return same(id, has, e.ID) && same(parent, hasUp, e.Parent)
}

// same reports whether a name that an index keeps, if it has one, is that of a line.
func same(kept key, has bool, name []byte) bool {
	if name == nil || len(name) > maxName {
		return !has // none is kept of one that is longer
	}
	return has && kept.is(keyOf(name))
}

// Named reports whether an entry has an id.
func (x *Index) Named() bool {
	for i := range x.n {
		if _, ok := x.id(i); ok {
			return true
		}
	}
	return false
}
