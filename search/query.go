package search

import (
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/when"
)

// A Query says what to search for. It is made by [Parse], is never changed
// and is safe for concurrent use.
type Query struct {
	text string
	now  time.Time
	// find must all be in an entry, avoid must not.
	find, avoid []matcher
	// literals are those of find that have words.
	literals []*literal
	// filters must all hold; of several on one key one is enough.
	filters []filter
	title   bool // look into titles only
}

// String returns the query as it was given.
func (q Query) String() string { return q.text }

// A SyntaxError says what is wrong with a query, and where.
type SyntaxError struct {
	// Query is the query as given.
	Query string
	// At is where in it, in bytes.
	At int
	// Reason says what is wrong.
	Reason string
}

// Error says what and where. Of a long query it tells the beginning.
func (e *SyntaxError) Error() string {
	const most = 200 // bytes
	query := e.Query
	if len(query) > most {
		query = strings.ToValidUTF8(query[:most], "") + "…"
	}
	return fmt.Sprintf("read query %q: at character %d: %s", query, utf8.RuneCountInString(e.Query[:e.At])+1, e.Reason)
}

// A matcher finds a literal or a pattern in the text of an entry.
type matcher interface {
	// spans returns where in the text of t it stands, in ascending order and at
	// most so many.
	spans(t *passageText, most int) [][2]int
	// may reports whether it may be in a folded text at all.
	may(folded []byte) bool
	// marks returns marks that whatever has it has.
	marks() []uint32
}

// A key is the name of a filter.
type key uint8

const (
	byAgent key = iota
	byProject
	byRole
	byTool
	byModel
	byBefore
	byAfter
	byFile
	byLabel
	byCost
	byHas
	inPlace
)

var keyNames = [...]string{"agent", "project", "role", "tool", "model", "before", "after", "file", "label", "cost", "has", "in"}

// A filter is what an entry or its session must be.
type filter struct {
	key  key
	not  bool
	text string    // folded
	time time.Time // of before and after
	cost limit     // of cost
}

// Parse reads a query: words that must all be in one entry, in any order.
//
//	word            the word, upper and lower case alike
//	word*           a word that begins so
//	"some words"    the phrase, blanks of any length between its words
//	re:a.*b         a regular expression (RE2, case does not count, ^ and $ are
//	                the ends of lines); re:"a b" with blanks
//	-word           without it; for phrases, expressions and filters too
//	agent:pi        sessions of an agent
//	project:name    sessions whose working directory has name in it; of a path,
//	                those of that directory and below it
//	role:user       user, assistant, tool, bash, system, summary … as stored
//	tool:bash       calls and results of a tool
//	file:main.go    calls and results of tools that name the file
//	label:todo      labels that have the word in them
//	model:opus      answers of a model that has opus in its name
//	cost:5          sessions that cost 5 dollars or more; cost:<5 less
//	has:name        sessions that have a name; branches, parent, pin, damage
//	after:3d        since then: 2026-11-21, 2026-11-21T15:04, 3h 3d 2w 6m 1y
//	before:2w       (before now), today, yesterday
//	in:title        only titles of sessions
//
// A filter that is given twice is met by either value; limits of time and cost
// must all hold. A name in small letters with a value behind its colon that is no
// filter is an error; anything else with a colon is a word, and so is what begins
// with two dashes, as flags do. now is what relative dates and ages are reckoned
// from; days begin in its time zone. A query has at most 100 words and filters, in 4096
// bytes. The error is a [*SyntaxError].
func Parse(text string, now time.Time) (Query, error) {
	p := parser{Query: Query{text: text, now: now}}
	if err := p.parse(); err != nil {
		return Query{}, err
	}
	return p.Query, nil
}

type parser struct {
	Query
	at int
	// bound are what file: and label: ask for, by key: one of each must be found.
	bound [len(keyNames)][]*bound
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Query: p.text, At: at, Reason: fmt.Sprintf(format, args...)}
}

// The bounds of a query: it takes time in proportion to its words and to what is searched.
const (
	mostBytes = 4096
	mostTerms = 100
)

