package picker

import (
	"regexp"
	"strings"
	"sync"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// A Term is one part of what was typed.
type Term struct {
	// Text is what to find: literally, upper and lower case alike, a run of
	// blanks for any other; with Pattern a regular expression; with Query all
	// that was typed, filters included.
	Text           string
	Pattern, Query bool
}

// A term is a Term made ready.
type term struct {
	Term
	lower string
	runes []rune         // lower, for what is alike; nil for phrases
	re    *regexp.Regexp // of a pattern and of a phrase
}

// A query is what was typed.
type query struct {
	text  string
	terms []term
	// problem says why it finds nothing.
	problem string
}

// maxTerms is how many parts of a query are heeded: as many as row.missing has
// bits.
const maxTerms = 64

// parse reads what was typed: words, "phrases", or re: and a regular expression
// (pi 0.87); what asks, if it is not nil, takes for more than that is one term. With
// a quote that is not closed the quotes are like any character.
func parse(text string, asks func(string) (bool, error)) query {
	q := query{text: text}
	if pattern, ok := strings.CutPrefix(strings.TrimSpace(text), "re:"); ok {
		pattern = strings.TrimSpace(pattern)
		if pattern == "" {
			q.problem = "re: wants a regular expression"
			return q
		}
		re, err := regexp.Compile("(?i)" + pattern)
		if err != nil {
			q.problem = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return q
		}
		q.terms = []term{{Term: Term{Text: pattern, Pattern: true}, re: re}}
		return q
	}
	if asks != nil {
		switch filters, err := asks(text); {
		case err != nil:
			q.problem = err.Error()
			return q
		case filters:
			q.terms = []term{{Term: Term{Text: text, Query: true}}}
			return q
		}
	}
	if strings.Count(text, `"`)%2 != 0 {
		q.add(strings.Fields(text), true)
		return q
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			q.add(strings.Fields(part), true)
		} else if words := strings.Fields(part); len(words) > 0 {
			q.add([]string{strings.Join(words, " ")}, false)
		}
	}
	return q
}

// add adds words, or phrases.
func (q *query) add(words []string, loose bool) {
	for _, w := range words {
		if len(q.terms) == maxTerms {
			return
		}
		t := term{Term: Term{Text: w}, lower: strings.ToLower(w)}
		if loose {
			t.runes = []rune(t.lower)
		}
		if strings.Contains(w, " ") {
			t.re = regexp.MustCompile("(?i)" + strings.ReplaceAll(regexp.QuoteMeta(w), " ", `\s+`))
		}
		q.terms = append(q.terms, t)
	}
}

// key names the texts in which a term is found.
func (t *Term) key() string {
	switch {
	case t.Query:
		return "query:" + t.Text
	case t.Pattern:
		return "re:" + t.Text
	}
	return strings.ToLower(t.Text)
}

// How much it counts where a term is found. What is alike counts up to looseMost.
const (
	inWholeName = 1000
	inNameStart = 560
	inNameWord  = 540
	inName      = 500
	inID        = 480
	inProject   = 400
	inFields    = 250
	inText      = 200
	looseMost   = 100
)

// looseLeast is the quality, for each letter, below which letters that stand in
// order somewhere are no likeness. A letter counts 16, a gap 3 and 1 for each
// further one, the beginning of a word adds 8 to 20.
const looseLeast = 16

// ready prepares the tables of the matcher, once in a process: they are written
// by it, and the same for all.
var ready = sync.OnceFunc(func() { algo.Init("default") })

// A matcher matches rows. It keeps memory for the next.
type matcher struct {
	slab *util.Slab
}

func newMatcher() *matcher {
	ready()
	return &matcher{slab: util.MakeSlab(16<<10, 2<<10)}
}

// row looks for the terms in what is held of a row: how much it counts, which
// terms are missing, and where in the name they stand.
func (m *matcher) row(q *query, r *row) {
	r.score, r.missing, r.spots = 0, 0, nil
	r.ready()
	for i := range q.terms {
		score := m.literal(&q.terms[i], r)
		if score == 0 {
			score = m.loose(&q.terms[i], r)
		}
		if score == 0 {
			r.missing |= 1 << i
		}
		r.score += score
	}
	if len(q.terms) > 0 && r.lowerName == strings.ToLower(strings.TrimSpace(q.text)) {
		r.score += inWholeName
	}
}

// literal looks for a term as it is written.
func (m *matcher) literal(t *term, r *row) float64 {
	if t.Query {
		return 0 // only a search through texts answers it
	}
	if t.re != nil {
		at := t.re.FindStringIndex(r.name)
		switch {
		case at != nil:
			r.spot(at[0], at[1])
			return inName
		case t.re.MatchString(r.fields):
			return inFields
		}
		return 0
	}
	if at := strings.Index(r.lowerName, t.lower); at >= 0 {
		if len(r.lowerName) == len(r.name) { // else case changed its length
			r.spot(at, at+len(t.lower))
		}
		switch {
		case at == 0:
			return inNameStart
		case strings.ContainsRune(" -_./:", rune(r.lowerName[at-1])):
			return inNameWord
		}
		return inName
	}
	switch {
	case !strings.Contains(r.lowerFields, t.lower):
		return 0
	case strings.HasPrefix(r.lowerFields, t.lower): // the id is the first
		return inID
	case strings.Contains(r.lowerProject, t.lower):
		return inProject
	}
	return inFields
}

// loose looks for what is like a term in the name and the project.
func (m *matcher) loose(t *term, r *row) float64 {
	if len(t.runes) < 2 {
		return 0
	}
	best := m.alike(t, r.lowerName, func(places []int) { r.spotRunes(places) })
	if best == 0 {
		best = m.alike(t, r.lowerProject, nil)
	}
	return best
}

func (m *matcher) alike(t *term, text string, told func([]int)) float64 {
	chars := util.ToChars([]byte(text))
	result, places := algo.FuzzyMatchV2(true, false, true, &chars, t.runes, told != nil, m.slab)
	n := len(t.runes)
	if result.Start < 0 || result.Score < looseLeast*n {
		return 0
	}
	if told != nil && places != nil {
		told(*places)
	}
	return min(looseMost, float64(result.Score)/float64(n)*4)
}
