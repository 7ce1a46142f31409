package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// forkOptions are the flags of fork.
type forkOptions struct{ at, cwd string }

func newFork(a *app) *cobra.Command {
	var o forkOptions
	cmd := &cobra.Command{
		Use:   "fork SESSION",
		Short: "Copy a session, or the way to one of its entries",
		Long: "Copies a session with all its branches and artifacts into a new one beside it, whose path is printed; the old one stays as it is. " +
			"With --cwd the new one belongs to another working directory and lies where its agent looks for it. " +
			"With --at it holds only the way from the beginning to ENTRY. " +
			"With --agent it is for another agent, as `cambium convert` makes it.\n\n" + entryHelp,
		GroupID: groupWrite,
		Example: "cambium fork 0198c2a1 --at 5f0c1d2e\ncambium fork ./session.jsonl --cwd .\ncambium fork 0198c2a1 --agent pi",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			a.goesOn()
			for _, name := range []string{"at", "cwd"} {
				if f := cmd.Flag(name); f.Changed && f.Value.String() == "" {
					return usage("--%s requires a non-empty value", name)
				}
			}
			return a.fork(ctx, args[0], o)
		}),
	}
	a.takesSession(cmd)
	a.printsPath(cmd)
	cmd.Flags().StringVar(&o.at, "at", "", "only the way to this ENTRY")
	a.completesEntries(cmd, "at")
	cmd.Flags().StringVar(&o.cwd, "cwd", "", "the working directory that the new session belongs to")
	return cmd
}

// fork copies a session, or one branch of it, and prints where the copy is.
// --agent says for whom the copy is; it does not choose among sessions, unless
// its directory is given with it.
func (a *app) fork(ctx context.Context, arg string, o forkOptions) error {
	agent := a.agent
	if a.flags.agentDir == "" {
		a.agent = ""
	}
	if o.cwd != "" {
		o.cwd = a.directory(o.cwd)
	}
	s, err := a.openSource(ctx, arg)
	if err != nil {
		return err
	}
	path, cwd, name := s.Path(), s.CWD(), s.Dialect().Name
	if v := s.Header().Version; v > session.CurrentVersion {
		err := fmt.Errorf("fork session %q: %w: its version %v is newer than %d", path, session.ErrReadOnly, v, session.CurrentVersion)
		return errors.Join(a.failed(path, err), s.Close())
	}
	if agent != "" && agent != name {
		return a.forkFor(ctx, s, agent, o)
	}
	a.damage(s)
	var at entry.ID
	if o.at != "" {
		at, err = a.entryID(s, o.at)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return a.failed(path, err)
	}
	opt := a.sessionOptions()
	if o.cwd == "" {
		o.cwd, opt.Dir = cwd, cmp.Or(opt.Dir, filepath.Dir(path))
	}
	if o.at != "" {
		s, err = session.ForkBranch(ctx, path, o.cwd, at, opt)
	} else {
		s, err = session.ForkFrom(ctx, path, o.cwd, opt)
	}
	return a.copied(path, s, err)
}

// forkFor makes a session of another agent out of one, or of one branch of it.
func (a *app) forkFor(ctx context.Context, s *session.Session, agent dialect.Name, o forkOptions) error {
	defer s.Close()
	opt := session.ConvertOptions{To: agent, CWD: o.cwd}
	if o.at != "" {
		at, err := a.entryID(s, o.at)
		if err != nil {
			return a.failed(s.Path(), err)
		}
		opt.At = &at
	}
	return a.convertOpen(ctx, s, opt)
}

// copied says where a session is that was just made of another.
func (a *app) copied(source string, s *session.Session, err error) error {
	if err != nil {
		return a.failed(source, err)
	}
	r := whereabouts(s)
	if err := s.Close(); err != nil {
		return a.failed(s.Path(), err)
	}
	return a.print(r)
}
