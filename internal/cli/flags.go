package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/cambium-dev/cambium/internal/completion"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/spf13/cobra"
)

// jsonID names the entry that was appended.
type jsonID struct {
	ID string `json:"id"`
}

// printsPath gives a command that prints a path the flag for how it ends.
func printsPath(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.Zero, "null", "0", false, "end the path by NUL instead of a newline")
}

// takesSession gives a command whose first argument is SESSION what goes with
// it: the flag --first, and completion by id and name.
func takesSession(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.lib.First, "first", false, "of several sessions that match take the newest")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return completeSession(cmd.Context(), a, typed)
		case len(args) == 1 && strings.Contains(cmd.Use, "ENTRY"):
			return completeEntry(cmd.Context(), a, args[0], typed)
		case len(args) == 1 && strings.Contains(cmd.Use, "DIR"):
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completesEntries gives a flag of a command that takes SESSION completion by
// the session's entries.
func completesEntries(a *app, cmd *cobra.Command, flag string) {
	// The error is for a flag that the command does not have.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeEntry(cmd.Context(), a, args[0], typed)
	})
}

// completesFlags gives the global flags their values.
func completesFlags(a *app, root *cobra.Command) {
	for flag, values := range map[string][]string{"agent": spelling.Agents(), "if-busy": waysOfBusy()} {
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, flag := range []string{"agent-dir", "session-dir"} {
		_ = root.MarkPersistentFlagDirname(flag)
	}
}

// completeSession offers sessions.
func completeSession(ctx context.Context, a *app, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if prepare(a) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completion.Sessions(ctx, a.lib, typed)
}

// completeEntry offers the entries of a session.
func completeEntry(ctx context.Context, a *app, arg, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if prepare(a) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completion.Entries(ctx, a.lib, arg, typed)
}

// runComplete answers a shell that completes.
func runComplete(ctx context.Context, a *app, root *cobra.Command, args []string) error {
	args, fit, err := completion.Asked(args)
	if err != nil {
		return problem.Usage("%v", err)
	}
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return problem.Usage("%v", err)
	}
	a.err = nil
	_, err = a.Out.WriteString(completion.PassedOn(out.String(), fit))
	return err
}

// addCompletion gives root the command that prints scripts for shells, and has it
// refuse shells it does not know. The script of PowerShell is cobra's.
func addCompletion(a *app, root *cobra.Command) {
	root.SetCompletionCommandGroupID(groupMore)
	root.InitDefaultCompletionCmd("completion")
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short, cmd.Long = "Print what a shell needs to complete commands, sessions and entries", ""
		for _, shell := range cmd.Commands() {
			if _, ours := completion.Script(shell.Name(), false); ours {
				shell.RunE = a.run(func(_ context.Context, cmd *cobra.Command, _ []string) error {
					bare, _ := cmd.Flags().GetBool("no-descriptions")
					script, _ := completion.Script(cmd.Name(), bare)
					_, err := a.Out.WriteString(script)
					return err
				})
			}
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = a.run(func(_ context.Context, cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noCommand(cmd, args[0])
			}
			return cmd.Help()
		})
	}
}

// nonEmpty refuses flags that are given without a value.
func nonEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flag(name); f.Changed && f.Value.String() == "" {
			return problem.Usage("--%s requires a non-empty value", name)
		}
	}
	return nil
}

// nonBlank refuses flags that are given without a value, or with blanks alone.
func nonBlank(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flag(name); f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return problem.Usage("--%s requires a non-empty value", name)
		}
	}
	return nil
}
