package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// recentLimit is how many sessions recent lists.
const recentLimit = 10

func newRecent(a *app) *cobra.Command {
	o := lsOptions{limit: recentLimit, newest: true}
	cmd := &cobra.Command{
		Use:     "recent",
		Short:   "List the last sessions of this working directory",
		GroupID: groupRead,
		Example: "cambium recent -n 3\ncambium recent --all",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if !o.all && o.cwd == "" && a.flags.sessionDir == "" {
				o.cwd = a.Dir
			}
			return a.list(ctx, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "sessions of all projects")
	return cmd
}
