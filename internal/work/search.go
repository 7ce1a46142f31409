package work

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
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
