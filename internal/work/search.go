package work

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/near"
	"github.com/cambium-dev/cambium/internal/texts"
	"github.com/cambium-dev/cambium/search"
)

// SearchOptions say where is searched.
type SearchOptions struct {
	// CWD is the working directory of the sessions, "" for any.
	CWD string
	// Empty looks into those without a message too.
	Empty bool
	// Each is how many hits of one session are told, 0 for all.
	Each int
}

// A Search finds what was said.
type Search struct {
	l     *Library
	query search.Query
	opt   catalog.Options
	each  int
	read  map[string]bool // the sessions whose files were read
}

var (
	quoted = regexp.MustCompile(`"[^"]*"`)
	named  = regexp.MustCompile(`^-?([A-Za-z]{2,}):`)
)

// Asks reports whether a query says more than which words are to be found: it has filters,
// or what is not to be found. The error, a [*search.SyntaxError], says that it is one and
// cannot be read.
func Asks(text string, now time.Time) (bool, error) {
	fields := strings.Fields(quoted.ReplaceAllString(text, `""`))
	if !slices.ContainsFunc(fields, func(field string) bool {
		name := named.FindStringSubmatch(field)
		if name == nil {
			return len(fields) > 1 && len(field) > 1 && field[0] == '-' && field[1] != '-'
		}
		_, known := search.Parse(name[1]+":", now) // a filter without a value is an error, a word is none
		_, bad := search.Parse(field, now)
		return known != nil || bad != nil
	}) {
		return false, nil
	}
	_, err := search.Parse(text, now)
	return true, err
}

// NewSearch returns a search. Nothing is read yet.
func NewSearch(l *Library, q search.Query, o SearchOptions) *Search {
	s := &Search{l: l, query: q, opt: l.Catalog(), each: o.Each, read: map[string]bool{}}
	s.opt.CWD, s.opt.Empty = l.Absolute(o.CWD), o.Empty
	return s
}

// Hits yields what is found, the best session first. An error is the last.
func (s *Search) Hits(ctx context.Context) iter.Seq2[search.Hit, error] {
	return func(yield func(search.Hit, error) bool) {
		opt := s.opt
		step, end := s.l.front.progress("read sessions")
		defer end()
		opt.Progress = step
		found := search.Options{Options: opt, PerSession: s.each, Read: func(path string) { s.read[path] = true }}
		for hit, err := range search.Run(ctx, s.query, found) {
			if err != nil {
				yield(hit, &Error{Listing, s.l.SessionDir, err})
				return
			}
			end()
			if !yield(hit, nil) {
				return
			}
		}
	}
}

// How much is offered where nothing is found, and how much is looked at for it.
const (
	mostOffers = 3
	mostWords  = 4
	mostNear   = 4
	mostTries  = 12
)

// Near returns queries that find something, where this one does not: with other words, as
// the index knows them, that are near to those of it. Without an index that has all texts
// there may be more.
func (s *Search) Near(ctx context.Context) (offers []string, err error) {
	index, ok := s.opt.Index.(texts.Index)
	if !ok || s.l.IndexTroubled() {
		return nil, nil
	}
	view, err := index.Texts(ctx)
	if err != nil {
		return nil, nil // a search says what is wrong with it
	}
	defer view.Close() // nothing was written
	words, ok := view.(texts.Vocabulary)
	if !ok {
		return nil, nil
	}
	defer s.l.front.wait("look for what is near")()
	fields := strings.Fields(s.query.String())
	var plain []string
	var places []int
	for i, field := range fields { // what else has other characters: phrases, filters, expressions
		if len(plain) < mostWords && !strings.ContainsFunc(field, notInWord) {
			plain, places = append(plain, field), append(places, i)
		}
	}
	found, err := near.Words(plain, words.Words(ctx), mostNear)
	if err != nil {
		return nil, ctx.Err()
	}
	tries := mostTries
	for n, i := range places {
		for _, m := range found[n] {
			if tries--; tries < 0 || len(offers) == mostOffers {
				return offers, nil
			}
			if strings.ContainsFunc(m.Word, notInWord) {
				continue
			}
			other := strings.Join(slices.Concat(fields[:i], []string{m.Word}, fields[i+1:]), " ")
			switch some, err := s.finds(ctx, other); {
			case err != nil:
				return nil, err
			case some:
				offers = append(offers, other)
			}
		}
	}
	return offers, nil
}

// notInWord reports whether a rune is no letter, number or mark.
func notInWord(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }

// finds reports whether another query finds anything where this one looks.
func (s *Search) finds(ctx context.Context, text string) (bool, error) {
	q, err := search.Parse(text, s.l.Now())
	if err != nil {
		return false, nil // it is no better
	}
	for _, err := range search.Run(ctx, q, search.Options{Options: s.opt, PerSession: 1}) {
		return err == nil, err
	}
	return false, nil
}

// Keep brings the text index up to date, after the answer for which sessions were read:
// that of a store of which it has one, else that of this machine.
func (s *Search) Keep(ctx context.Context) error {
	if s.opt.Index == nil || s.l.IndexTroubled() {
		return nil
	}
	step, end := s.l.front.progress("index texts, KB")
	defer end()
	opt := s.opt
	opt.Progress = step
	err := search.KeepWords(ctx, opt, s.read)
	if err != nil && ctx.Err() == nil {
		s.l.IndexTrouble(err)
		return nil
	}
	return err
}
