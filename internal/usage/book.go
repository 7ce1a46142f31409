package usage

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A Book is the charges of all sessions, each of which counts once. It is not changed
// once it is made.
type Book struct {
	// Ledgers are the sessions in the order in which they were settled: a session
	// stands behind the one that it was copied from, and else the eldest first.
	Ledgers []Ledger
	// Items are all charges, in the order of the ledgers.
	Items []Item
}

// An Item is a charge in a book.
type Item struct {
	// Ledger is the place of its session in the book, Charge its place in that.
	Ledger, Charge int32
	// Of is the item that counts in its place, -1 if it counts itself.
	Of int32
	// Why says why it does not count.
	Why Why
	// Active says that the charge is on the active branch of some session that has it.
	Active bool
	// Cost and Origin are those of the charge, or of the table of prices.
	Cost   Micros
	Origin Origin
}

// Why says why a charge does not count.
type Why uint8

// The reasons.
const (
	// Counts is none: it does.
	Counts Why = iota
	// SameResponse says that another charge has the provider's id of the response.
	SameResponse
	// SameEntry says that it is a copy of another entry, with its id and its time.
	SameEntry
	// SameBare says that it is the same as an entry that has no id, as those of the
	// first version have none, or whose copies have others.
	SameBare
)

// Charge returns the charge of an item.
func (b *Book) Charge(i *Item) *Charge { return &b.Ledgers[i.Ledger].Charges[i.Charge] }

// Session returns the session of an item.
func (b *Book) Session(i *Item) *Ledger { return &b.Ledgers[i.Ledger] }

// Prices finds the price of a model; false when there is none. The provider may be "".
type Prices func(provider, model string) (Price, bool)

// NewBook settles which charges count. It takes the ledgers over. prices are for what
// has no cost that is stored; nil is for none.
func NewBook(ledgers []Ledger, prices Prices) *Book {
	b := &Book{Ledgers: ordered(ledgers)}
	n := 0
	for i := range b.Ledgers {
		n += len(b.Ledgers[i].Charges)
	}
	b.Items = make([]Item, 0, n)
	s := settling{response: newTable(n), unique: newTable(0), entry: newTable(n)}
	if some(b.Ledgers, func(c *Charge) bool { return c.keys.unique != 0 }) {
		s.unique = newTable(n)
	}
	if s.old = some(b.Ledgers, func(c *Charge) bool { return c.keys.entry == 0 }); s.old {
		s.named, s.nameless = newTable(n), newTable(n)
	}
	for i := range b.Ledgers {
		for k := range b.Ledgers[i].Charges {
			b.Items = append(b.Items, s.settle(b, int32(i), int32(k)))
		}
	}
	if prices != nil {
		b.price(prices)
	}
	return b
}

// some reports whether some charge is so.
func some(ledgers []Ledger, is func(c *Charge) bool) bool {
	for i := range ledgers {
		for k := range ledgers[i].Charges {
			if is(&ledgers[i].Charges[k]) {
				return true
			}
		}
	}
	return false
}

// A settling finds the charge that counts for each key.
type settling struct {
	response, unique, entry table
	// named and nameless are by the key of what has no ids: of entries with an id,
	// and of those without. Nobody needs them if old is false.
	named, nameless table
	old             bool
}

// settle makes the item of a charge.
func (s *settling) settle(b *Book, ledger, charge int32) Item {
	c := &b.Ledgers[ledger].Charges[charge]
	it := Item{Ledger: ledger, Charge: charge, Of: -1, Active: c.Active, Cost: c.Cost, Origin: c.Origin}
	it.Of, it.Why = s.find(c)
	self := it.Of
	if self < 0 {
		self = int32(len(b.Items))
	} else {
		first := &b.Items[self]
		first.Active = first.Active || c.Active
		if first.Origin == Unknown { // a conversion may lose what a cost was
			first.Cost, first.Origin = c.Cost, c.Origin
		}
	}
	s.note(c, self)
	return it
}

