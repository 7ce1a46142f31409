package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
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
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "")
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
	history, err := prompts.Open(ctx, a.recallOptions())
	if err != nil {
		return err
	}
	o := rpcOptions(ctx, a)
	o.History = history
	err = rpc.Serve(ctx, a.Stdin, a.Stdout, o)
	err = errors.Join(err, history.Close())
	if errors.Is(err, session.ErrUnsaved) || errors.Is(err, prompts.ErrUnsaved) {
		// Not wrapped: whatever else ended the service, this is what counts.
		return problem{exit: exitFailed, text: err.Error()}
	}
	return err
}

// device returns the terminal behind a standard input ("/dev/pts/3"), "" when
// there is none or it is not known.
func device(stdin io.Reader) string {
	f, ok := stdin.(*os.File)
	if !ok || !term.IsTerminal(f) {
		return ""
	}
	name, err := vfs.OS().Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return name
}
