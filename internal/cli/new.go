package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
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

// newOptions are the flags of new.
type newOptions struct{ cwd, name, id string }

func newNew(a *app) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Make a session and print its path",
		Long: "Makes a session of this working directory, or that of --cwd, for the agent that --agent says (cambium if it says none), " +
			"and prints its path. The file is there at once; `cambium ls` leaves it out until it has a message, unless --empty is given.",
		GroupID: groupWrite,
		Example: "cambium new --agent pi --name 'water for the garden'\ncambium append \"$(cambium new)\" < bodies.jsonl",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			a.lib.GoesOn = true
			switch {
			case cmd.Flags().Changed("name") && o.name == "":
				return usage("--name requires a non-empty value")
			case cmd.Flags().Changed("id") && o.id == "":
				return usage("--id requires a non-empty value")
			}
			return a.create(ctx, o)
		}),
	}
	a.printsPath(cmd)
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "the working directory it belongs to, instead of this one")
	f.StringVar(&o.name, "name", "", "its name")
	f.StringVar(&o.id, "id", "", "its id, instead of a new one")
	return cmd
}

// create makes a session and prints where it is.
func (a *app) create(ctx context.Context, n newOptions) error {
	cwd := a.lib.Dir
	if n.cwd != "" {
		cwd = a.lib.Directory(n.cwd)
	}
	o := a.lib.Session()
	o.ID, o.Title = n.id, n.name
	if o.Dialect = a.lib.Agent; o.Dialect == "" {
		o.Dialect = a.inHome(o.Dir)
	}
	if d, _ := dialect.ByName(string(o.Dialect)); n.name != "" && d.Sanitize(n.name) == "" {
		return usage("--name %q: nothing of it can be part of a name", n.name)
	}
	if err := a.free(ctx, cwd, o); err != nil {
		return err
	}
	s, err := session.Create(ctx, cwd, o)
	if err != nil {
		return failed("", err)
	}
	r := result{path: s.Path(), json: jsonNew{ID: s.ID(), Path: s.Path(), Agent: string(s.Dialect().Name), Draft: !s.OnDisk()}}
	if err := s.Close(); err != nil {
		return failed(r.path, err)
	}
	return a.print(r)
}

// inHome returns the agent in whose home a directory for sessions lies, cambium
// for none.
func (a *app) inHome(dir string) dialect.Name {
	if dir != "" {
		if name := layout.Owner(filepath.Join(dir, "x"+layout.Ext), a.lib.Env); name != "" {
			return dialect.Name(name)
		}
	}
	return dialect.Cambium
}

// free refuses an id that a session of the same project and agent has.
func (a *app) free(ctx context.Context, cwd string, o session.Options) error {
	if o.ID == "" {
		return nil
	}
	if err := layout.CheckID(o.ID); err != nil {
		return err
	}
	look := a.lib.Catalog()
	look.Agents, look.CWD, look.Empty = []dialect.Name{o.Dialect}, cwd, true
	if a.lib.SessionDir != "" {
		look.CWD = ""
	}
	for info, err := range catalog.Scan(ctx, look) {
		if err != nil {
			break // no such directory yet
		}
		if info.ID == o.ID {
			return problem{exit: exitRefused, path: info.Path, text: fmt.Sprintf("Session already exists with id '%s'", o.ID),
				todo: fmt.Sprintf("it is %q; give another id, or go on with that one", info.Path)}
		}
	}
	return ctx.Err()
}