// find returns the item that counts for a charge, -1 for none.
func (s *settling) find(c *Charge) (int32, Why) {
	if at, ok := s.response.get(c.keys.response); ok {
		return at, SameResponse
	}
	if at, ok := s.unique.get(c.keys.unique); ok {
		return at, SameResponse
	}
	if at, ok := s.entry.get(c.keys.entry); ok {
		return at, SameEntry
	}
	if !s.old {
		return -1, Counts
	}
	if at, ok := s.nameless.get(c.keys.bare); ok {
		return at, SameBare
	}
	if at, ok := s.named.get(c.keys.bare); ok && c.keys.entry == 0 {
		return at, SameBare
	}
	return -1, Counts
}

// note notes which item counts for the keys of a charge.
func (s *settling) note(c *Charge, at int32) {
	s.response.put(c.keys.response, at)
	s.unique.put(c.keys.unique, at)
	s.entry.put(c.keys.entry, at)
	switch {
	case !s.old:
	case c.keys.entry == 0:
		s.nameless.put(c.keys.bare, at)
	default:
		s.named.put(c.keys.bare, at)
	}
}

// A table finds items by keys, which are hashes. The key 0 is none.
type table struct {
	keys []uint64
	at   []int32
	mask uint64
}

// newTable returns a table for so many keys.
func newTable(n int) table {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return table{keys: make([]uint64, size), at: make([]int32, size), mask: uint64(size - 1)}
}

// place returns where a key is, or would be.
func (t *table) place(key uint64) uint64 {
	i := key & t.mask
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & t.mask
	}
	return i
}

func (t *table) get(key uint64) (int32, bool) {
	if key == 0 {
		return 0, false
	}
	i := t.place(key)
	return t.at[i], t.keys[i] == key
}

func (t *table) put(key uint64, at int32) {
	if key == 0 {
		return
	}
	i := t.place(key)
	t.keys[i], t.at[i] = key, at
}

// price gives a cost to what has none.
func (b *Book) price(prices Prices) {
	type name struct{ provider, model string }
	type answer struct {
		price Price
		ok    bool
	}
	known := map[name]answer{}
	for i := range b.Items {
		it := &b.Items[i]
		c := b.Charge(it)
		if it.Origin != Unknown || c.Tokens.All() == 0 || c.Model == "" {
			continue
		}
		n := name{c.Provider, c.Model}
		a, asked := known[n]
		if !asked {
			a.price, a.ok = prices(n.provider, n.model)
			known[n] = a
		}
		if a.ok {
			it.Cost, it.Origin = a.price.cost(&c.Tokens), Priced
		}
	}
}

// ordered returns the sessions, each behind the one that it was copied from, and else
// the eldest first. A chain of parents that comes back to where it began is cut there.
func ordered(all []Ledger) []Ledger {
	slices.SortFunc(all, func(x, y Ledger) int {
		return cmp.Or(cmp.Compare(born(&x), born(&y)), strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path))
	})
	ids, paths := make(map[string]int, len(all)), make(map[string]int, len(all))
	for i := range all {
		if _, ok := ids[all[i].ID]; !ok && all[i].ID != "" {
			ids[all[i].ID] = i
		}
		if _, ok := paths[all[i].Path]; !ok {
			paths[all[i].Path] = i
		}
	}
	done, out := make([]bool, len(all)), make([]Ledger, 0, len(all))
	var chain []int
	for i := range all {
		chain = chain[:0]
		for at, ok := i, true; ok && !done[at]; {
			done[at] = true
			chain = append(chain, at)
			at, ok = parentOf(&all[at], ids, paths)
		}
		for _, at := range slices.Backward(chain) {
			out = append(out, all[at])
		}
	}
	return out
}

// parentOf returns the place of the session that another was copied from.
func parentOf(l *Ledger, ids, paths map[string]int) (int, bool) {
	if l.Parent == "" {
		return 0, false
	}
	if at, ok := ids[l.Parent]; ok {
		return at, true
	}
	at, ok := paths[path.Clean(l.Parent)]
	return at, ok
}

// born is when a session was made; one that does not say so is younger than all others.
func born(l *Ledger) int64 {
	if l.Created == NoTime {
		return 1<<63 - 1
	}
	return l.Created
}
