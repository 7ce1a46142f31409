package entry

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// flag says how the names of an entry are kept. The programs' ids are of eight
// hexadecimal digits: such a one is packed into four bytes. A parent that is the
// id of the entry before, as nearly always, is not kept. What is left, if
// anything, is spelt: row.name says then where in [Index.names] it is: the
// lengths of id, parent and ref, those that are there and not known, as varints,
// then their bytes. Else row.name is the packed id.
type flag uint8

const (
	hasID flag = 1 << iota
	hasParent
	hasRef
	packed // the id
	prev   // the parent is the id of the entry before
	spelt
	listed // no name: the entry has todos
	unsaid // no name: the entry does not say which parent it has, or that it has none
)

// kept are the flags that say nothing of names.
const kept = listed | unsaid

const (
	nameBits  = 18
	nameChunk = 1 << nameBits
	// maxName is the longest id, parent or ref that is indexed, in bytes; a
	// longer one counts as absent. Three of them fit in a chunk.
	maxName = 1<<16 - 1
)

// A key is a name to look up: packed where it can be, else its text.
type key struct {
	text   []byte
	number uint32
	packed bool
}

// keyOf packs a name of eight hexadecimal digits: one that is read back the
// same.
func keyOf(name []byte) key {
	if len(name) == 8 {
		text := binary.BigEndian.Uint64(name)
		if n := pack(text); unpack(n) == text {
			return key{number: n, packed: true}
		}
	}
	return key{text: name}
}

const each = 0x0101010101010101 // times n: n in each of eight bytes

// pack returns the number that eight hexadecimal digits write, and anything for
// other bytes. It has no branches: the digits of ids are random.
func pack(text uint64) uint32 {
	letters := text >> 6 & each
	v := (text&(each*0xf) + 9*letters) & (each * 0xf)
	v = (v | v>>4) & 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return uint32(v | v>>16)
}

// unpack writes a number with eight hexadecimal digits.
func unpack(n uint32) uint64 {
	v := uint64(n)
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & (each * 0xf)
	letters := (v + each*6) >> 4 & each
	return v + each*'0' + letters*('a'-10-'0')
}

// String returns the name.
func (k key) String() string {
	if !k.packed {
		return string(k.text)
	}
	return string(binary.BigEndian.AppendUint64(nil, unpack(k.number)))
}

func (k key) is(other key) bool {
	return k.packed == other.packed && k.number == other.number && string(k.text) == string(other.text)
}

func (k key) hash(s *salt) uint32 {
	if !k.packed {
		return uint32(maphash.Bytes(s.seed, k.text))
	}
	high, low := bits.Mul64(uint64(k.number)^s.xor, s.by)
	return uint32(high ^ low)
}

// A salt makes where ids go in a table one's own: nobody can choose ids that meet.
type salt struct {
	seed    maphash.Seed
	xor, by uint64
}

func newSalt() salt {
	seed := maphash.MakeSeed()
	return salt{seed, maphash.String(seed, "xor"), maphash.String(seed, "by") | 1}
}

// keep gives r, the row of entry i, its names; nil is none.
func (x *Index) keep(r *row, i int, id, parent, ref []byte) {
	r.name, r.flags = 0, r.flags&kept
	put := func(name []byte, f flag) []byte {
		if name == nil || len(name) > maxName {
			return nil
		}
		r.flags |= f
		return name
	}
	id, parent, ref = put(id, hasID), put(parent, hasParent), put(ref, hasRef)
	k := keyOf(id)
	if k.packed {
		r.flags |= packed
		r.name = k.number
	}
	if r.flags&hasParent != 0 && i > 0 {
		if before, ok := x.id(i - 1); ok && before.is(keyOf(parent)) {
			r.flags |= prev
		}
	}
	if !k.packed && r.flags&hasID != 0 || r.flags&hasRef != 0 || r.flags&(hasParent|prev) == hasParent {
		x.spell(r, id, parent, ref)
	}
}

// spell keeps the names of r that its flags do not say.
func (x *Index) spell(r *row, id, parent, ref []byte) {
	var lengths [3 * binary.MaxVarintLen32]byte
	head := lengths[:0]
	if r.flags&packed != 0 {
		id = binary.LittleEndian.AppendUint32(make([]byte, 0, 4), r.name)
	} else if r.flags&hasID != 0 {
		head = binary.AppendUvarint(head, uint64(len(id)))
	}
	if r.flags&prev != 0 {
		parent = nil
	} else if r.flags&hasParent != 0 {
		head = binary.AppendUvarint(head, uint64(len(parent)))
	}
	if r.flags&hasRef != 0 {
		head = binary.AppendUvarint(head, uint64(len(ref)))
	}
	last := len(x.names) - 1
	if last < 0 || len(x.names[last])+len(head)+len(id)+len(parent)+len(ref) > nameChunk {
		if last+1 == 1<<(32-nameBits) {
			r.flags &= kept
			return // four gigabytes of names: none are kept from here on
		}
		size := nameChunk
		if last < 0 {
			size = 256
		}
		x.names = append(x.names, make([]byte, 0, size))
		last++
	}
	c := x.names[last]
	r.flags |= spelt
	r.name = uint32(last)<<nameBits | uint32(len(c))
	x.names[last] = append(append(append(append(c, head...), id...), parent...), ref...)
}

// spelt are the names of an entry that are kept as text.
type names struct {
	id          key
	parent, ref []byte
}

// spelt reads the names of a row that are spelt.
func (x *Index) spelt(r *row) (n names) {
	b := x.names[r.name>>nameBits][r.name&(nameChunk-1):]
	length := func(f, known flag) int {
		if r.flags&f == 0 || r.flags&known != 0 {
			return 0
		}
		v, size := binary.Uvarint(b)
		b = b[size:]
		return int(v)
	}
	id, parent, ref := length(hasID, packed), length(hasParent, prev), length(hasRef, 0)
	if r.flags&packed != 0 {
		n.id = key{number: binary.LittleEndian.Uint32(b), packed: true}
		id = 4
	} else {
		n.id = key{text: b[:id:id]}
	}
	b = b[id:]
	n.parent, n.ref = b[:parent:parent], b[parent:parent+ref:parent+ref]
	return n
}

// id returns the id of entry i.
func (x *Index) id(i int) (key, bool) {
	r := x.at(i)
	switch {
	case r.flags&spelt != 0:
		return x.spelt(r).id, r.flags&hasID != 0
	case r.flags&packed != 0:
		return key{number: r.name, packed: true}, true
	}
	return key{}, r.flags&hasID != 0
}

// parent returns the parent that entry i names.
func (x *Index) parent(i int) (key, bool) {
	r := x.at(i)
	switch {
	case r.flags&hasParent == 0:
		return key{}, false
	case r.flags&prev != 0:
		return x.id(i - 1)
	}
	return keyOf(x.spelt(r).parent), true
}

// ref returns the further name of entry i, nil for none.
func (x *Index) ref(i int) []byte {
	if r := x.at(i); r.flags&hasRef != 0 {
		return x.spelt(r).ref
	}
	return nil
}
