package entry

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// A table finds entries by their ids. An index shares it with its snapshots
// until it changes it.
type table struct {
	fill  sync.Once
	full  atomic.Bool  // of one that was put off: it is filled
	seen  atomic.Int64 // rows that were looked at for want of it
	ids   []uint32     // see slot
	low   int          // bits of a slot that are a position
	used  int          // ids in the table
	twins map[int32]twin
}

// A delay says what of an index its table does not hold yet.
type delay struct {
	late bool // nothing: it waits for Rehash
	due  int  // with RehashLater: entries that it holds once it is filled
	tail int  // entries behind those, which it does not hold even then
}

// Rehash enters all ids anew, after [Index.Rename], [Index.Amend],
// [Index.Merge] and [ParseIndex].
func (x *Index) Rehash() {
	x.table, x.idsShared, x.wait = &table{}, false, delay{}
	x.enterAll(x.n)
}

// RehashLater is Rehash, put off until ids are looked up more than a few times: a
// session that never left one branch may never need it. Snapshots may be read meanwhile.
func (x *Index) RehashLater() {
	x.table, x.idsShared, x.wait = &table{}, false, delay{due: x.n}
}

// Fill begins to fill a table that was put off, for who is about to look ids up often.
// Nobody waits for that who looks up few.
func (x *Index) Fill() {
	if x.filled() {
		return
	}
	shared := x.idsShared
	y := x.Snapshot() // what x does meanwhile is not seen there
	x.idsShared = shared
	go y.ready()
}

// filled reports whether the table holds the entries that it is to hold.
func (x *Index) filled() bool { return x.wait.due == 0 || x.full.Load() }

// ready fills a table that was put off.
func (x *Index) ready() {
	if x.wait.due > 0 {
		x.fill.Do(func() {
			x.enterAll(x.wait.due)
			x.full.Store(true)
		})
	}
}

// patience is how often all rows are looked through before the table is filled, which
// takes about as long as that.
const patience = 8

// lookup returns the position of the last entry with that id, or -1.
func (x *Index) lookup(id key) int {
	if !x.filled() && x.seen.Load() < int64(patience*x.wait.due) {
		at := x.scan(id, x.n, 0)
		x.seen.Add(int64(x.n - max(at, 0)))
		return at
	}
	x.ready()
	if at := x.scan(id, x.n, x.n-x.wait.tail); at >= 0 || len(x.ids) == 0 {
		return at
	}
	return x.find(id)
}

// scan returns the last position before end and not before from of an entry with that
// id, -1 for none.
func (x *Index) scan(id key, end, from int) int {
	for end > from {
		c := (end - 1) >> rowBits
		rows := x.chunks[c].rows[:end-c<<rowBits]
		for j := len(rows) - 1; j >= 0 && c<<rowBits+j >= from; j-- {
			r := &rows[j]
			switch {
			case r.flags&spelt == 0 && r.flags&packed != 0 && (r.name != id.number || !id.packed):
			case r.flags&hasID == 0:
			default:
				if own, _ := x.id(c<<rowBits + j); own.is(id) {
					return c<<rowBits + j
				}
			}
		}
		end = c << rowBits
	}
	return -1
}

// enterAll fills an empty table with the first n entries.
func (x *Index) enterAll(n int) {
	x.grow(n + n/2 + 16)
	for i := range n {
		x.put(i)
	}
}

// enter makes entry i, the last one, the last with its id. One that comes before the
// table is filled waits at the end.
func (x *Index) enter(i int) {
	if !x.filled() {
		x.wait.tail++
		return
	}
	x.ownIDs()
	for ; x.wait.tail > 0; x.wait.tail-- {
		x.put(i - x.wait.tail)
	}
	x.put(i)
}

// put is enter into a table that is there and ours.
func (x *Index) put(i int) {
	id, ok := x.id(i)
	if !ok {
		return
	}
	if 5*(x.used+1) > 4*len(x.ids) || bits.Len(uint(i)+1) > x.low {
		x.grow(2 * (x.used + 8))
	}
	hash := id.hash(&x.salt)
	s := x.slot(id, hash)
	if was := x.position(s); was >= 0 {
		if x.twins == nil {
			x.twins = map[int32]twin{}
		}
		x.twins[int32(i)] = x.behind(int32(was))
	} else {
		x.used++
	}
	x.ids[s] = hash<<x.low | uint32(i) + 1
}

// A twin is an entry with the id of one before it. Of those with one id each knows
// the one before and one further back, so that few of them are passed on the way to any.
type twin struct{ before, far, depth int32 }

// twin returns what is known of entry i, which may be the first with its id.
func (t *table) twin(i int32) twin {
	if w, ok := t.twins[i]; ok {
		return w
	}
	return twin{before: -1, far: i}
}

// behind returns the twin that follows entry i.
func (t *table) behind(i int32) twin {
	last := t.twin(i)
	far := t.twin(last.far)
	w := twin{before: i, far: i, depth: last.depth + 1}
	if last.depth-far.depth == far.depth-t.twin(far.far).depth {
		w.far = far.far
	}
	return w
}

// around returns, of an entry and those before it with its id, the last that stands
// before position i and the first that does not, -1 for none.
func (x *Index) around(at, i int) (before, after int) {
	x.ready()
	after = -1
	for at >= i {
		if after = at; at >= x.n-x.wait.tail {
			at = x.Twin(at)
		} else {
			at = x.back(at, i)
		}
	}
	return at, after
}

// back returns an entry with the id of entry at that stands before it, and none that
// stands before position i if there is another.
func (t *table) back(at, i int) int {
	w := t.twin(int32(at))
	if int(w.far) >= i && int(w.far) < at {
		return int(w.far)
	}
	return int(w.before)
}

// find returns the position of the last entry with that id, or -1.
func (x *Index) find(id key) int { return x.position(x.slot(id, id.hash(&x.salt))) }

// position returns the position of the entry in a slot, -1 where none is.
func (x *Index) position(slot int) int { return int(x.ids[slot]&(1<<x.low-1)) - 1 }

// slot returns the place of an id in the table: where it is, or where it would
// go. The table is of open addressing. A slot that is not 0 holds position+1 of
// the last entry with an id and above it, in what is left of its bits, some of
// the id's hash, so that hardly ever another entry has to be looked at.
func (x *Index) slot(id key, hash uint32) int {
	s := int(uint64(hash) * uint64(len(x.ids)) >> 32)
	for {
		at := x.ids[s]
		if at == 0 {
			return s
		}
		if (at^hash<<x.low)>>x.low == 0 {
			if other, _ := x.id(x.position(s)); other.is(id) {
				return s
			}
		}
		if s++; s == len(x.ids) {
			s = 0
		}
	}
}

// grow makes the table one of at least size slots.
func (x *Index) grow(size int) {
	old, mask := x.ids, uint32(1<<x.low-1)
	x.ids = make([]uint32, max(size, len(old)))
	clear(x.ids) // memory that is read before it is written costs the system twice as much
	x.low = bits.Len(uint(max(len(x.ids), 2*x.n)))
	for _, at := range old {
		if at == 0 {
			continue
		}
		at &= mask
		id, _ := x.id(int(at) - 1)
		hash := id.hash(&x.salt)
		x.ids[x.slot(id, hash)] = hash<<x.low | at
	}
}
