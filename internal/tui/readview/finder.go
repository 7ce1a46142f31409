package readview

import (
	"slices"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// A finder is the search within the session.
type finder struct {
	marker
	field  textinput.Model
	typing bool
	seq    int
	hits   []int // rows, in order
	done   bool
	want   int // 1 or -1: it goes there as soon as something is found; 0 for nothing
}

func newFinder(m marker) finder {
	f := textinput.New()
	f.Prompt = ""
	f.CharLimit = 1000
	f.SetVirtualCursor(false)
	f.KeyMap.Paste.SetEnabled(false)
	return finder{marker: m, field: f}
}

// begin has something else be looked for, from a row on.
func (f *finder) begin(m marker, from int, search func(Search) tea.Cmd) tea.Cmd {
	f.marker, f.hits, f.done, f.want = m, nil, m.none(), 0
	f.seq++
	if m.none() || search == nil {
		return nil
	}
	return search(Search{Seq: f.seq, All: m.all, From: from})
}

// take takes an answer, and reports whether it is one to this search.
func (f *finder) take(m Hits) bool {
	if m.Seq != f.seq {
		return false
	}
	f.hits = append(f.hits, m.Rows...)
	slices.Sort(f.hits)
	f.hits = slices.Compact(f.hits)
	f.done = f.done || m.Done
	return true
}

// next returns the row of the next hit from one on, -1 for none.
func (f *finder) next(row, by int) int {
	at, found := slices.BinarySearch(f.hits, row)
	if by > 0 && found {
		at++
	}
	if by < 0 {
		at--
	}
	if at < 0 || at >= len(f.hits) {
		return -1
	}
	return f.hits[at]
}
