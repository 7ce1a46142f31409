package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/serve"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/session"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	socket, listen, cert, key, tokens string
	roots                             []string
	limits                            serve.Limits
	verbose                           bool
}

func newServe(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Keep sessions for several programs, over a socket and HTTP",
		Long: "Speaks the JSON-RPC of `cambium rpc` to several programs at once: over a Unix socket to those of the same user, " +
			"which is what it does without flags, and with --listen over HTTP to those that have a token. " +
			"Where it listens is printed, a line each. doc/serve.md describes it.\n\n" +
			"HTTP without --cert and --key is spoken on the loopback only. Clients over HTTP name sessions only in the homes of the agents, " +
			"--session-dir and --root.\n\n" +
			"Interrupted or terminated, it lets calls under way end (--grace), saves and closes all sessions; a second time, it waits no longer.\n\n" +
			"Exit codes: 0 done, 1 entries could not be saved, or it cannot listen, 2 usage, 6 another server listens there.",
		GroupID: groupMore,
		Example: "cambium serve\n" +
			"cambium serve token add laptop --scope write\n" +
			"cambium serve --listen 127.0.0.1:7070",
		Args: cobra.NoArgs,
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if f.socket == "" && !cmd.Flags().Changed("socket") && f.listen == "" {
				f.socket = usualSocket(a)
			}
			return runServe(ctx, a, f)
		}),
	}
	cmd.AddCommand(newServeToken(a, &f))
	cmd.PersistentFlags().StringVar(&f.tokens, "tokens", "", "the file with the tokens (default tokens.json in the configuration directory)")
	l, fs := &f.limits, cmd.Flags()
	fs.StringVar(&f.socket, "socket", "", "the path of the Unix socket (default, without --listen: cambium/serve.sock in XDG_RUNTIME_DIR, else in the state directory)")
	fs.StringVar(&f.listen, "listen", "", "where HTTP is spoken, HOST:PORT")
	fs.StringVar(&f.cert, "cert", "", "the file with the certificate, PEM; read again when it changes")
	fs.StringVar(&f.key, "key", "", "the file with its key, PEM")
	fs.StringArrayVar(&f.roots, "root", nil, "a further directory in which clients over HTTP may name sessions")
	l.Body = 64 << 20
	fs.Var((*byteSize)(&l.Body), "max-body", "how large a message may be: bytes, or 100KB, 64MiB")
	fs.Float64Var(&l.Rate, "rate", 1000, "how many messages a second a token, or a connection of the socket, may send; 0 for any number")
	fs.IntVar(&l.Sessions, "max-sessions", 1000, "how many sessions may be open in all")
	fs.IntVar(&l.EachSessions, "max-sessions-each", 100, "how many sessions may be open in one connection")
	fs.IntVar(&l.Connections, "max-connections", 1000, "how many connections there may be")
	fs.DurationVar(&l.Idle, "idle", 10*time.Minute, "after which time without use a connection over HTTP is ended")
	fs.DurationVar(&l.Grace, "grace", 30*time.Second, "how long calls under way may go on when the server stops")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "tell on stderr who comes and goes")
	return cmd
}

// A byteSize is a flag for a number of bytes, as people write it.
type byteSize int64

// String returns it with a unit.
func (b *byteSize) String() string { return humanize.IBytes(uint64(max(*b, 0))) }

// Type names it in the help.
func (b *byteSize) Type() string { return "SIZE" }

// Set reads it.
func (b *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1 || n > math.MaxInt64 {
		return errors.New("want a size, such as 100KB or 64MiB")
	}
	*b = byteSize(n)
	return nil
}

// usualSocket is the path of the socket when none is named.
func usualSocket(a *app) string {
	dir := filepath.Join(a.Getenv("XDG_RUNTIME_DIR"), "cambium")
	if !filepath.IsAbs(dir) {
		dir = places.Own(a.lib.Env).State
	}
	return filepath.Join(dir, "serve.sock")
}

