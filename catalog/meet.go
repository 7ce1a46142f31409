package catalog

import (
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A meeting is where the files that were found meet what an index keeps. It is for
// one goroutine and keeps its memory.
type meeting struct {
	o     *Options
	slots []int32         // records by hash, counted from 1; 0 for none
	met   []bool          // by record
	same  map[string]bool // whether a cwd is the one that was asked for
	items []item
}

// meet puts the files on a roll beside the records of their folder, which is
// number n, and adds an item for each that may have been asked for. The folder
// gets a roll of those that must be read.
func (m *meeting) meet(d *folder, n int32, found *vfs.Roll) {
	if len(d.parts) == 0 {
		d.roll = found.Clone()
		for i := range found.Len() {
			m.items = append(m.items, item{key: found.At(i).ModTime, folder: n, at: int32(^i)})
		}
		return
	}
	m.enter(d)
	for i := range found.Len() {
		f, name := found.At(i), found.Name(i)
		at, known := m.find(d, name), false
		if at >= 0 {
			m.met[at] = true
			b, k := d.record(at)
			is := b.brief(k)
			if known = d.fits(b, &is, f, name); known && !m.o.Text && m.o.told(b, k, &is) {
				if m.picks(b, &is) {
					m.items = append(m.items, item{key: f.ModTime, folder: n, at: at})
				}
				continue
			}
		}
		m.items = append(m.items, item{key: f.ModTime, folder: n, at: d.unread(f, name, known)})
	}
	if d.roll != nil {
		d.roll = d.roll.Clone() // no more memory than it needs
	}
	for k, b := range d.parts {
		for at := k * maxRecords; at < k*maxRecords+b.len(); at++ {
			if !m.met[at] {
				d.gone = append(d.gone, int32(at))
			}
		}
	}
}

// told reports whether nobody wants to know what the session of a record took, who does
// not know it already.
func (o *Options) told(b Bundle, k int, is *brief) bool {
	return !o.watch.On() || is.flags&briefNone != 0 || o.watch.Has(string(b.path(k)), stateOf(&is.stamp))
}

// unread adds a file to those that must be read.
func (d *folder) unread(f *vfs.Found, name []byte, known bool) (at int32) {
	if d.roll == nil {
		d.roll = &vfs.Roll{}
	}
	at = int32(^d.roll.Len())
	d.roll.Add(name, *f)
	d.known = append(d.known, known)
	return at
}

// fits reports whether a record says what its file is now.
func (d *folder) fits(b Bundle, m *brief, f *vfs.Found, name []byte) bool {
	if m.stamp != source.StampOf(f) {
		return false
	}
	agent := d.agent
	if d.links != nil {
		if l, ok := d.links[string(name)]; ok {
			agent = l.agent
		}
	}
	if agent == "" || m.flags&briefNone != 0 {
		return true
	}
	word, ok := b.word(m.words[agentWord])
	return ok && word == string(agent)
}

// picks reports whether the session of a record is among those that were asked
// for.
func (m *meeting) picks(b Bundle, k *brief) bool {
	if k.flags&briefNone != 0 || !m.o.Empty && k.flags&(briefEmpty|briefDamaged) == briefEmpty {
		return false
	}
	if m.o.CWD == "" {
		return true
	}
	cwd, _ := b.word(k.words[cwdWord])
	same, asked := m.same[cwd]
	if !asked {
		if m.same == nil {
			m.same = map[string]bool{}
		}
		same = m.o.same(cwd)
		m.same[cwd] = same
	}
	return same
}

// enter makes the records of a folder to be found by their names.
func (m *meeting) enter(d *folder) {
	count, size := 0, 16
	for _, b := range d.parts {
		count += b.len()
	}
	for size < 2*count {
		size *= 2
	}
	m.slots, m.met = zeroed(m.slots, size), zeroed(m.met, len(d.parts)*maxRecords)
	for k, b := range d.parts {
		for n := range b.len() {
			at := int(b.hash(n)) & (size - 1)
			for m.slots[at] != 0 {
				at = (at + 1) & (size - 1)
			}
			m.slots[at] = int32(k*maxRecords + n + 1)
		}
	}
}

// find returns the record of a file, -1 when there is none. One that names a file of
// that name elsewhere is none: what is found decides where a session is, never
// what an index says of it.
func (m *meeting) find(d *folder, name []byte) int32 {
	hash := hashName(name)
	for at := int(hash) & (len(m.slots) - 1); m.slots[at] != 0; at = (at + 1) & (len(m.slots) - 1) {
		record := m.slots[at] - 1
		if b, n := d.record(record); b.hash(n) == hash && b.of(n, d.dir, name) {
			return record
		}
	}
	return -1
}

// zeroed returns a slice of n zeros, in s if it fits.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
