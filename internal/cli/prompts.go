package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
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
		Long: "Lists the prompts that were typed in cambium, omp, xcsh and pi, newest first, or those that match QUERY: each of its words " +
			"begins a word of the prompt; in prompts of omp it may also stand inside one. pi keeps none: its are those of its sessions. " +
			"A prompt is listed as often as it is kept.\n\n" +
			"A QUERY with filters, as `cambium search` takes it, finds what was typed in the sessions of all agents.",
		GroupID: groupRead,
		Example: "cambium prompts\ncambium prompts 'fix test' --cwd .\ncambium prompts 'retry project:garden after:2w'\ncambium prompts -n 5 --agent omp --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if o.limit < 0 {
				return problem.Usage("read --limit %d: want a number from 0", o.limit)
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
	which := work.PromptsOptions{CWD: o.cwd, Limit: o.limit}
	if len(query) > 0 {
		which.Query = &query[0]
	}
	all, err := work.Typed(ctx, a.lib, which)
	switch {
	case err != nil:
		return err
	case len(all) > 0:
		return print.Prompts(ctx, a.Console, all)
	case a.JSON:
	default:
		a.Note("", "no prompts found")
	}
	return nil
}
