package cli

import (
	"context"
	"errors"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/spf13/cobra"
)

// chosenOnScreen is the value of --resume without one: choose on the screen.
const chosenOnScreen = " "

func newChat(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "chat [SESSION]",
		Short: "Talk with the built-in agent on the terminal",
		Long: "Shows a conversation with the built-in agent: a new one, or that of SESSION, which may be one of pi, omp or xcsh, too. " +
			"What is said is kept as by `cambium run`. With --continue it is what this terminal last used here, with --resume alone you choose.\n\n" +
			"Enter sends; while the agent works it steers, and Alt+Enter waits for its end. Esc stops it, twice shows the tree of the session; Ctrl+C twice leaves. " +
			"/help on the screen lists all keys and commands.\n\n" +
			"Before a command is run or a file changed, you are asked: y, n, or a for always. --yes asks nothing.\n\n" +
			"Exit codes: 0 left, 1 failed, 2 usage or no terminal, 3 no such session, 4 several match, 5 damaged, " +
			"6 busy, read-only, of another project or directory, 130 ended by a signal (what was said is saved).",
		GroupID: groupWrite,
		Example: "cambium chat\ncambium chat 0198c2a1\ncambium chat --continue --model claude-opus-5-5:high\ncambium chat --resume",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := o.checkChat(cmd, args); err != nil {
				return err
			}
			if err := a.standsIn(cmd); err != nil {
				return err
			}
			return runChat(ctx, a, o)
		}),
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completeSession(cmd.Context(), typed)
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.Lookup("resume").NoOptDefVal = chosenOnScreen
	f.Lookup("resume").Usage = "go on with SESSION; alone, with one that you choose"
	f.Lookup("prompt").Usage = "what to say first"
	for _, name := range onlyRun() {
		_ = f.MarkHidden(name) // it is defined above
	}
	return cmd
}

// onlyRun are the flags of run that the chat does without.
func onlyRun() []string { return []string{"list-models", "image", "shell", "secret"} }

// checkChat refuses flags that contradict each other, and makes --resume of
// SESSION.
func (o *runOptions) checkChat(cmd *cobra.Command, args []string) error {
	f := cmd.Flags()
	for _, name := range onlyRun() {
		if f.Changed(name) {
			return usage("chat: --%s is for `cambium run`", name)
		}
	}
	picks := o.resume == chosenOnScreen
	if picks && len(args) == 0 {
		o.resume = "?" // what check wants to see; it is chosen later
	}
	if len(args) > 0 {
		switch {
		case strings.TrimSpace(args[0]) == "":
			return usage("chat: which session? %q names none", args[0])
		case f.Changed("resume") && !picks:
			return usage("chat: a session with --resume and another one as argument (%q)", args[0])
		case f.Changed("continue") || f.Changed("fork") || f.Changed("no-session"):
			return usage("chat: --continue, --fork and --no-session cannot be combined with a session (%q)", args[0])
		}
		o.resume = args[0]
	}
	if picks && len(args) > 0 {
		return nil
	}
	if err := o.check(cmd, nil); err != nil {
		return err
	}
	if picks {
		o.resume = chosenOnScreen
	}
	return nil
}

// runChat shows the conversation until it is left.
func runChat(ctx context.Context, a *app, o runOptions) error {
	if !a.browses() {
		return chatless(ctx, a, o)
	}
	if o.resume == chosenOnScreen {
		path, err := chatChoice(ctx, a)
		if err != nil || path == "" {
			return err
		}
		o.resume = path
	}
	a.lib.GoesOn = true
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	h := &chatHost{a: a, o: o, stderr: a.Stderr}
	left, err := chat.Run(ctx, chat.Options{
		Library: a.lib, Host: h, Prompt: o.prompt, Prompts: a.recallOptions(),
		Editor: first(a.lib.Env.Getenv("VISUAL"), a.lib.Env.Getenv("EDITOR")),
	}, chatTerminal(a))
	h.end()
	for _, text := range left.Unseen {
		a.note("", text)
	}
	if left.Waiting != "" {
		a.note("", "this waited and was not said: "+left.Waiting)
	}
	if err == nil && left.Again != "" && a.errTTY {
		a.note("", left.Again)
	}
	return chatTrouble(err)
}

// chatless says why there is no chat: what is wrong with the session that is meant
// comes first.
func chatless(ctx context.Context, a *app, o runOptions) error {
	if o.resume != "" && o.resume != chosenOnScreen {
		s, err := a.openSource(ctx, o.resume)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }() // nothing was written
	}
	p := usage("chat: it needs a terminal")
	if a.tty && a.lib.Env.Getenv("TERM") == "dumb" {
		p = usage("chat: it needs a terminal that can be drawn on, and TERM says that this one is dumb")
	}
	p.todo = "`cambium run` does without"
	return p
}

// chatTrouble says how a chat ends the command.
func chatTrouble(err error) error {
	var (
		screen *chat.ScreenError
		closed *chat.CloseError
		place  *chat.PlaceError
	)
	switch {
	case errors.As(err, &screen):
		return problem{exit: exitFailed, path: screen.Path, text: screen.Error(), err: err, todo: "what was said is saved; `cambium chat --continue` goes on with it"}
	case errors.As(err, &closed):
		return failed(closed.Path, closed.Err)
	case errors.As(err, &place):
		return problem{exit: exitRefused, text: place.Error(), err: err}
	}
	return err
}

// chatChoice lets a person choose a session before the chat begins (published
// P3); "" for none.
func chatChoice(ctx context.Context, a *app) (string, error) {
	opt := a.lib.Catalog()
	if a.lib.SessionDir == "" {
		opt.CWD = a.lib.Dir
	}
	all, err := catalog.List(ctx, opt)
	switch {
	case err != nil:
		return "", listingTrouble(a, err)
	case len(all) == 0:
		return "", a.outcome("No sessions found")
	}
	chosen, ok, err := a.pick(ctx, all)
	if err == nil && !ok {
		err = a.outcome("No session selected")
	}
	return chosen.path, err
}
