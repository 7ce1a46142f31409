package journal

import "github.com/cambium-dev/cambium/entry"

// maxRun is how many entries on one branch are indexed: the index of a longer
// run says nothing that does not follow from the order, and takes 20 bytes of
// memory for each.
const maxRun = 1 << 16

// A run watches whether each entry of a log follows the one before it, and lets
// the index go when so many do that it is not worth its memory.
type run struct {
	n     int // entries
	last  []byte
	bent  bool // one did not follow
	short bool // the index lacks entries
}

// takes notes the next entry and reports whether the index x does without it.
func (r *run) takes(x *entry.Index, e *entry.Envelope) bool {
	if r.n > 0 && (e.Parent == nil || string(e.Parent) != string(r.last)) {
		r.bent = true
	}
	r.n++
	if r.bent {
		return r.short
	}
	r.last = append(r.last[:0], e.ID...)
	if r.n > maxRun && !r.short {
		x.Reset()
		r.short = true
	}
	return r.short
}