// tokensFile is the path of the file with the tokens.
func tokensFile(a *app, f *serveFlags) string {
	if f.tokens != "" {
		return a.lib.Absolute(f.tokens)
	}
	return filepath.Join(places.Own(a.lib.Env).Config, serve.TokensFile)
}

// check refuses limits that make no sense, and says what 0 means.
func (f *serveFlags) check() error {
	l := &f.limits
	switch {
	case f.socket == "" && f.listen == "":
		return problem.Usage("read --socket: an empty path, and no --listen: nobody would be served")
	case l.Body <= 0 || l.Sessions <= 0 || l.EachSessions <= 0 || l.Connections <= 0:
		return problem.Usage("serve: a limit that lets nobody in; want 1 or more")
	case l.Rate < 0 || l.Idle <= 0 || l.Grace < 0:
		return problem.Usage("serve: --rate and --grace cannot be below 0, --idle must be above")
	case f.listen == "" && (f.cert != "" || f.key != "" || len(f.roots) > 0):
		return problem.Usage("serve: --cert, --key and --root go with --listen")
	}
	if l.Rate == 0 {
		l.Rate = -1
	}
	if l.Grace == 0 {
		l.Grace = time.Nanosecond
	}
	return nil
}

// runServe serves until the command is interrupted.
func runServe(ctx context.Context, a *app, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	// A reader of what is printed that is gone must not end the sessions.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	hurry, stop := secondSignal()
	defer stop()
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level}))
	history, err := prompts.Open(ctx, work.Prompts(a.lib))
	if err != nil {
		return err
	}
	o := serve.Options{
		RPC: rpcOptions(context.WithoutCancel(ctx), a), Socket: a.lib.Absolute(f.socket), Listen: f.listen, Tokens: tokensFile(a, &f),
		Cert: a.lib.Absolute(f.cert), Key: a.lib.Absolute(f.key), Limits: f.limits, Hurry: hurry, Log: log,
		Ready:  func(addresses []string) { listening(a, addresses) },
		Record: func(fsys vfs.FS) session.Recorder { return a.lib.JournalOn(fsys) },
	}
	// Clients are not on the terminal that the server was started from.
	o.RPC.Env, o.RPC.Terminal = places.Detached(o.RPC.Env), ""
	o.RPC.History, o.RPC.Log = history, log
	for _, root := range f.roots {
		o.Roots = append(o.Roots, a.lib.Absolute(root))
	}
	if a.lib.Shared != nil {
		o.Ping = func(ctx context.Context) error {
			_, err := a.lib.Shared.Stat(ctx, "/")
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}
	}
	err = errors.Join(serve.Run(ctx, o), history.Close())
	switch {
	case errors.Is(err, session.ErrUnsaved), errors.Is(err, prompts.ErrUnsaved):
		return problem.Problem{Exit: problem.ExitFailed, Text: err.Error()}
	case errors.Is(err, serve.ErrNoToken):
		return problem.Problem{Exit: problem.ExitFailed, Text: err.Error(), Todo: "`cambium serve token add NAME --scope read|write` makes one"}
	case errors.Is(err, serve.ErrExposed):
		return problem.Problem{Exit: problem.ExitUsage, Text: err.Error(), Todo: "give --cert and --key, or an address of the loopback (127.0.0.1:PORT)"}
	case errors.Is(err, serve.ErrTaken), errors.Is(err, serve.ErrToken):
		return problem.Problem{Exit: problem.ExitRefused, Text: err.Error()}
	}
	return err
}

// listening prints where is served.
func listening(a *app, addresses []string) {
	for _, address := range addresses {
		_ = a.Print(console.Result{Path: address, JSON: struct { // finish says what is wrong with stdout
			Address string `json:"address"`
		}{address}})
	}
	_ = a.Out.Flush()
}

