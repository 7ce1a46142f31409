package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// chooseStore settles what --store and CAMBIUM_STORE mean. A shared store is
// not opened yet: see openStore.
func chooseStore(a *app) error {
	l := a.lib
	from := "--store"
	if l.Store == "" {
		l.Store, from = a.Getenv("CAMBIUM_STORE"), "CAMBIUM_STORE"
	}
	if l.Store == "" {
		return nil
	}
	scheme, dir, ok := strings.Cut(l.Store, "://")
	_, isShared := work.Openers()[scheme]
	switch {
	case !ok || !isShared && (scheme != "file" || !filepath.IsAbs(dir)):
		return problem.Usage("read %s: want postgres:// and a server and database, nats:// and a server, or file:// and an absolute path", from)
	case l.SessionDir != "" || isShared && l.AgentDir != "":
		return problem.Usage("read %s: it cannot be combined with --session-dir%s", from, map[bool]string{true: " and --agent-dir"}[isShared])
	case !isShared:
		l.SessionDir = dir
	}
	a.lib.Scheme = map[bool]string{true: scheme}[isShared]
	return nil
}

// worksShared are the commands that work on a shared store; without a command
// it is listed.
func worksShared() []string {
	return []string{"cambium", "ls", "show", "tree", "context", "entries", "search", "follow", "new", "append", "label", "rename", "branch",
		"rpc", "serve", "resume", "continue", "fork", "move", "run", "chat", "acp", "rm", "undo", "trash", "doctor"}
}

// openStore opens the shared store, if one is named, for a command that works on
// one. sync opens it beside the local disk.
func openStore(ctx context.Context, a *app, cmd *cobra.Command) error {
	command := cmd.Name()
	for up := cmd.Parent(); up != nil && up.HasParent(); up = up.Parent() {
		command = up.Name() // what its subcommands work on, it does
	}
	if a.lib.Scheme == "" || a.lib.Shared != nil || command == "sync" {
		return nil
	}
	if !slices.Contains(worksShared(), command) {
		p := problem.Usage("%s: it works on the local disk only", command)
		p.Todo = "leave --store and CAMBIUM_STORE out"
		return p
	}
	a.lib.Makes = slices.Contains(makesShared(), command) && !changed(cmd, "dry-run")
	s, err := a.lib.ReachStore(ctx)
	if err != nil {
		return err
	}
	a.lib.Attach(ctx, s)
	a.lib.SendWaiting(ctx)
	a.lib.Shared.Asked = a.lib.Shared.Offline.Look()
	return nil
}

// makesShared are the commands that make a shared store that is not there: they
// begin sessions. What reads, or changes what is there, finds no store then.
func makesShared() []string {
	return []string{"new", "append", "run", "chat", "acp", "rpc", "serve", "sync"}
}

// changed reports whether a command has a flag that the command line sets.
func changed(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && f.Changed
}

func newStore(a *app) *cobra.Command {
	status := func(ctx context.Context, _ *cobra.Command, _ []string) error { return runStoreStatus(ctx, a) }
	cmd := &cobra.Command{
		Use:   "store [status|init|upgrade|gc]",
		Short: "Say what a shared store is, and tend it",
		Long: "Says of the store of --store or CAMBIUM_STORE what it is, what an acknowledged append survives there, how much is in it, " +
			"who has which session open, and what waits on this machine to be sent.",
		GroupID: groupMore,
		Example: "cambium store status --store postgres://ada@db.example.org/sessions\ncambium store upgrade",
		RunE:    tends(a, status),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "status", Short: "Say what it is and how it is", Args: cobra.NoArgs, RunE: tends(a, status),
	}, &cobra.Command{
		Use: "init", Short: "Make what it needs, if it is not there: tables or a stream", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := work.InitStore(ctx, a.lib); err != nil {
				return err
			}
			return runStoreStatus(ctx, a)
		}),
	}, &cobra.Command{
		Use: "upgrade", Short: "Bring what an older version made up to date", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := work.UpgradeStore(ctx, a.lib); err != nil {
				return err
			}
			return runStoreStatus(ctx, a)
		}),
	}, &cobra.Command{
		Use: "gc", Short: "Take out what nobody can read any more: contents that were replaced ten minutes ago", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error { return runStoreSweep(ctx, a) }),
	})
	return cmd
}

// tends is run for the commands that open the shared store themselves.
func tends(a *app, f func(context.Context, *cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if a.err == nil {
			a.err = prepare(a)
		}
		if a.err == nil && a.lib.Scheme == "" {
			p := problem.Usage("store: no shared store is named")
			p.Todo = "say --store or set CAMBIUM_STORE: postgres://USER@HOST/DATABASE or nats://HOST"
			a.err = p
		}
		if a.err == nil {
			a.err = f(cmd.Context(), cmd, args)
		}
		return nil
	}
}

// runStoreSweep removes from a store what is no longer needed.
func runStoreSweep(ctx context.Context, a *app) error {
	n, err := work.SweepStore(ctx, a.lib)
	if errors.Is(err, work.ErrNoSweep) {
		return problem.Usage("store gc: %v", err)
	}
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(map[string]jsonSwept{"swept": {n}})
	}
	if n == 0 {
		a.Message("nothing to take out")
	} else {
		a.Message("taken out: " + term.Plural(n, "content") + " that had been replaced")
	}
	return nil
}

// jsonSwept is what store gc took out, as --json prints it.
type jsonSwept struct {
	Contents int `json:"contents"`
}

// runStoreStatus prints what the store is and how it is.
func runStoreStatus(ctx context.Context, a *app) error {
	is, err := work.Status(ctx, a.lib)
	if err != nil && is.Old == nil {
		return err
	}
	shown := print.Store(a.Console, is)
	switch {
	case err != nil:
		return errors.Join(shown, err)
	case shown == nil && is.Away:
		return problem.Problem{Exit: problem.ExitFailed, Text: "the store does not answer", Todo: "is it running, and can it be reached from here?"}
	}
	return shown
}