func (p *parser) parse() error {
	if len(p.text) > mostBytes {
		return p.fail(mostBytes, "a query has at most %d bytes", mostBytes)
	}
	terms := 0
	for p.blank(); p.at < len(p.text); p.blank() {
		if terms++; terms > mostTerms {
			return p.fail(p.at, "a query has at most %d words and filters", mostTerms)
		}
		if err := p.term(); err != nil {
			return err
		}
	}
	for _, all := range p.bound {
		if len(all) > 0 {
			p.find = append(p.find, either(all))
		}
		if len(all) == 1 && len(all[0].words) > 0 {
			p.literals = append(p.literals, all[0].literal)
		}
	}
	if p.title && len(p.find) == 0 {
		return p.fail(len(p.text), "in:title needs a word to look for")
	}
	if len(p.find) == 0 && len(p.filters) == 0 {
		if len(p.avoid) > 0 {
			return p.fail(0, "it only says what not to find")
		}
		return p.fail(len(p.text), "there is nothing to search for")
	}
	return nil
}

func (p *parser) blank() {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += size
	}
}

// term reads one term and the blanks or the end behind it.
func (p *parser) term() error {
	not := false
	if p.text[p.at] == '-' && !strings.HasPrefix(p.text[p.at:], "--") {
		if not = true; strings.TrimSpace(p.text[p.at+1:]) == "" || unicode.IsSpace(rune(p.text[p.at+1])) {
			return p.fail(p.at, "there is nothing after the minus; quote it to find a minus")
		}
		p.at++
	}
	name, _, ok := strings.Cut(p.text[p.at:], ":")
	if k := slices.Index(keyNames[:], strings.ToLower(name)); ok && k >= 0 {
		p.at += len(name) + 1
		return p.filter(key(k), not)
	}
	if ok && strings.EqualFold(name, "re") {
		p.at += len(name) + 1
		return p.pattern(not)
	}
	if ok && strange(name, p.text[p.at+len(name)+1:]) {
		return p.fail(p.at, "no filter is called %s%s; put quotes around it to find it as it is", name, meant(name))
	}
	return p.words(not)
}

// strange reports whether a word with a colon is meant as a filter, and is none.
func strange(name, value string) bool {
	if len(name) < 2 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(value)
	return r == '"' || unicode.IsLetter(r) || r != utf8.RuneError && !unicode.IsSpace(r) && r != ':' && r != '/' && meant(name) != ""
}

// meant asks whether filters with names like that are meant; "" if there are none.
func meant(name string) string {
	var like []string
	for _, k := range append(keyNames[:], "re") {
		if len(name) > 2 && strings.HasPrefix(k, name) || oneApart(name, k) {
			like = append(like, k+":")
		}
	}
	if len(like) == 0 {
		return ""
	}
	return " (is " + strings.Join(like, " or ") + " meant?)"
}

// oneApart reports whether a becomes b when a letter is put in, taken out, changed,
// or swapped with the next.
func oneApart(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// value reads a word or a quoted text and says whether it was quoted and where
// it began.
func (p *parser) value() (text string, quoted bool, at int, err error) {
	start := p.at
	if start < len(p.text) && p.text[start] == '"' {
		end := strings.IndexByte(p.text[start+1:], '"')
		if end < 0 {
			return "", false, start, p.fail(start, "this quote is never closed")
		}
		p.at = start + end + 2
		return p.text[start+1 : p.at-1], true, start + 1, nil
	}
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if unicode.IsSpace(r) {
			break
		}
		p.at += size
	}
	return p.text[start:p.at], false, start, nil
}

// words reads a word or a phrase.
func (p *parser) words(not bool) error {
	text, quoted, at, err := p.value()
	if err != nil {
		return err
	}
	prefix := false
	switch {
	case quoted && strings.HasPrefix(p.text[p.at:], "*"):
		prefix = true
		p.at++
	case !quoted && len(text) > 1 && strings.HasSuffix(text, "*"):
		prefix, text = true, strings.TrimRight(text, "*")
		if text == "" {
			return p.fail(at, "a star needs the beginning of a word before it")
		}
	}
	l := newLiteral(text, prefix)
	if l == nil {
		return p.fail(at, "there is nothing between the quotes")
	}
	p.add(l, not)
	if !not && len(l.words) > 0 {
		p.literals = append(p.literals, l)
	}
	return nil
}

