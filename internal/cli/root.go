package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/buildinfo"
	"github.com/cambium-dev/cambium/internal/completion"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// Groups of commands in the help.
const (
	groupRead  = "read"
	groupWrite = "write"
	groupMore  = "more"
)

// commands lists the commands in the order of the help. To add one, write its
// file with a constructor and list it here. The Use line of a command names its
// arguments in capitals (SESSION, ENTRY, NAME, optional ones in brackets) and
// the flags it cannot do without: the tests of bad input read it.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		// Read: opens with ReadOnly, changes nothing.
		newLs(a),
		newRecent(a),
		newShow(a),
		newTree(a),
		newWhy(a),
		newContext(a),
		newEntries(a),
		newExport(a),
		newFollow(a),
		newSearch(a),
		newPrompts(a),
		newStats(a),
		// Write.
		newNew(a),
		newAppend(a),
		newLabel(a),
		newRename(a),
		newBranch(a),
		newFork(a),
		newMove(a),
		newMigrate(a),
		newConvert(a),
		newResume(a),
		newContinue(a),
		newRun(a),
		newChat(a),
		newRm(a),
		newUndo(a),
		newTrash(a),
		// More.
		newDoctor(a),
		newDrafts(a),
		newSync(a),
		newStore(a),
		newRPC(a),
		newServe(a),
		newACP(a),
		newVersion(a),
	}
}

// execute runs a command line and returns the error of the command.
func (a *app) execute(ctx context.Context, args []string) error {
	root := newRoot(a)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.JSON = slices.Contains(args, "--json") // it may stand behind the wrong one
		p := problem.Usage("%s: %v", cmd.Name(), err)
		p.Todo = fmt.Sprintf("`%s --help` lists the flags", cmd.CommandPath())
		if cmd.Name() == "search" && excludes(args) {
			p.Todo = "behind `--` it is part of the query, as in `cambium search -- retry -http`; " + p.Todo
		}
		a.err = p
		return nil
	})
	if completion.Asks(args) {
		return runComplete(ctx, a, root, args)
	}
	root.SetArgs(append([]string{}, args...)) // for nil it would take those of the process
	err := root.ExecuteContext(ctx)
	if a.err != nil {
		return a.err
	}
	if err != nil {
		return problem.Usage("%v", err)
	}
	return nil
}

// excludes reports whether something on the command line looks like the -word of
// a query, which was read as flags.
func excludes(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return len(arg) > 2 && arg[0] == '-' && arg[1] != '-'
	})
}

// newRoot builds the whole command.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "cambium [command]",
		Short: "Read, keep and move the sessions of coding agents",
		Long: "Cambium reads and keeps the sessions of the coding agents pi, omp and xcsh, and its own. " +
			"Without a command it shows them on the terminal, to search and to go on with one; where there is no terminal, it lists them.\n\n" +
			"SESSION is a path, an id, the beginning of an id (4 characters or more) or a name. " +
			"`cambium completion SHELL` prints what bash, zsh, fish or powershell need to complete it, and ENTRY.\n\n" +
			problem.ExitHelp,
		Args:          cobra.ArbitraryArgs,
		Version:       buildinfo.Read().String(),
		SilenceUsage:  true,
		SilenceErrors: true, // finish says them
	}
	root.SetIn(a.Stdin)
	root.SetErr(a.Stderr)
	root.SetOut(a.Stdout)
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { showHelp(a, cmd, args) })
	ls := newLs(a)
	root.RunE = a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return noCommand(cmd, args[0])
		}
		if a.Draws() {
			return browseSessions(ctx, a)
		}
		ls.SetContext(ctx)
		return ls.RunE(ls, nil)
	})
	f := root.PersistentFlags()
	f.StringVar(&a.agent, "agent", "", "the agent whose rules and home to use: cambium, pi, omp or xcsh; to read also claude, codex, opencode or crush")
	f.StringVar(&a.lib.AgentDir, "agent-dir", "", "its agent directory, instead of the usual one")
	f.StringVar(&a.lib.SessionDir, "session-dir", "", "the directory with the session files; with a path, where new ones go")
	f.StringVar(&a.lib.Store, "store", "", "the store, a URL: postgres://USER:PASSWORD@HOST/DATABASE, nats://USER:PASSWORD@HOST, or file:// and an absolute path (or CAMBIUM_STORE)")
	f.BoolVar(&a.JSON, "json", false, "print JSON")
	f.BoolVar(&a.NoColor, "no-color", false, "print without colours")
	f.StringVar((*string)(&a.lib.IfBusy), "if-busy", string(work.Ask), "a session to write to that another program has open: go on, follow, fork, take it over or fail (go, or asked of one in a store)")
	f.BoolVar(&a.lib.NoIndex, "no-index", false, "do without the index of sessions")
	_ = f.MarkHidden("no-index") // it is defined above
	f.BoolVar(&a.strict, "strict", false, "take links between entries as they are written")
	completesFlags(a, root)
	root.AddGroup(&cobra.Group{ID: groupRead, Title: "Read"}, &cobra.Group{ID: groupWrite, Title: "Write"},
		&cobra.Group{ID: groupMore, Title: "More"})
	root.SuggestionsMinimumDistance = 2
	for _, cmd := range commands(a) {
		guard(a, cmd)
		root.AddCommand(cmd)
	}
	root.SetHelpCommand(newHelp(a))
	addCompletion(a, root)
	return root
}

// Command returns the whole command to read its texts and flags from, as the manual pages
// do. It is not to be run.
func Command() *cobra.Command {
	return newRoot(newApp(System{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}))
}

// guard keeps a command's argument errors to ourselves, so that all errors are
// printed in one way.
func guard(a *app, cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.NoArgs
		}
		if err := check(cmd, args); err != nil {
			given := "no argument"
			if len(args) > 0 {
				given = term.Plural(len(args), "argument")
			}
			p := problem.Usage("%s: %s given", cmd.Name(), given)
			p.Todo = "usage: " + cmd.UseLine()
			a.err = p
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		guard(a, sub)
	}
}

// run makes a command's function of f: the global flags are checked before, the
// error is kept for finish.
func (a *app) run(f func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if a.err != nil {
			return nil
		}
		if a.err = prepare(a); a.err == nil {
			a.err = openStore(cmd.Context(), a, cmd)
		}
		if a.err == nil && settles(cmd) {
			a.lib.Settle(cmd.Context())
		}
		if a.err == nil {
			a.err = unlessAway(a, insteadOf(cmd.Context(), a, problem.In(a.lib.Dir, f(cmd.Context(), cmd, args))))
		}
		return nil
	}
}

// settles reports whether a command finishes first what an earlier one was killed in:
// those that write do, but for undo, of which that is the work.
func settles(cmd *cobra.Command) bool {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.GroupID == groupWrite && cmd.Name() != "undo" || cmd.Name() == "sync" || cmd.Name() == "drafts"
}
