package usage

// A Naive is what a counter would say that takes a short cut.
type Naive struct {
	// Name is the short cut in a word, Does what such a counter does.
	Name, Does string
	Sum        Sum
	// Differs are the items that it counts and a book does not, or the other way
	// round, in the order of the book.
	Differs []int32
}

// A shortcut is how a counter decides what counts.
type shortcut struct {
	name, does string
	takes      func(b *Book, it *Item, c *Charge) bool
}

// shortcuts are the usual ones.
func shortcuts() []shortcut {
	return []shortcut{
		{"everything", "takes forks and copies again", func(_ *Book, _ *Item, _ *Charge) bool { return true }},
		{"active", "takes active branches, and forks again", func(_ *Book, _ *Item, c *Charge) bool { return c.Active }},
		{"answers", "takes answers in conversations alone", func(_ *Book, it *Item, c *Charge) bool {
			return it.Of < 0 && c.Kind == Answer
		}},
		{"finished", "leaves out stopped and failed answers", func(_ *Book, it *Item, c *Charge) bool {
			return it.Of < 0 && (c.Kind != Answer || !c.Aborted && !c.Failed)
		}},
		{"stored", "leaves out what has no stored cost", func(_ *Book, it *Item, c *Charge) bool {
			return it.Of < 0 && c.Origin != Unknown
		}},
	}
}

// Check returns what naive counters would say of the charges that are meant.
func (b *Book) Check(f Filter) []Naive {
	f.Copies = true
	var all []Naive
	for _, s := range shortcuts() {
		n := Naive{Name: s.name, Does: s.does}
		for i := range b.Items {
			it := &b.Items[i]
			c := b.Charge(it)
			if !c.Spends() || !b.Matches(it, &f) {
				continue
			}
			takes := s.takes(b, it, c)
			if takes {
				n.Sum.Count(it, c)
			}
			if takes != (it.Of < 0) {
				n.Differs = append(n.Differs, int32(i))
			}
		}
		all = append(all, n)
	}
	return all
}
