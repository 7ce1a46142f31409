package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/spf13/cobra"
)

// promptLimit is how many prompts are listed when nobody says.
const promptLimit = 100

// promptsOptions are the flags of prompts.
type promptsOptions struct {
	cwd   string
	here  bool
	limit int
}

func newPrompts(a *app) *cobra.Command {
	o := promptsOptions{limit: promptLimit}
	cmd := &cobra.Command{
		Use:   "prompts [QUERY]",
		Short: "List or search the prompts typed in all agents, newest first",
		Long: "Lists the prompts that were typed in cambium, omp and xcsh (pi keeps none), newest first, or those that match QUERY: each of its words " +
			"begins a word of the prompt; in prompts of omp it may also stand inside one. A prompt is listed as often as it is kept.",
		GroupID: groupRead,
		Example: "cambium prompts\ncambium prompts 'fix test' --cwd .\ncambium prompts -n 5 --agent omp --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if o.limit < 0 {
				return usage("read --limit %d: want a number from 0", o.limit)
			}
			return runPrompts(ctx, a, args, o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "only prompts typed in this working directory")
	f.BoolVar(&o.here, "here", false, "only prompts typed in the present one")
	f.IntVarP(&o.limit, "limit", "n", o.limit, "at most so many prompts, 0 for as many as there may be: 1000")
	return cmd
}

// runPrompts prints the prompts that are asked for.
func runPrompts(ctx context.Context, a *app, query []string, o promptsOptions) error {
	if o.here && o.cwd == "" {
		o.cwd = a.lib.Dir
	}
	if o.limit == 0 {
		o.limit = prompts.Limit(1 << 30)
	}
	r := a.recallOptions()
	r.CWD = a.lib.Absolute(o.cwd)
	if a.lib.Agent != "" {
		r = onlyOf(r, a.lib.Agent)
	}
	h, err := prompts.Open(ctx, r)
	if err != nil {
		return err
	}
	defer h.Close() // nothing was added
	var all []prompts.Prompt
	if len(query) > 0 {
		all, err = h.Search(ctx, query[0], o.limit)
	} else {
		all, err = h.Recent(ctx, o.limit)
	}
	switch {
	case err != nil:
		return err
	case a.flags.json:
		return promptLines(a, all)
	case len(all) > 0:
		return promptTable(ctx, a, all)
	case a.lib.Agent == dialect.Pi:
		a.note("", "pi keeps no history of prompts")
	default:
		a.note("", "no prompts found")
	}
	return nil
}

// recallOptions say where the prompts of all agents are, and that what is wrong
// with a database is a note.
func (a *app) recallOptions() prompts.Options {
	source := func(name dialect.Name) prompts.Source {
		return prompts.Source{Agent: string(name), Path: historyOf(a, name), Parts: name == dialect.Omp}
	}
	temp := a.lib.Env.Getenv("TMPDIR")
	if temp == "" {
		temp = os.TempDir()
	}
	return prompts.Options{
		Own: source(dialect.Cambium), Others: []prompts.Source{source(dialect.Omp), source(dialect.Xcsh)},
		Temp: temp, Now: a.Now, Trouble: func(err error) { a.note("", err.Error()) },
	}
}

// historyOf returns where an agent keeps its prompts. --agent-dir is that of
// --agent alone.
func historyOf(a *app, name dialect.Name) string {
	if name == a.lib.Agent {
		return a.lib.Home(name).History
	}
	return places.For(string(name), a.lib.Env, layout.Overrides{}).History
}

// onlyOf leaves only the databases of one agent. None is written to.
func onlyOf(o prompts.Options, name dialect.Name) prompts.Options {
	var others []prompts.Source
	for _, s := range append([]prompts.Source{o.Own}, o.Others...) {
		if s.Agent == string(name) {
			others = append(others, s)
		}
	}
	o.Own, o.Others = prompts.Source{}, others
	return o
}

// jsonPrompt is a prompt as --json prints it.
type jsonPrompt struct {
	Prompt    string `json:"prompt"`
	Created   string `json:"createdAt"`
	CWD       string `json:"cwd"`
	Agent     string `json:"agent"`
	SessionID string `json:"sessionId,omitzero"`
	Uses      int64  `json:"uses,omitzero"`
}

// again returns how often a prompt was typed, 0 where once is all that is known.
func again(uses int64) int64 {
	if uses == 1 {
		return 0
	}
	return uses
}

func promptLines(a *app, all []prompts.Prompt) error {
	for _, p := range all {
		if err := a.emit(jsonPrompt{p.Text, isoTime(p.Created), p.CWD, p.Agent, p.SessionID, again(p.Uses)}); err != nil {
			return err
		}
	}
	return nil
}

// promptTable prints prompts a line each, as wide as the terminal.
func promptTable(ctx context.Context, a *app, all []prompts.Prompt) error {
	project := 0
	if a.cols >= 72 {
		project = min(32, a.cols/5)
	}
	line := func(w io.Writer, style func(string) string, at, agent, cwd, text string) error {
		head := term.Fit(at, 10) + "  " + term.Fit(agent, 7) + "  "
		if project > 0 {
			head += term.Fit(term.CutLeft(cwd, project), project) + "  "
		}
		text = term.Cut(text, max(a.cols-term.Width(head), 10))
		_, err := fmt.Fprintln(w, strings.TrimRight(a.palette.Dim(head)+style(text), " "))
		return err
	}
	return a.page(ctx, func(w io.Writer) error {
		if err := line(w, a.palette.Dim, "TYPED", "AGENT", "PROJECT", "PROMPT"); err != nil {
			return err
		}
		for _, p := range all {
			plain := func(s string) string { return s }
			text := strings.Join(strings.Fields(p.Text), " ")
			if err := line(w, plain, ago(p.Created, a.Now()), term.Line(p.Agent), term.Line(a.tilde(p.CWD)), term.Line(text)); err != nil {
				return err
			}
		}
		return nil
	})
}
