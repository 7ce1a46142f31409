package cli

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newMove(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "move SESSION DIR",
		Short: "Make a session one of another working directory",
		Long: "Makes a session one of the working directory DIR: its file and its artifacts go to where its agent looks for the sessions of DIR, " +
			"its header names DIR, and the new path is printed. If a step fails, all is put back.",
		GroupID: groupWrite,
		Example: "cambium move 0198c2a1 ~/work/garden",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			a.goesOn()
			if args[1] == "" {
				return usage("move: DIR is empty")
			}
			return a.change(ctx, args[0], func(s *session.Session) (result, error) {
				dir := a.directory(args[1])
				if a.belongs(s, dir) {
					a.note(s.Path(), "it belongs there already; nothing is to be done")
					return whereabouts(s), nil
				}
				err := s.Move(ctx, dir)
				return whereabouts(s), err
			})
		}),
	}
	a.takesSession(cmd)
	a.printsPath(cmd)
	return cmd
}

// belongs reports whether a session is of the working directory dir and where a
// session of it is looked for.
func (a *app) belongs(s *session.Session, dir string) bool {
	if a.homely(s.Header().CWD) != dir {
		return false
	}
	in := filepath.Dir(s.Path())
	if a.flags.sessionDir != "" {
		return in == filepath.Clean(a.flags.sessionDir)
	}
	name := string(s.Dialect().Name)
	return slices.Contains(layout.DirNames(name, dir, a.storeEnv()), filepath.Base(in))
}
