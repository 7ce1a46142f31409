package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/search"
	"github.com/spf13/cobra"
)

// searchOptions are the flags of search.
type searchOptions struct {
	cwd        string
	here       bool
	empty      bool
	limit      int
	each       int
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
  agent:pi  project:NAME  model:NAME  in:title
  role:user      user, assistant, tool, bash, system, summary ...
  tool:bash      calls and results of a tool
  after:3d  before:2026-11-21   3h, 3d, 2w, 6m, 1y, today, yesterday, a date
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
				return usage("--print needs --open")
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
	f.BoolVar(&o.open, "open", false, "go on with the session of the best hit, from there")
	f.BoolVar(&o.path, "print", false, "with --open: print the path of the session, which goes on from the hit now; start nothing")
	return cmd
}

// runSearch prints what a query finds.
func runSearch(ctx context.Context, a *app, text string, o searchOptions) error {
	q, err := search.Parse(text, a.Now())
	if err != nil {
		return queryTrouble(err)
	}
	if o.here && o.cwd == "" {
		o.cwd = a.lib.Dir
	}
	opt := a.lib.Catalog()
	opt.CWD, opt.Empty = a.lib.Absolute(o.cwd), o.empty
	bar := a.progress("read sessions")
	opt.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	s := search.Options{Options: opt, PerSession: o.each}
	if o.open {
		s.PerSession = 1
	}
	n, read := 0, map[string]bool{}
	s.Read = func(path string) { read[path] = true }
	hits := func(yield func(search.Hit) bool) (err error) {
		defer bar.Close()
		for hit, err := range search.Run(ctx, q, s) {
			if err != nil {
				return listingTrouble(a, err)
			}
			if n == 0 {
				bar.Close()
			}
			if n++; !yield(hit) || n == o.limit {
				return nil
			}
		}
		return nil
	}
	switch {
	case o.open:
		return openHit(ctx, a, text, o, hits)
	case a.flags.json:
		err = hitLines(a, hits)
	default:
		err = a.page(ctx, func(w io.Writer) error { return hitRows(a, w, hits) })
	}
	if err == nil {
		err = a.out.Flush()
	}
	if noteFound(a, n); err == nil && n == 0 {
		err = nothingFound(text)
	}
	return errors.Join(err, keepTexts(ctx, a, opt, read, err))
}

// keepTexts brings the text index up to date, after the answer for which sessions
// were read: that of a store of which it has one, else that of this machine.
func keepTexts(ctx context.Context, a *app, opt catalog.Options, read map[string]bool, err error) error {
	var p problem
	if opt.Index == nil || a.lib.IndexTroubled() || err != nil && !(errors.As(err, &p) && p.exit == exitNotFound) {
		return nil
	}
	bar := a.progress("index texts, KB")
	opt.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	err = search.KeepWords(ctx, opt, read)
	bar.Close()
	if err != nil && ctx.Err() == nil {
		a.lib.IndexTrouble(err)
		return nil
	}
	return err
}

func nothingFound(text string) problem {
	return problem{exit: exitNotFound, text: fmt.Sprintf("nothing found for %q", text)}
}

// queryTrouble shows where a query is wrong.
func queryTrouble(err error) error {
	var bad *search.SyntaxError
	if !errors.As(err, &bad) {
		return err
	}
	p := usage("read query: %s", bad.Reason)
	p.byte = int64(bad.At)
	before, after := term.Line(bad.Query[:bad.At]), term.Line(bad.Query[bad.At:])
	p.hints = []string{before + after, strings.Repeat(" ", term.Width(before)) + "^"}
	return p
}

// jsonHit is a hit as --json prints it.
type jsonHit struct {
	Path      string   `json:"path"`
	SessionID string   `json:"sessionId"`
	EntryID   string   `json:"entryId,omitzero"`
	Agent     string   `json:"agent"`
	CWD       string   `json:"cwd"`
	Title     string   `json:"title,omitzero"`
	Role      string   `json:"role"`
	Tool      string   `json:"tool,omitzero"`
	Model     string   `json:"model,omitzero"`
	Timestamp string   `json:"timestamp,omitzero"`
	Snippet   string   `json:"snippet"`
	Ranges    [][2]int `json:"ranges"` // UTF-16 units
	OnBranch  string   `json:"onBranch"`
	Score     float64  `json:"score"`
	More      int      `json:"more,omitzero"`
}

