package search

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
)

// passageText is the text of one passage, plain and folded.
type passageText struct {
	text, folded []byte
	passage      *passage
	chunk        *foldedText
	start        int // of text in the chunk's
	foldedStart  int
}

// origin returns the offset in text of an offset in folded.
func (t *passageText) origin(i int) int { return t.chunk.origin(t.foldedStart+i) - t.start }

// textOf returns the text of a passage of c, of which f is the folded form.
func textOf(c *chunk, f *foldedText, p *passage) passageText {
	start, end := f.place(p.start), f.place(p.end)
	return passageText{
		text: c.text[p.start:p.end:p.end], folded: f.text[start:end:end], passage: p, chunk: f, start: p.start, foldedStart: start,
	}
}

// A find is a passage that a query matches.
type find struct {
	passage passage
	snippet string
	ranges  [][2]int
	weight  int // the order among those of a session: the greater first
}

// A searcher looks for a query in chunks of one session after the other. It is
// not safe for concurrent use.
type searcher struct {
	q      *Query
	keep   int // how many to keep of a session, 0 for all
	folded foldedText
	// counters are those of the keywords.
	counters []*counter

	hits  []find
	count int // of all passages that match

	packed []byte // memory for verify
	chunk  chunk
}

func newSearcher(q *Query, keep int, words []keyword) *searcher {
	s := &searcher{q: q, keep: keep}
	for _, k := range words {
		s.counters = append(s.counters, newCounter(k))
	}
	return s
}

// reset forgets what was found.
func (s *searcher) reset() { s.hits, s.count = nil, 0 }

// look searches a chunk. The session's own filters are not its concern.
func (s *searcher) look(c *chunk) {
	s.folded.set(c.text)
	s.find(c)
}

// find searches the chunk that is folded.
func (s *searcher) find(c *chunk) {
	for _, m := range s.q.find {
		if !m.may(s.folded.text) {
			return
		}
	}
	for i := range c.passages {
		p := &c.passages[i]
		if s.q.title != (p.entry == titleEntry) && s.q.title || !s.q.allows(p) {
			continue
		}
		t := textOf(c, &s.folded, p)
		if !s.q.matches(&t) {
			continue
		}
		s.count++
		s.take(p, &t)
	}
}

// matches reports whether the text has what the query looks for and nothing
// that it avoids.
func (q *Query) matches(t *passageText) bool {
	for _, m := range q.find {
		if !m.may(t.folded) || len(m.spans(t, 1)) == 0 {
			return false
		}
	}
	for _, m := range q.avoid {
		if m.may(t.folded) && len(m.spans(t, 1)) > 0 {
			return false
		}
	}
	return true
}

// take keeps a passage if it is among the best of its session.
func (s *searcher) take(p *passage, t *passageText) {
	f := find{passage: *p, weight: weight(p)}
	at, _ := slices.BinarySearchFunc(s.hits, f, compareFinds)
	if s.keep > 0 && at >= s.keep {
		return
	}
	f.passage.tools = slices.Clone(p.tools)
	f.snippet, f.ranges = snippet(t, s.q.find)
	s.hits = slices.Insert(s.hits, at, f)
	if s.keep > 0 && len(s.hits) > s.keep {
		s.hits = s.hits[:s.keep]
	}
}

// compareFinds orders what is found in a session: titles, then what people and
// models said before what tools printed; where the session goes on before what
// was abandoned; the newest first.
func compareFinds(a, b find) int {
	if a.weight != b.weight {
		return b.weight - a.weight
	}
	return b.passage.entry - a.passage.entry
}

func weight(p *passage) int {
	w := 0
	switch {
	case p.entry == titleEntry:
		return 100
	case p.role == entry.RoleUser.String():
		w = 40
	case p.role == entry.RoleAssistant.String(), p.kind == entry.Compaction, p.kind == entry.BranchSummary, p.kind == entry.Label, p.role == titleRole:
		w = 30
	case p.role == entry.RoleBash.String(), p.role == entry.RoleCustom.String():
		w = 20
	case p.role == entry.RoleToolResult.String():
		w = 10
	}
	if p.branch != Other {
		w += 5
	}
	return w
}

// allows reports whether the filters on entries let p pass.
func (q *Query) allows(p *passage) bool {
	return q.pass(func(f *filter) (holds, asked bool) {
		switch f.key {
		case byRole:
			return f.role(p), true
		case byTool:
			return slices.ContainsFunc(p.tools, func(name string) bool { return foldString(name) == f.text }), true
		case byModel:
			return p.model != "" && strings.Contains(foldString(p.model), f.text), true
		case byBefore:
			return p.time != entry.NoTime && p.time < f.time.UnixMilli(), true
		case byAfter:
			return p.time != entry.NoTime && p.time >= f.time.UnixMilli(), true
		}
		return false, false
	})
}

// admits reports whether the filters on sessions let one pass.
func (q *Query) admits(info *catalog.Info) bool {
	return q.pass(func(f *filter) (holds, asked bool) {
		switch f.key {
		case byAgent:
			return string(info.Agent) == f.text, true
		case byProject:
			return f.project(foldString(info.CWD)), true
		case byCost:
			return f.cost.holds(info.Usage.Cost), true
		case byHas:
			return traits[f.text](info), true
		}
		return false, false
	})
}

// pass asks holds of every filter: whether it holds, and whether it is of the
// kind that is asked for. Of the filters on one key one must hold; every limit of
// time and cost must, and nothing that is excluded.
func (q *Query) pass(holds func(f *filter) (holds, asked bool)) bool {
	var wanted, met [len(keyNames)]bool
	for i := range q.filters {
		f := &q.filters[i]
		yes, asked := holds(f)
		switch {
		case !asked:
		case f.not, f.key == byBefore, f.key == byAfter, f.key == byCost:
			if yes == f.not {
				return false
			}
		default:
			wanted[f.key] = true
			met[f.key] = met[f.key] || yes
		}
	}
	return wanted == met
}

func (f *filter) role(p *passage) bool {
	if f.text == summaryRole {
		return p.role == entry.RoleCompactionSummary.String() || p.role == entry.RoleBranchSummary.String()
	}
	return strings.EqualFold(p.role, f.text)
}

// project reports whether a folded working directory is what the filter names.
func (f *filter) project(cwd string) bool {
	if strings.HasPrefix(f.text, "/") {
		dir := strings.TrimRight(f.text, "/")
		return cwd == dir || strings.HasPrefix(cwd, dir+"/")
	}
	return strings.Contains(cwd, f.text)
}