// secondSignal returns what is closed when the process is told a second time to
// end.
func secondSignal() (hurry <-chan struct{}, stop func()) {
	told := make(chan os.Signal, 2)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	second, over := make(chan struct{}), make(chan struct{})
	go func() {
		for n := range 2 {
			select {
			case <-told:
				if n == 1 {
					close(second)
				}
			case <-over:
				return
			}
		}
	}()
	return second, func() {
		signal.Stop(told)
		close(over)
	}
}

func newServeToken(a *app, f *serveFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token [add|ls|rm]",
		Short: "Make, list or take away the tokens of clients over HTTP",
		Long: "A token is printed once, when it is made; only its hash is kept, in a file that only its owner may read. " +
			"A server that runs takes every change at once.",
		Example: "cambium serve token add laptop --scope write\ncambium serve token ls\ncambium serve token rm laptop",
		RunE:    runHere(a, func(*cobra.Command, []string) error { return runTokens(a, tokensFile(a, f)) }),
	}
	var scope string
	add := &cobra.Command{
		Use:   "add NAME --scope SCOPE",
		Short: "Make a token, and print it",
		Args:  cobra.ExactArgs(1),
		RunE: runHere(a, func(cmd *cobra.Command, args []string) error {
			if scope != string(serve.Read) && scope != string(serve.Write) {
				return problem.Usage("read --scope %q: want %s or %s", scope, serve.Read, serve.Write)
			}
			t := serve.Token{Name: args[0], Scope: serve.Scope(scope), Created: a.Now()}
			secret, err := serve.AddToken(cmd.Context(), tokensFile(a, f), t, a.sys.Random)
			if err != nil {
				return tokenTrouble(err)
			}
			return a.Print(console.Result{Plain: secret, JSON: struct {
				Name  string      `json:"name"`
				Scope serve.Scope `json:"scope"`
				Token string      `json:"token"`
			}{t.Name, t.Scope, secret}})
		}),
	}
	add.Flags().StringVar(&scope, "scope", "", "what it is for: read or write")
	ls := &cobra.Command{
		Use:   "ls",
		Short: "List the tokens: names, scopes and when they were made",
		Args:  cobra.NoArgs,
		RunE:  runHere(a, func(*cobra.Command, []string) error { return runTokens(a, tokensFile(a, f)) }),
	}
	rm := &cobra.Command{
		Use:   "rm NAME",
		Short: "Take a token away",
		Args:  cobra.ExactArgs(1),
		RunE: runHere(a, func(cmd *cobra.Command, args []string) error {
			return tokenTrouble(serve.RemoveToken(cmd.Context(), tokensFile(a, f), args[0]))
		}),
	}
	cmd.AddCommand(add, ls, rm)
	return cmd
}

// runHere is run for what needs no store.
func runHere(a *app, f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if a.err == nil {
			a.err = prepare(a)
		}
		if a.err == nil {
			a.err = f(cmd, args)
		}
		return nil
	}
}

// runTokens prints the tokens of a file, without what they are.
func runTokens(a *app, path string) error {
	all, err := serve.Tokens(path)
	if err != nil {
		return tokenTrouble(err)
	}
	if len(all) == 0 {
		a.Note("", "there are no tokens")
	}
	for _, t := range all {
		err := a.Print(console.Result{
			Plain: fmt.Sprintf("%s\t%s\t%s", t.Name, t.Scope, t.Created.Format(time.DateTime)),
			JSON: struct {
				Name    string      `json:"name"`
				Scope   serve.Scope `json:"scope"`
				Created string      `json:"created"`
			}{t.Name, t.Scope, t.Created.UTC().Format("2006-01-02T15:04:05.000Z")},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tokenTrouble says how an error of tokens ends the command.
func tokenTrouble(err error) error {
	switch {
	case errors.Is(err, serve.ErrNoToken):
		return problem.Problem{Exit: problem.ExitNotFound, Text: err.Error(), Todo: "`cambium serve token ls` lists them"}
	case errors.Is(err, serve.ErrTaken), errors.Is(err, serve.ErrToken):
		return problem.Problem{Exit: problem.ExitRefused, Text: err.Error()}
	}
	return err
}
