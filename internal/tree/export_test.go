package tree

// Steps returns how many entries and damaged lines were looked at to heal the links.
func (t *Tree) Steps() int { return t.spent.steps }
