package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
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
			return a.chatWith(ctx, o)
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
		err := err.(problem)
		err.text = strings.Replace(err.text, "run:", "chat:", 1)
		return err
	}
	if picks {
		o.resume = chosenOnScreen
	}
	return nil
}

// chatWith shows the conversation until it is left.
func (a *app) chatWith(ctx context.Context, o runOptions) error {
	if !a.browses() {
		if o.resume != "" && o.resume != chosenOnScreen { // that comes first
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
	if o.resume == chosenOnScreen {
		path, err := a.chatChoice(ctx)
		if err != nil || path == "" {
			return err
		}
		o.resume = path
	}
	a.lib.GoesOn = true
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	c := newChatScreen(ctx, a, o)
	r, err := a.newRunner(o, c.furnish)
	if err != nil {
		return err
	}
	r.makes, r.hears = true, c.source.heard
	r.asks = r.usual != nil
	c.r = r
	stderr := a.Stderr
	a.Stderr = startNotes{chatNotes{c.pump}, stderr} // what is noted is seen on the screen, what is asked before
	defer c.notes.close()
	err = r.start(ctx)
	a.Stderr = stderr
	if err != nil {
		for _, text := range c.pump.left(false) {
			a.note("", text)
		}
		var known problem
		if rest, ok := strings.CutPrefix(err.Error(), "run: "); ok && errors.As(err, &known) {
			known.text = "chat: " + rest
			return known
		}
		return err
	}
	return a.runChat(ctx, c)
}

// chatChoice lets a person choose a session before the chat begins (published
// P3); "" for none.
func (a *app) chatChoice(ctx context.Context) (string, error) {
	opt := a.lib.Catalog()
	if a.lib.SessionDir == "" {
		opt.CWD = a.lib.Dir
	}
	all, err := catalog.List(ctx, opt)
	switch {
	case err != nil:
		return "", a.listTrouble(err)
	case len(all) == 0:
		return "", a.outcome("No sessions found")
	}
	chosen, ok, err := a.pick(ctx, all)
	if err == nil && !ok {
		err = a.outcome("No session selected")
	}
	return chosen.path, err
}

// spare is how many bytes more than else are left lying before they are collected.
// A chat lives on about 4 MB and leaves one or two with each thing that a person
// does; Go would collect at 8, in the middle of every other one.
const spare = 16 << 20

// runChat runs the screen, and closes the agent whatever happens; the terminal is
// then as it was.
func (a *app) runChat(ctx context.Context, c *chat) (err error) {
	stderr := a.Stderr
	a.Stderr = chatNotes{c.pump} // the screen is not to be written on
	defer func() {
		c.source.stop()
		again, waited := c.goesOn(), c.queue.take()
		closed := c.r.coder.Agent().Close(context.WithoutCancel(ctx))
		a.Stderr = stderr
		for _, text := range c.pump.left(true) {
			a.note("", text)
		}
		if waited != "" {
			a.note("", "this waited and was not said: "+waited)
		}
		closed = errors.Join(closed, c.recalls.close())
		if err == nil && closed != nil {
			err = failed(c.r.path, closed)
		}
		if err == nil && again != "" && a.errTTY {
			a.note("", again)
		}
	}()
	env := a.Env
	if a.flags.noColor {
		env = append(env[:len(env):len(env)], "NO_COLOR=1")
	}
	ballast := make([]byte, spare/2) // never touched, so it takes no memory
	defer runtime.KeepAlive(ballast)
	var model tea.Model = c
	if a.wrapScreen != nil {
		model = a.wrapScreen(c)
	}
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(a.Stdin), tea.WithOutput(a.Stdout),
		tea.WithEnvironment(env), tea.WithoutSignalHandler(), tea.WithFPS(frames))
	_, err = program.Run()
	switch {
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return context.Canceled
	case err != nil:
		return problem{exit: exitFailed, path: c.r.path, text: fmt.Sprintf("show chat: %v", err), err: err, todo: "what was said is saved; `cambium chat --continue` goes on with it"}
	}
	return nil
}

// goesOn says how to go on with the session that is left; "" where it is kept
// nowhere.
func (c *chat) goesOn() string {
	s := c.agent().Session()
	if s == nil || !s.Persisted() || !s.OnDisk() {
		return ""
	}
	again := hint{run: []string{ownProgram, "chat"}, of: []string{c.a.called(s)}}
	if c.a.lib.AgentDir != "" {
		again.run = append(again.run, "--agent", c.a.flags.agent, "--agent-dir", c.a.lib.AgentDir)
	}
	if c.a.lib.SessionDir != "" {
		again.run = append(again.run, "--session-dir", c.a.lib.SessionDir)
	}
	if c.a.lib.Store != "" && c.a.lib.Env.Getenv("CAMBIUM_STORE") != c.a.lib.Store {
		again.run = append(again.run, "--store", work.PlainURL(c.a.lib.Store))
	}
	line, ok := again.line()
	if !ok {
		return "" // what it is called cannot be written
	}
	return "to go on: `" + line + "`, here also --continue"
}

// called is what names a session on the command line: its id, or its path where it
// is in nobody's home, or where the id cannot be written.
func (a *app) called(s *session.Session) string {
	inside := func(dir string) bool {
		return strings.HasPrefix(s.Path(), filepath.Clean(dir)+string(filepath.Separator))
	}
	known := a.lib.Store != "" || slices.ContainsFunc(a.places(), inside)
	if known && writable(s.ID()) {
		return s.ID()
	}
	return s.Path()
}

// chatTheme is how the screen looks on this terminal.
func (a *app) chatTheme(dark bool) theme.Theme {
	return theme.New(theme.DepthOf(a.lib.Env.Getenv, a.flags.noColor), dark)
}

// furnish makes the coder one that is seen on the screen.
func (c *chat) furnish(_ *runner, o *coder.Options) {
	o.Session.Dialect = c.a.lib.Agent // what is switched to may be anybody's
	o.Session.OnEvent = c.source.heard
	if c.notes.to = o.Session.OnVisit; c.notes.to != nil {
		o.Session.OnVisit = c.notes.note
	}
	o.Tell, o.Approve, o.Refuse = c.listener.tell, c.questions.approve, c.questions.refuse
	o.EnterMode, o.OnTodos, o.OnDirectory = c.listener.enterMode, c.listener.arriving, c.questions.directory
}
