package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/cambium-dev/cambium/internal/buildinfo"
	"github.com/cambium-dev/cambium/internal/builtin"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newRPC(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rpc",
		Short: "Keep sessions for another program, by JSON-RPC over stdin and stdout",
		Long: "Speaks JSON-RPC 2.0 over standard input and output, one message a line: a program in any language opens, " +
			"reads, appends to, branches and lists sessions with it. doc/rpc.md describes every method.\n\n" +
			"The global flags are what calls mean that do not say otherwise. At the end of the input, " +
			"and when it is interrupted, all sessions are saved and closed.\n\n" +
			"Exit codes: 0 done, 1 entries could not be saved, 2 usage, 130 interrupted.",
		GroupID: groupMore,
		Example: `echo '{"jsonrpc":"2.0","id":1,"method":"session.listAll"}' | cambium rpc`,
		Args:    cobra.NoArgs,
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			return runRPC(ctx, a)
		}),
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "")
	_ = cmd.Flags().MarkHidden("json") // the flag exists; what is spoken is JSON
	return cmd
}

// runRPC serves standard input and output.
func runRPC(ctx context.Context, a *app) error {
	// A client that is gone must be an error of the write: the signal would
	// end the process before the sessions are saved.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	history, err := prompts.Open(ctx, work.Prompts(a.lib))
	if err != nil {
		return err
	}
	o := rpcOptions(ctx, a)
	o.History = history
	err = rpc.Serve(ctx, a.Stdin, a.Stdout, o)
	err = errors.Join(err, history.Close())
	if errors.Is(err, session.ErrUnsaved) || errors.Is(err, prompts.ErrUnsaved) {
		// Not wrapped: whatever else ended the service, this is what counts.
		return problem.Problem{Exit: problem.ExitFailed, Text: err.Error()}
	}
	return err
}

// rpcOptions are what sessions are served with: by the global flags, on the disk
// or in the shared store, which is looked into for as long as ctx lasts.
func rpcOptions(ctx context.Context, a *app) rpc.Options {
	o := rpc.Options{
		Env: a.lib.StoreEnv(), Agent: a.lib.Agent, AgentDir: a.lib.AgentDir, SessionDir: a.lib.SessionDir,
		Strict: a.strict, Terminal: a.lib.Terminal, Now: a.Now, Random: a.sys.Random, Log: a.lib.Log(),
		Version: buildinfo.Read().String(), Programs: work.Databases(),
	}
	if x := a.lib.Index(); x != nil {
		o.Index = x
	}
	set, err := builtin.Settings(a.lib, a.Note)
	if err != nil {
		a.Note("", err.Error()) // the built-in prices hold
	}
	o.Prices = pricesOf(builtin.Models(a.lib, set))
	if a.lib.Shared != nil {
		o.Store, o.Blobs, o.FS = a.lib.Shared.Store, a.lib.Shared.Blobs, storefs.New(ctx, a.lib.Shared.Store)
		o.Offline, o.Holder = offlineOf(a), a.lib.Holder()
	} else {
		o.Presence, o.Memory = a.lib.Presence(), a.lib.Memory()
	}
	if a.lib.Records() {
		o.Undo = a.lib.Journal()
	}
	return o
}