func (p *parser) add(m matcher, not bool) {
	if not {
		p.avoid = append(p.avoid, m)
	} else {
		p.find = append(p.find, m)
	}
}

// maxPattern is the longest regular expression that is accepted, in bytes.
const maxPattern = 1000

func (p *parser) pattern(not bool) error {
	text, _, at, err := p.value()
	switch {
	case err != nil:
		return err
	case text == "":
		return p.fail(at, "re: needs an expression")
	case len(text) > maxPattern:
		return p.fail(at+maxPattern, "the expression is longer than %d bytes", maxPattern)
	}
	m, err := newPattern(text)
	if err != nil {
		if e, ok := err.(*syntax.Error); ok {
			if i := strings.LastIndex(text, e.Expr); i > 0 {
				at += i
			}
			return p.fail(at, "%s: %s", e.Code, e.Expr)
		}
		return p.fail(at, "%v", err)
	}
	p.add(m, not)
	return nil
}

// filter reads the value of a filter.
func (p *parser) filter(k key, not bool) error {
	text, _, at, err := p.value()
	if err != nil {
		return err
	}
	if text == "" {
		return p.fail(at, "%s: needs a value", keyNames[k])
	}
	f := filter{key: k, not: not, text: foldString(text)}
	switch k {
	case byAgent:
		if _, ok := spelling.Agent(f.text); !ok {
			return p.fail(at, "no such agent: the agents are %s", strings.Join(spelling.Agents(), ", "))
		}
	case byRole:
		if f.text = roleName(f.text); f.text == "" {
			return p.fail(at, "no such role: the roles are %s", strings.Join(roleNames(), ", "))
		}
	case byBefore, byAfter:
		t, ok := when.Parse(text, p.now)
		if !ok {
			return p.fail(at, "no such time: say 2026-11-21, 2026-11-21T15:04, 3h, 3d, 2w, 6m, 1y, today or yesterday")
		}
		f.time = t
	case byFile, byLabel:
		return p.bind(k, not, text, at)
	case byCost:
		if f.cost, err = readLimit(text); err != nil {
			return p.fail(at, "%v", err)
		}
	case byHas:
		if traits[f.text] == nil {
			return p.fail(at, "no such thing: a session has %s", strings.Join(slices.Sorted(maps.Keys(traits)), ", "))
		}
	case inPlace:
		if f.text != titleRole || not {
			return p.fail(at, "the only place to look in is in:title")
		}
		p.title = true
		return nil
	}
	p.filters = append(p.filters, f)
	return nil
}

// bind adds words that only what a filter lets pass may have.
func (p *parser) bind(k key, not bool, text string, at int) error {
	prefix := len(text) > 1 && strings.HasSuffix(text, "*")
	l := newLiteral(strings.TrimRight(text, "*"), prefix)
	if l == nil {
		return p.fail(at, "%s: needs a value", keyNames[k])
	}
	b := &bound{literal: l, to: k}
	if not {
		p.avoid = append(p.avoid, b)
		return nil
	}
	p.bound[k] = append(p.bound[k], b)
	return nil
}

func foldString(s string) string {
	var f foldedText
	f.set([]byte(s))
	return string(f.text)
}

// shortRoles are the roles that a person need not spell as files do.
var shortRoles = map[string]string{
	"tool": "toolresult", "bash": "bashexecution", "python": "pythonexecution", "hook": "hookmessage", "file": "filemention",
	"compaction": "compactionsummary", "branch": "branchsummary",
}

// summaryRole stands for both kinds of summaries.
const summaryRole = "summary"

// roleNames are the roles that a filter may ask for.
func roleNames() []string {
	all := []string{"user", "assistant", "tool", "bash", "python", "system", "developer", "custom", "hook", "file", summaryRole, "compaction", "branch", "label", titleRole}
	return all
}

// roleName returns a role as a filter keeps it: folded, as files spell it; ""
// for none.
func roleName(text string) string {
	if long, ok := shortRoles[text]; ok {
		return long
	}
	if slices.Contains(roleNames(), text) || text == "other" {
		return text
	}
	for r := entry.RoleUser; r.String() != ""; r++ {
		if strings.EqualFold(r.String(), text) {
			return text
		}
	}
	return ""
}
