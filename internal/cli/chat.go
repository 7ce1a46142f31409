package cli

import (
	"cmp"
	"context"
	"errors"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
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
			if err := standsIn(a, cmd); err != nil {
				return err
			}
			return runChat(ctx, a, o)
		}),
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeSession(cmd.Context(), a, typed)
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
			return problem.Usage("chat: --%s is for `cambium run`", name)
		}
	}
	picks := o.resume == chosenOnScreen
	if picks && len(args) == 0 {
		o.resume = "?" // what check wants to see; it is chosen later
	}
	if len(args) > 0 {
		switch {
		case strings.TrimSpace(args[0]) == "":
			return problem.Usage("chat: which session? %q names none", args[0])
		case f.Changed("resume") && !picks:
			return problem.Usage("chat: a session with --resume and another one as argument (%q)", args[0])
		case f.Changed("continue") || f.Changed("fork") || f.Changed("no-session"):
			return problem.Usage("chat: --continue, --fork and --no-session cannot be combined with a session (%q)", args[0])
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
	if !a.Draws() {
		return chatless(ctx, a, o)
	}
	if o.resume == chosenOnScreen {
		chosen, err := choose(ctx, a) // published P3
		if err != nil || chosen.path == "" {
			return err
		}
		o.resume = chosen.path
	}
	a.lib.GoesOn = true
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	h := &chatHost{a: a, o: o, stderr: a.Stderr}
	left, err := chat.Run(ctx, chat.Options{
		Library: a.lib, Host: h, Prompt: o.prompt, Prompts: work.Prompts(a.lib),
		Editor: cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR")),
	}, chatTerminal(a))
	h.end()
	for _, text := range left.Unseen {
		a.Note("", text)
	}
	if left.Waiting != "" {
		a.Note("", "this waited and was not said: "+left.Waiting)
	}
	if err == nil && left.Again != "" && a.ErrTTY {
		a.Note("", left.Again)
	}
	return chatTrouble(err)
}

// chatless says why there is no chat: what is wrong with the session that is meant
// comes first.
func chatless(ctx context.Context, a *app, o runOptions) error {
	if o.resume != "" && o.resume != chosenOnScreen {
		s, err := a.lib.OpenSource(ctx, o.resume)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }() // nothing was written
	}
	p := problem.Usage("chat: it needs a terminal")
	if a.TTY && a.Getenv("TERM") == "dumb" {
		p = problem.Usage("chat: it needs a terminal that can be drawn on, and TERM says that this one is dumb")
	}
	p.Todo = "`cambium run` does without"
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
		return problem.Problem{Exit: problem.ExitFailed, Path: screen.Path, Text: screen.Error(), Err: err, Todo: "what was said is saved; `cambium chat --continue` goes on with it"}
	case errors.As(err, &closed):
		return problem.Saving(closed.Path, closed.Err)
	case errors.As(err, &place):
		return problem.Problem{Exit: problem.ExitRefused, Text: place.Error(), Err: err}
	}
	return err
}
