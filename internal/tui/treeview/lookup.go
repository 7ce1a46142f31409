package treeview

import tea "charm.land/bubbletea/v2"

// A lookup is the search through what entries say.
type lookup struct {
	field field
	words []string
	seq   int
	hits  []bool // by entry; nil when nothing is searched for
	count int
	done  bool
	again bool // it is to be asked for
}

// found begins anew for n entries.
func (l *lookup) found(n int) {
	l.hits, l.count = nil, 0
	if len(l.words) > 0 {
		l.hits = make([]bool, n)
	}
}

// renew asks again, because there are n entries now. What was found stays.
func (l *lookup) renew(n int) {
	if len(l.words) == 0 {
		return
	}
	l.hits = append(l.hits, make([]bool, max(n-len(l.hits), 0))...)[:n]
	l.seq++
	l.done, l.again = false, true
}

// change begins a search for what the field holds and reports whether it is
// another one.
func (l *lookup) change(n int) bool {
	now := words(l.field.String())
	same := len(now) == len(l.words)
	for i := 0; same && i < len(now); i++ {
		same = now[i] == l.words[i]
	}
	if same {
		return false
	}
	l.words = now
	l.seq++
	l.done = len(now) == 0
	l.found(n)
	l.again = len(now) > 0
	return true
}

// take takes an answer and reports whether it is one to this search.
func (l *lookup) take(m Matches) bool {
	if m.Seq != l.seq || l.hits == nil {
		return false
	}
	for _, at := range m.Found {
		if at >= 0 && at < len(l.hits) && !l.hits[at] {
			l.hits[at] = true
			l.count++
		}
	}
	l.done = m.Done
	return true
}

// ask returns the command that searches, if one is due.
func (l *lookup) ask(search func(Search) tea.Cmd) tea.Cmd {
	if !l.again || search == nil {
		return nil
	}
	l.again = false
	return search(Search{Seq: l.seq, Words: l.words})
}
