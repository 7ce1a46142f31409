package journal

import "iter"

// A saved line is one that is kept in memory.
type saved struct {
	line   []byte // as it was given
	stored []byte // as it is written; nil if this process did not write it
}

// keptPage is how many lines a page of kept lines has.
const keptPage = 128

// kept are the lines that are kept in memory, by position, mostly a run at the
// end: pages, so that one more moves nothing. The zero value has none.
type kept struct{ pages []*[keptPage]saved }

// put keeps a line, in the place of the one before.
func (k *kept) put(i int, s saved) {
	page := i / keptPage
	if page >= len(k.pages) {
		k.pages = append(k.pages, make([]*[keptPage]saved, page+1-len(k.pages))...)
	}
	if k.pages[page] == nil {
		k.pages[page] = new([keptPage]saved)
	}
	k.pages[page][i%keptPage] = s
}

// get returns a line and whether it is kept.
func (k *kept) get(i int) (saved, bool) {
	page := i / keptPage
	if i < 0 || page >= len(k.pages) || k.pages[page] == nil {
		return saved{}, false
	}
	s := k.pages[page][i%keptPage]
	return s, s.line != nil
}

// all yields the lines in order.
func (k *kept) all() iter.Seq2[int, saved] {
	return func(yield func(int, saved) bool) {
		for page, lines := range k.pages {
			if lines == nil {
				continue
			}
			for i, s := range lines {
				if s.line != nil && !yield(page*keptPage+i, s) {
					return
				}
			}
		}
	}
}
