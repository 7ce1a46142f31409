package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// searchOptions are the flags of search.
type searchOptions struct {
	cwd        string
	here       bool
	empty      bool
	limit      int
	each       int
	around     int
	open, path bool
}

// How much search prints when nobody says.
const (
	searchLimit = 50
	searchEach  = 3
)

const searchHelp = `Finds what was said in any session, on every branch, abandoned ones and what a compaction put away included, and prints the best first: by how well and how often the words fit, by the title, and by how recent the session is.

All parts of QUERY must be in one entry:
  word           the word, upper and lower case alike
  word*          a word that begins so
  "some words"   the phrase
  re:a.*b        a regular expression (RE2); re:"a b" with blanks in it
  -word          without it; for all other parts too
  agent:pi  project:NAME  model:NAME  in:title  label:WORD
  role:user      user, assistant, tool, bash, system, summary ...
  tool:bash      calls and results of a tool
  file:main.go   calls and results of tools that name the file
  after:3d  before:2026-11-21   3h, 3d, 2w, 6m, 1y, today, yesterday, a date
  cost:5  cost:<5   sessions that cost 5 dollars or more, or less
  has:name       sessions that have a name; also branches, parent, pin, damage
A filter given twice is met by either. Quote the query against the shell: cambium search 'retry "too many" -http'

The text of sessions that changed since is read meanwhile, and then kept in the index, which can be interrupted.

Exit codes: 0 found, 1 failed, 2 a bad query or command line, 3 nothing found, 7 found in what is kept here of a store that cannot be reached, 130 interrupted; with --open those of resume.`

func newSearch(a *app) *cobra.Command {
	o := searchOptions{limit: searchLimit, each: searchEach}
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Short:   "Find what was said in any session, on any branch",
		Long:    searchHelp,
		GroupID: groupRead,
		Example: "cambium search 'retry backoff role:user after:2w'\ncambium search '\"connection reset\" project:garden' --open",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if o.path && !o.open {
				return problem.Usage("--print needs --open")
			}
			return runSearch(ctx, a, strings.Join(args, " "), o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "only sessions of this working directory")
	f.BoolVar(&o.here, "here", false, "only sessions of the present one")
	f.BoolVar(&o.empty, "empty", false, "sessions without a message too")
	f.VarP((*counted)(&o.limit), "limit", "n", "at most so many hits, 0 for all")
	f.Var((*counted)(&o.each), "each", "at most so many hits of one session, 0 for all")
	f.VarP((*counted)(&o.around), "context", "C", "so many entries before and behind each hit")
	f.BoolVar(&o.open, "open", false, "read the session of the best hit, there; ctrl+r goes on with it. Without a terminal: go on with it")
	f.BoolVar(&o.path, "print", false, "with --open: print the path of the session, which goes on from the hit now; start nothing")
	return cmd
}

// runSearch prints what a query finds.
func runSearch(ctx context.Context, a *app, text string, o searchOptions) error {
	q, err := search.Parse(text, a.Now())
	if err != nil {
		return err
	}
	if o.here && o.cwd == "" {
		o.cwd = a.lib.Dir
	}
	each := o.each
	if o.open {
		each = 1
	}
	n, found := 0, work.NewSearch(a.lib, q, work.SearchOptions{CWD: o.cwd, Empty: o.empty, Each: each})
	hits := func(yield func(search.Hit, error) bool) {
		for hit, err := range found.Hits(ctx) {
			if n++; !yield(hit, err) || n == o.limit {
				return
			}
		}
	}
	if o.open {
		return openHit(ctx, a, text, o, hits)
	}
	if err = print.Hits(ctx, a.Console, hits, print.Surroundings{Each: o.around, Open: func(ctx context.Context, path string) (*session.Session, error) {
		return a.lib.OpenReadAt(ctx, path, nil)
	}}); err != nil {
		noteFound(a, n)
		return err
	}
	noteFound(a, n)
	if err = found.Keep(ctx); n > 0 || err != nil {
		return err
	}
	offers, err := found.Near(ctx)
	if err != nil {
		return err
	}
	return nothingFound(text, offers...)
}

// openHit has the session of the best hit be read, at the entry that was found, from where it
// can be gone on with; without a terminal it goes on with it from there.
func openHit(ctx context.Context, a *app, text string, o searchOptions, hits iter.Seq2[search.Hit, error]) error {
	for best, err := range hits {
		if err != nil {
			return err
		}
		if !o.path && a.TTY && a.Asks() && !a.Dumb() {
			s, err := a.lib.OpenReadAt(ctx, best.Info.Path, nil)
			if err != nil {
				return err
			}
			what := browse.ReadingOf(text)
			what.At = best.EntryID
			return readSession(ctx, a, s, what)
		}
		a.lib.GoesOn = true
		return resume(ctx, a, best.Info.Path, resumeOptions{leaf: best.EntryID, print: o.path, look: o.path})
	}
	return nothingFound(text)
}

// nothingFound says so, and what finds something.
func nothingFound(text string, offers ...string) problem.Problem {
	var hints []problem.Hint
	for _, offer := range offers {
		hints = append(hints, problem.Hint{Run: []string{problem.Program, "search"}, Of: []string{offer}, Does: "finds something"})
	}
	return problem.Problem{Exit: problem.ExitNotFound, Text: fmt.Sprintf("nothing found for %q", text), Todo: problem.Advice(hints...)}
}
