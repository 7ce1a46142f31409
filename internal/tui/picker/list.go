package picker

import (
	"slices"

	"github.com/cambium-dev/cambium/dialect"
)

// A list holds the sessions and says which of them are shown in which order.
type list struct {
	rows   []*row
	byPath map[string]*row
	shown  []*row

	// What is shown.
	all   bool
	named bool
	agent dialect.Name // "" for every agent
	order order

	match *matcher
	asks  func(text string) (bool, error)
	query query
	seq   int                 // of the query
	texts map[string]*textSet // what was found in texts, by the term's key
	asked int                 // of the search through texts
	terms []Term              // that are looked for in it

	inScope int // how many are of the scope, before the search
}

// A textSet are the sessions in whose texts a term was found.
type textSet struct {
	found map[string]*TextMatch
	// done says that it is complete, stale that sessions changed since.
	done, stale bool
	err         error
}

// put adds sessions and replaces those that are there.
func (l *list) put(items []Item, texts bool) {
	for _, item := range items {
		r := newRow(item, texts)
		if old := l.byPath[item.Info.Path]; old != nil {
			*old = *r
			continue
		}
		l.byPath[item.Info.Path] = r
		l.rows = append(l.rows, r)
	}
	for _, set := range l.texts {
		set.stale = true
	}
}

// take takes sessions out.
func (l *list) take(paths []string) {
	for _, p := range paths {
		delete(l.byPath, p)
	}
	l.rows = slices.DeleteFunc(l.rows, func(r *row) bool { return l.byPath[r.Info.Path] != r })
}

// ask makes text the query.
func (l *list) ask(text string) {
	l.query = parse(text, l.asks)
	l.seq++
}

// refresh settles what is shown.
func (l *list) refresh() {
	l.shown, l.inScope = l.shown[:0], 0
	for _, r := range l.rows {
		if !l.all && !r.Here || l.agent != "" && r.Info.Agent != l.agent || l.named && !r.Info.Named {
			continue
		}
		l.inScope++
		if l.query.problem == "" && l.matches(r) {
			l.shown = append(l.shown, r)
		}
	}
	l.sort()
}

// matches reports whether all that is searched for is found of a row: in what is
// held of it, or in its texts.
func (l *list) matches(r *row) bool {
	if len(l.query.terms) == 0 {
		r.score, r.missing, r.spots, r.seq = 0, 0, nil, l.seq
		return true
	}
	if r.seq != l.seq {
		l.match.row(&l.query, r)
		r.seq = l.seq
	}
	if r.missing == 0 {
		return true
	}
	for i := range l.query.terms {
		if r.missing&(1<<i) == 0 {
			continue
		}
		if set := l.texts[l.query.terms[i].key()]; set == nil || set.found[r.Info.Path] == nil {
			return false
		}
	}
	return true
}

// relevance is how well a row that matches does so.
func (l *list) relevance(r *row) float64 {
	score := r.score
	for i := range l.query.terms {
		if r.missing&(1<<i) != 0 {
			score += inText
		}
	}
	return score
}

// inTexts returns where in the texts of a session something that is searched for
// is found, nil for nowhere: first of what is found nowhere else.
func (l *list) inTexts(r *row) *TextMatch {
	var any *TextMatch
	for i := range l.query.terms {
		set := l.texts[l.query.terms[i].key()]
		if set == nil {
			continue
		}
		found := set.found[r.Info.Path]
		if found != nil && r.missing&(1<<i) != 0 {
			return found
		}
		if any == nil && found != nil && found.Role != "title" { // the name is on the screen
			any = found
		}
	}
	return any
}

// reads is the wish to read a session.
func (l *list) reads(r *row) Read {
	w := Read{Path: r.Info.Path}
	if l.query.problem != "" {
		return w
	}
	for i := range l.query.terms {
		w.Terms = append(w.Terms, l.query.terms[i].Term)
	}
	if found := l.inTexts(r); found != nil {
		w.Entry = found.Entry
	}
	return w
}

// wanted are the terms whose texts are to be searched, with nothing searched
// twice.
func (l *list) wanted() (all []Term) {
	if l.query.problem != "" {
		return nil
	}
	for i := range l.query.terms {
		t := l.query.terms[i].Term
		set := l.texts[t.key()]
		if (set == nil || set.stale || !set.done) && !slices.ContainsFunc(all, func(o Term) bool { return o.key() == t.key() }) {
			all = append(all, t)
		}
	}
	return all
}

// begin begins to look for terms in texts. What was not found out about others is
// forgotten: nobody answers any more.
func (l *list) begin(terms []Term) {
	for key, set := range l.texts {
		if !set.done {
			delete(l.texts, key)
		}
	}
	l.asked++
	l.terms = terms
	for _, t := range terms {
		set := &textSet{found: map[string]*TextMatch{}}
		if old := l.texts[t.key()]; old != nil {
			set.found = old.found // until it is known better
		}
		l.texts[t.key()] = set
	}
}

// answered takes an answer, and reports whether it was waited for.
func (l *list) answered(m Matches) bool {
	if m.Seq != l.asked || m.Term >= len(l.terms) {
		return false
	}
	set := l.texts[l.terms[m.Term].key()]
	for i := range m.Found {
		f := &m.Found[i]
		set.found[f.Path] = f
	}
	set.done, set.err = set.done || m.Done, m.Err
	return true
}

// searching reports whether texts are still being searched for the query.
func (l *list) searching() bool {
	return slices.ContainsFunc(l.query.terms, func(t term) bool {
		set := l.texts[t.key()]
		return set != nil && !set.done
	})
}
