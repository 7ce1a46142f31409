package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// jsonNew is a session that was just made.
type jsonNew struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Agent string `json:"agent"`
	// Draft says that there is no file at the path yet.
	Draft bool `json:"draft"`
}

func newNew(a *app) *cobra.Command {
	var o work.NewOptions
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Make a session and print its path",
		Long: "Makes a session of this working directory, or that of --cwd, for the agent that --agent says (cambium if it says none), " +
			"and prints its path. The file is there at once; `cambium ls` leaves it out until it has a message, unless --empty is given.",
		GroupID: groupWrite,
		Example: "cambium new --agent pi --name 'water for the garden'\ncambium append \"$(cambium new)\" < bodies.jsonl",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			a.lib.GoesOn = true
			if err := nonEmpty(cmd, "name", "id"); err != nil {
				return err
			}
			return runNew(ctx, a, o)
		}),
	}
	printsPath(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.CWD, "cwd", "", "the working directory it belongs to, instead of this one")
	f.StringVar(&o.Name, "name", "", "its name")
	f.StringVar(&o.ID, "id", "", "its id, instead of a new one")
	return cmd
}

// runNew makes a session and prints where it is.
func runNew(ctx context.Context, a *app, o work.NewOptions) error {
	c, err := work.Create(ctx, a.lib, o)
	var unusable *work.UnusableName
	var taken *work.IDTaken
	switch {
	case errors.As(err, &unusable):
		return problem.Usage("--name %q: nothing of it can be part of a name", unusable.Name)
	case errors.As(err, &taken):
		return problem.Problem{Exit: problem.ExitRefused, Path: taken.Path, Text: taken.Error(),
			Todo: fmt.Sprintf("it is %q; give another id, or go on with that one", taken.Path)}
	case err != nil:
		return err
	}
	return a.Print(console.Result{Path: c.Path, JSON: jsonNew{ID: c.ID, Path: c.Path, Agent: string(c.Agent), Draft: c.Draft}})
}
