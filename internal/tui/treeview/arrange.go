package treeview

// A shape is what an outline looks like: one row for each entry that is shown.
type shape struct {
	rows      []int32 // entries
	stretch   []int32 // by row
	stretches []stretch
	row       []int32 // by entry; -1 for one that is not shown
	up        []int32 // by entry: the nearest ancestor that passes, -1 for none
	kids      []int32 // by entry: how many pass whose nearest ancestor it is
	folded    map[int32]int
	passed    int // entries that pass, folded ones included
}

// A stretch is a run of rows in one column.
type stretch struct {
	up    int32 // the stretch it hangs on, -1 for none
	depth int32 // how far it is indented
	head  int32 // its first row
	last  bool  // no stretch follows at the same fork
}

// A choice says what is shown of an outline.
type choice struct {
	filter Filter
	found  []bool         // by entry; nil when nothing is searched for
	folded map[int32]bool // entries below which all is hidden
}

// arrange returns the rows for a choice. It takes time in proportion to the
// number of entries, whatever their depth, and looks at no body.
func arrange(o *Outline, c choice) *shape {
	n := o.Len()
	s := &shape{row: make([]int32, n), up: make([]int32, n), kids: make([]int32, n), folded: map[int32]int{}}
	passes := make([]bool, n)
	for _, at := range o.order {
		s.row[at] = -1
		up := o.parent[at]
		if up >= 0 && !passes[up] {
			up = s.up[up]
		}
		s.up[at] = up
		if !c.filter.passes(o, int(at)) || c.found != nil && !c.found[at] {
			continue
		}
		passes[at] = true
		s.passed++
		if up >= 0 {
			s.kids[up]++
		}
	}
	// under is by entry: the folded row that hides it, else -1.
	under := make([]int32, n)
	seen := make([]int32, n)
	for _, at := range o.order {
		if !passes[at] {
			continue
		}
		up := s.up[at]
		under[at] = -1
		if up >= 0 {
			if under[at] = under[up]; under[at] < 0 && c.folded[up] {
				under[at] = up
			}
			seen[up]++
		}
		if by := under[at]; by >= 0 {
			s.folded[by]++
			continue
		}
		s.add(at, up, up < 0 || seen[up] == s.kids[up])
	}
	return s
}

// add appends the row of an entry; last says that no sibling follows.
func (s *shape) add(at, up int32, last bool) {
	row := int32(len(s.rows))
	of := int32(-1)
	switch {
	case up < 0:
		of = int32(len(s.stretches))
		s.stretches = append(s.stretches, stretch{up: -1, head: row, last: true})
	case s.kids[up] == 1:
		of = s.stretch[s.row[up]]
	default:
		of = int32(len(s.stretches))
		above := s.stretch[s.row[up]]
		s.stretches = append(s.stretches, stretch{up: above, depth: s.stretches[above].depth + 1, head: row, last: last})
	}
	s.row[at] = row
	s.rows, s.stretch = append(s.rows, at), append(s.stretch, of)
}

// of returns the stretch of a row.
func (s *shape) of(row int) stretch { return s.stretches[s.stretch[row]] }

// nearest returns the row of an entry, or of its nearest ancestor that has one,
// or else the row that was drawn nearest to it. It is -1 when there are none.
func (s *shape) nearest(o *Outline, at int) int {
	if len(s.rows) == 0 || at < 0 || at >= len(s.row) {
		return min(len(s.rows), 1) - 1
	}
	for up := int32(at); up >= 0; up = o.parent[up] {
		if row := s.row[up]; row >= 0 {
			return int(row)
		}
	}
	// No ancestor: the first row among what follows in the order.
	met := false
	for _, e := range o.order {
		met = met || int(e) == at
		if met && s.row[e] >= 0 {
			return int(s.row[e])
		}
	}
	return len(s.rows) - 1
}

// end returns the last row of the stretch of a row.
func (s *shape) end(row int) int {
	of := s.stretch[row]
	for row+1 < len(s.rows) && s.stretch[row+1] == of {
		row++
	}
	return row
}

// sibling returns the first row of the next (by 1) or previous (by -1) stretch
// at the fork above a row, or at a fork further above; the row itself where
// there is none.
func (s *shape) sibling(row, by int) int {
	for of := s.stretch[row]; of >= 0; of = s.stretches[of].up {
		x := s.stretches[of]
		for n := int(of) + by; n >= 0 && n < len(s.stretches); n += by {
			y := s.stretches[n]
			if y.depth < x.depth {
				break
			}
			if y.depth == x.depth && y.up == x.up {
				return int(y.head)
			}
		}
	}
	return row
}