// hitLines prints hits as JSON, those of each session as soon as they are known.
func hitLines(a *app, hits func(func(search.Hit) bool) error) error {
	var failed error
	err := hits(func(h search.Hit) bool {
		ranges := h.Ranges
		if ranges == nil {
			ranges = [][2]int{}
		}
		failed = a.emit(jsonHit{
			Path: h.Info.Path, SessionID: h.Info.ID, EntryID: h.EntryID, Agent: string(h.Info.Agent), CWD: h.Info.CWD,
			Title: h.Info.Title, Role: h.Role, Tool: h.Tool, Model: h.Model, Timestamp: isoTime(h.Time),
			Snippet: h.Snippet, Ranges: ranges, OnBranch: h.Branch.String(), Score: h.Score, More: h.More,
		})
		if failed == nil {
			failed = a.out.Flush()
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

// hitRows prints hits for people: a line for each session, and one below it for
// each hit.
func hitRows(a *app, w io.Writer, hits func(func(search.Hit) bool) error) error {
	last := ""
	var failed error
	err := hits(func(h search.Hit) bool {
		if h.Info.Path != last {
			blank := ""
			if last != "" {
				blank = "\n"
			}
			last = h.Info.Path
			_, failed = fmt.Fprintln(w, blank+hitSession(a, &h.Info))
		}
		if failed == nil {
			_, failed = fmt.Fprintln(w, hitRow(a, &h))
		}
		if failed == nil && h.More > 0 {
			_, failed = fmt.Fprintln(w, a.palette.Dim(fmt.Sprintf("  and %d more", h.More)))
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

// hitSession is the line of a session: name, agent, project, age and id.
func hitSession(a *app, info *catalog.Info) string {
	facts := []string{
		string(info.Agent), projectCell(a, info.CWD, max(12, a.cols/4)), ago(info.Modified, a.Now()), clip(info.ID, 13),
	}
	rest := term.Line(strings.Join(facts, "  "))
	name := term.Cut(term.Line(rowName(*info)), max(16, a.cols-term.Width(rest)-2))
	return a.palette.Bold(name) + "  " + a.palette.Dim(rest)
}

// hitRow is the line of a hit: its entry, who said it and on which branch, and
// the snippet.
func hitRow(a *app, h *search.Hit) string {
	who := h.Role
	if h.Tool != "" {
		who = h.Tool
	}
	if h.Branch != search.Active {
		who += " " + h.Branch.String()
	}
	head := term.Fit(term.Line(h.EntryID), 8) + "  " + term.Fit(term.Line(who), 19) + " "
	return "  " + a.palette.Dim(head) + highlight(a, h.Snippet, h.Ranges, max(20, a.cols-32))
}

// highlight makes a snippet safe, cuts it to so many cells and marks ranges of
// it.
func highlight(a *app, snippet string, ranges [][2]int, cells int) string {
	var b strings.Builder
	put := func(piece string, marked bool) {
		text := term.Cut(term.Line(piece), cells)
		cells -= term.Width(text)
		if marked {
			text = a.palette.Bold(a.palette.Yellow(text))
		}
		b.WriteString(text)
	}
	units, start, in := 0, 0, false
	for at, r := range snippet {
		edge := len(ranges) > 0 && (units == ranges[0][0] && !in || units == ranges[0][1] && in)
		if edge {
			put(snippet[start:at], in)
			start = at
			if in {
				ranges = ranges[1:]
			}
			in = len(ranges) > 0 && units == ranges[0][0]
		}
		if cells <= 0 {
			return b.String()
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	put(snippet[start:], in)
	return b.String()
}
