package cli

import (
	"context"
	"encoding/hex"
	"io"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newRm(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Aliases: []string{"delete"},
		Use:     "rm SESSION...",
		Short:   "Move sessions to the trash",
		Long: "Moves sessions and their artifacts to the trash, in Cambium's state directory or, of a shared store, in the store, where no agent lists them, and prints a line for each: " +
			"the id to take it back with, and the path. `cambium undo` brings back what the last rm took; nothing is deleted before `cambium trash empty`. " +
			"What another program has open is asked about, or refused where nobody can answer, unless --if-busy says go; " +
			"what such a program adds is in what `cambium undo` brings back.\n\n" +
			"Of several sessions those that can be moved are; then the exit code is 7.",
		GroupID: groupWrite,
		Example: "cambium rm 0198c2a1\ncambium ls -0 --cwd /tmp | xargs -0 cambium rm",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			group := ""
			if len(args) > 1 {
				var raw [6]byte
				if _, err := io.ReadFull(a.sys.Random, raw[:]); err != nil {
					return err
				}
				group = hex.EncodeToString(raw[:])
			}
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				o, err := a.lib.Remove(ctx, arg, group)
				if err != nil {
					return err
				}
				return print.Operation(a.Console, o, o.Path)
			})
		}),
	}
	takesSession(a, cmd)
	return cmd
}

// forEach does something with every argument. With one it ends as that does; with
// several it goes on after an error, which is said at once.
func forEach(ctx context.Context, a *app, args []string, do func(context.Context, string) error) error {
	if len(args) == 1 {
		return do(ctx, args[0])
	}
	var last problem.Problem
	failed := 0
	for _, arg := range args {
		if err := do(ctx, arg); err != nil {
			last = problem.Of(problem.In(a.lib.Dir, err))
			a.report(last)
			if last.Exit == problem.ExitInterrupted {
				last.Printed = true
				return last
			}
			failed++
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed < len(args):
		last.Exit = problem.ExitPartly
	}
	last.Printed = true
	return last
}
