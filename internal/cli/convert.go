package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newConvert(a *app) *cobra.Command {
	var o work.ConvertOptions
	var to string
	cmd := &cobra.Command{
		Use:   "convert SESSION --to DIALECT",
		Short: "Write a session as one of another agent",
		Long: "Writes a session as a new one of another agent (" + strings.Join(spelling.Targets(), ", ") + "), with all its branches, images and artifacts, " +
			"where that agent looks for it or at --output, and prints its path; the old one stays as it is. " +
			"What is spelled in another way or has no equal there is said on stderr. It is kept in the new session all the same: " +
			"converted back, every line says again what it said, and those that were not spelled anew are the same bytes.",
		GroupID: groupWrite,
		Example: "cambium convert 0198c2a1 --to pi\ncambium convert ./session.jsonl --to xcsh -o ./other.jsonl --json",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if to == "" {
				return problem.Usage("convert: required flag --to is missing: %s", strings.Join(spelling.Targets(), ", "))
			}
			if err := nonEmpty(cmd, "cwd", "output"); err != nil {
				return err
			}
			var ok bool
			if o.To, ok = spelling.Agent(to); !ok || !slices.Contains(spelling.Targets(), to) {
				return problem.Usage("read --to %q: the agents are %s", to, strings.Join(spelling.Targets(), ", "))
			}
			done, err := a.lib.Convert(ctx, args[0], o)
			if err != nil {
				return err
			}
			return print.Forked(a.Console, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "the agent that the new session is for: "+strings.Join(spelling.Targets(), "|"))
	f.StringVar(&o.CWD, "cwd", "", "the working directory that the new session belongs to")
	f.StringVarP(&o.Path, "output", "o", "", "write it to this `PATH`")
	f.BoolVar(&o.KeepID, "keep-id", false, "keep id, time and parent: the same session for another agent")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(spelling.Targets(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

func newMigrate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate SESSION",
		Short: "Bring a session file of an older version up to date",
		Long: fmt.Sprintf("Rewrites a session file of version 1 or 2 as version %d, with all of its entries and what cannot be read in them, and prints its path. "+
			"The file is replaced as a whole or not at all. Reading an old file does not need this; every command that writes to one does it first.", session.CurrentVersion),
		GroupID: groupWrite,
		Example: "cambium migrate ./old.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			done, err := a.lib.Migrate(ctx, args[0])
			if err != nil {
				return err
			}
			return print.Migrated(a.Console, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	return cmd
}
