package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/prompts"
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
			if !o.all && o.cwd == "" && a.lib.SessionDir == "" {
				o.cwd = a.lib.Dir
			}
			o.named = func(ctx context.Context, all []catalog.Info) { titles(ctx, a, all) }
			return runLs(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "sessions of all projects")
	return cmd
}

// titles gives sessions of omp the names that its history has for them, which its
// list of recent sessions shows before all others (omp 18.2.3). Without the
// history they keep theirs.
func titles(ctx context.Context, a *app, all []catalog.Info) {
	if !slices.ContainsFunc(all, func(i catalog.Info) bool { return i.Agent == dialect.Omp }) {
		return
	}
	h, err := prompts.Open(ctx, onlyOf(a.recallOptions(), dialect.Omp))
	if err != nil {
		return
	}
	defer h.Close() // nothing was added
	names, err := h.Titles(ctx)
	if err != nil {
		return
	}
	for i := range all {
		if name := strings.TrimSpace(names[ident.FileID(filepath.Base(all[i].Path))]); name != "" && all[i].Agent == dialect.Omp {
			all[i].Title, all[i].Named = name, true
		}
	}
}
