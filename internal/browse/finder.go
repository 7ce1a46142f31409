package browse

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/search"
)

// A finder searches the texts of sessions for a picker, one search at a time.
type finder struct {
	ctx  context.Context
	opt  catalog.Options
	now  func() time.Time
	stop context.CancelFunc // ends the search that runs
	// kept says that the index was brought up to date since it was first asked.
	kept chan struct{}
}

func newFinder(ctx context.Context, opt catalog.Options, now func() time.Time) *finder {
	opt.Progress = nil
	return &finder{ctx: ctx, opt: opt, now: now, stop: func() {}, kept: make(chan struct{}, 1)}
}

// search ends the search before it and returns the command that begins this one.
func (f *finder) search(s picker.Search) tea.Cmd {
	f.stop()
	ctx, stop := context.WithCancel(f.ctx)
	f.stop = stop
	answers := make(chan picker.Matches)
	var next tea.Cmd
	next = func() tea.Msg {
		m, ok := <-answers
		if !ok {
			return nil
		}
		m.Next = next
		return m
	}
	return func() tea.Msg {
		go func() {
			defer close(answers)
			for n, term := range s.Terms {
				if !f.term(ctx, s.Seq, n, term, answers) {
					return
				}
			}
			f.keep(ctx)
		}()
		return next()
	}
}

// term answers one term, and reports whether the search goes on.
func (f *finder) term(ctx context.Context, seq, n int, term picker.Term, answers chan<- picker.Matches) bool {
	m := picker.Matches{Seq: seq, Term: n}
	last := time.Now()
	send := func() bool {
		select {
		case answers <- m:
			m.Found, last = nil, time.Now()
			return true
		case <-ctx.Done():
			return false
		}
	}
	q, err := search.Parse(textQuery(term), f.now())
	if err == nil {
		for hit, failed := range search.Run(ctx, q, search.Options{Options: f.opt, PerSession: 1}) {
			if failed != nil {
				err = failed
				break
			}
			m.Found = append(m.Found, picker.TextMatch{Path: hit.Info.Path, Snippet: hit.Snippet, Ranges: hit.Ranges, Role: hit.Role, Entry: hit.EntryID})
			if time.Since(last) > batchTime && !send() {
				return false
			}
		}
	}
	m.Done, m.Err = true, err
	return send()
}

// keep brings the texts of the index up to date, once, after a search that was
// not ended: the next one is faster.
func (f *finder) keep(ctx context.Context) {
	select {
	case f.kept <- struct{}{}:
	default:
		return
	}
	if search.Update(ctx, f.opt) != nil {
		<-f.kept // another search may succeed
	}
}

// asks reports whether what was typed is a query as `cambium search` takes it. Only words,
// phrases and "re:" before all are found in names and within words, as published (P3).
func (f *finder) asks(text string) (bool, error) {
	filters, err := work.Asks(text, f.now())
	var bad *search.SyntaxError
	if errors.As(err, &bad) {
		err = errors.New(bad.Reason)
	}
	return filters, err
}

// maxTerm is how much of a term is searched for, in bytes: a query may not be
// longer.
const maxTerm = 200

// textQuery is the query for a term: it is found within words, too, as
// published (P3), which a query for words does not.
func textQuery(term picker.Term) string {
	if term.Query {
		return term.Text
	}
	pattern := term.Text
	if !term.Pattern {
		if len(pattern) > maxTerm {
			pattern = strings.ToValidUTF8(pattern[:maxTerm], "")
		}
		pattern = strings.Join(strings.Fields(pattern), " ")
		pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), " ", `\s+`)
	}
	return `re:"` + strings.ReplaceAll(pattern, `"`, `\x22`) + `"`
}
