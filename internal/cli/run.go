package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/run"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// runOptions are the flags of run.
type runOptions struct {
	prompt               string
	resume, fork         string
	continues, nowhere   bool
	model, thinking      string
	yes, listModels      bool
	system, appendSystem string
	tools, images        []string
	shell                string // a command of the person's own, "" for none
	secret               bool   // the model is not told of it
}

func newRun(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [PROMPT…]",
		Short: "Have the built-in agent do something, and print its answer",
		Long: "Says PROMPT, or what standard input holds, to a model, which may read, search and change files and run commands in the working directory, " +
			"and prints its last answer; on a terminal the answer is shown as it comes. What was said is a session, which any command here can show, " +
			"and which --continue or --resume goes on with: a session of pi, omp or xcsh, too, in the spelling of its program.\n\n" +
			"Before a command is run or a file changed, you are asked. Where nobody can be asked, the call is refused and the run ends with exit code 9; " +
			"--yes runs everything unasked, also outside the working directory.\n\n" +
			"--shell runs a COMMAND of your own and notes it, without a model; with --secret the model is never told of it. " +
			"A PROMPT is never run, whatever it begins with.\n\n" +
			"The key of the model's provider comes from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY). " +
			"Without --model it is that of the session, else of the settings, else the first of --list-models that can be used. " +
			"With --json each event is a line of JSON.\n\n" +
			"Exit codes: 0 the model has ended, 1 it could not answer, 2 usage, 3 no such session, 4 several match, 5 damaged, " +
			"6 busy, read-only, of another project or directory, 8 interrupted (what was said is saved), 9 a call needs approval.",
		GroupID: groupWrite,
		Example: "cambium run -p 'what does this project do?'\ngit diff | cambium run --model claude-opus-5-5\n" +
			"cambium run --continue -p 'now test it' --yes\ncambium run --resume 0198c2a1 --shell 'go test ./...'",
		Args: cobra.ArbitraryArgs,
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return err
			}
			if err := standsIn(a, cmd); err != nil {
				return err
			}
			if o.listModels {
				return runListModels(a)
			}
			if o.shell != "" {
				return stoppedRun(ctx, runShell(ctx, a, o))
			}
			text, err := promptText(ctx, a, o, cmd.Flags().Changed("prompt"), args)
			if err != nil {
				return stoppedRun(ctx, err)
			}
			return stoppedRun(ctx, runPrompt(ctx, a, text, o))
		}),
	}
	o.addFlags(a, cmd)
	return cmd
}

func (o *runOptions) addFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.prompt, "prompt", "p", "", "what to say; without it the arguments, else standard input, which goes in front of it where it is a pipe or a file")
	f.StringVar(&o.shell, "shell", "", "run this COMMAND of your own instead of saying something, and note it in the session")
	f.BoolVar(&o.secret, "secret", false, "with --shell: the model is never told of the command")
	f.BoolVarP(&o.continues, "continue", "c", false, "go on with what this terminal last used here, else with the newest session of this directory")
	f.StringVar(&o.resume, "resume", "", "go on with this SESSION")
	f.StringVar(&o.fork, "fork", "", "go on with a fork of this SESSION, in this working directory")
	f.StringVar(&a.cwd, "cwd", "", "the working directory to look and to work in, instead of this one, whatever SESSION says")
	f.BoolVar(&o.nowhere, "no-session", false, "keep no session")
	f.BoolVar(&o.yes, "yes", false, "run commands and change files unasked, also outside the working directory")
	f.StringArrayVar(&o.images, "image", nil, "a picture that goes with the prompt: png, jpeg, gif or webp; may be given again")
	f.BoolVar(&o.listModels, "list-models", false, "list the models and end")
	f.BoolVar(&a.lib.First, "first", false, "of several sessions that match take the newest")
	_ = cmd.MarkFlagDirname("cwd") // it is defined above
	for _, name := range []string{"resume", "fork"} {
		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeSession(cmd.Context(), a, typed)
		})
	}
	o.addModel(a, cmd, "the model", "the thinking level")
}

// addModel adds the flags of a model that is asked; model and level say whose they are.
func (o *runOptions) addModel(a *app, cmd *cobra.Command, model, level string) {
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", model+": an id, a part of one, or provider/id; :LEVEL behind it is the thinking level")
	f.StringVar(&o.thinking, "thinking", "", level+": "+strings.Join(coder.Levels(), ", "))
	f.StringSliceVar(&o.tools, "tools", nil, "the tools, with commas: "+strings.Join(coder.ToolNames(), ", ")+"; none for none")
	f.StringVar(&o.system, "system", "", "what the model is told first, instead of our own")
	f.StringVar(&o.appendSystem, "append-system", "", "what the model is told besides")
	_ = cmd.RegisterFlagCompletionFunc("model", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeModel(a), cobra.ShellCompDirectiveNoFileComp
	})
	for name, values := range map[string][]string{"thinking": coder.Levels(), "tools": append(coder.ToolNames(), "none")} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// check refuses flags that say nothing or contradict each other.
func (o *runOptions) check(cmd *cobra.Command, args []string) error {
	f := cmd.Flags()
	if err := nonBlank(cmd, "resume", "fork", "model", "thinking", "shell"); err != nil {
		return err
	}
	var which []string
	for _, name := range []string{"continue", "resume", "fork", "no-session"} {
		if f.Changed(name) {
			which = append(which, "--"+name)
		}
	}
	switch {
	case len(which) > 1:
		return problem.Usage("%s: %s cannot be combined", cmd.Name(), strings.Join(which, " and "))
	case f.Changed("prompt") && len(args) > 0:
		return problem.Usage("%s: a prompt with -p and another one as argument (%q)", cmd.Name(), args[0])
	case o.shell != "" && (f.Changed("prompt") || len(args) > 0):
		return problem.Usage("%s: a command with --shell and a prompt beside it", cmd.Name())
	case o.secret && o.shell == "":
		return problem.Usage("%s: --secret is for the command of --shell", cmd.Name())
	}
	return nil
}

// promptText is what is to be said.
func promptText(ctx context.Context, a *app, o runOptions, given bool, args []string) (string, error) {
	text := o.prompt
	if !given {
		text = strings.Join(args, " ")
	}
	text, err := run.Prompt(ctx, a.Stdin, text, given || len(args) > 0)
	switch {
	case errors.Is(err, run.ErrNothing):
		p := problem.Usage("run: %v", err)
		p.Todo = "give the prompt with -p, or on standard input"
		return "", p
	case errors.Is(err, run.ErrTooLong):
		return "", problem.Usage("read prompt: %v", err)
	}
	return text, err
}

// runPrompt says the prompt in the session that the flags name.
func runPrompt(ctx context.Context, a *app, text string, o runOptions) error {
	if strings.HasPrefix(strings.TrimSpace(text), "!") {
		a.Note("", "the prompt begins with ! and is said to the model like any other; --shell runs a command of your own")
	}
	var files []work.Picture
	for _, path := range o.images {
		files = append(files, work.PictureFile(a.lib, path))
	}
	images, err := work.Pictures(files)
	if err != nil {
		return err
	}
	return runIn(ctx, a, o, true, func(r *runner) error {
		out, err := r.coder.Prompt(ctx, text, images...)
		r.show.End(out)
		return r.ended(out, err)
	})
}

// runShell runs the command of --shell in the session that the flags name.
func runShell(ctx context.Context, a *app, o runOptions) error {
	return runIn(ctx, a, o, false, func(r *runner) error { return r.shell(ctx, o.shell, o.secret) })
}

// runIn does something in the session that the flags name; asks says that it asks a
// model.
func runIn(ctx context.Context, a *app, o runOptions, asks bool, f func(*runner) error) (err error) {
	a.lib.GoesOn = true
	r, err := newRunner(a, o, nil)
	if err != nil {
		return err
	}
	if r.asks = asks; asks {
		if err := r.usable(); err != nil {
			return err
		}
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	defer func() {
		closed := r.agent.Close(ctx)
		if err == nil && closed != nil {
			err = problem.Saving(r.path, closed)
		}
	}()
	return f(r)
}

// stoppedRun gives the end of a run that was interrupted before it had begun the
// exit code of the others.
func stoppedRun(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	p := problem.Of(err)
	if p.Exit == problem.ExitInterrupted {
		p.Exit = problem.ExitAborted
	}
	return p
}

// shell runs a person's own command.
func (r *runner) shell(ctx context.Context, command string, hidden bool) error {
	m, err := r.coder.Shell(ctx, command, hidden)
	switch {
	case err != nil:
		return r.ended(coder.Outcome{Stop: message.Error}, err)
	case !r.a.JSON:
		if err := r.show.Output(m.Output); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return r.ended(coder.Outcome{Stop: message.Aborted}, nil)
	case m.ExitCode == nil || *m.ExitCode != 0:
		return problem.Problem{Exit: problem.ExitFailed, Text: fmt.Sprintf("run %q: %s", command, cmp.Or(transcript.Ending(m.ExitCode, m.Cancelled), "stopped")), Todo: "the session has what it put out"}
	}
	return nil
}

// ended says how the prompt ended.
func (r *runner) ended(out coder.Outcome, err error) error {
	again := "`cambium run --continue` goes on with it"
	if r.path == "" {
		again = "" // it was kept nowhere
	}
	switch {
	case errors.Is(err, session.ErrUnsaved):
		return problem.Saving(r.path, err)
	case err != nil:
		p := problem.Of(err)
		p.Text = strings.TrimSuffix(p.Text, ".") // the provider's own word may be a sentence
		p.Path, p.Todo = r.path, cmp.Or(r.coder.Advice(err), p.Todo, again)
		if p.Exit == problem.ExitInterrupted {
			p.Exit = problem.ExitFailed
		}
		return p
	case out.Unapproved != "":
		return problem.Problem{Exit: problem.ExitApproval, Path: r.path, Text: fmt.Sprintf("run tool %q: it changes something, and nobody can be asked", out.Unapproved),
			Todo: r.unasked()}
	case out.Stop == message.Aborted:
		return problem.Problem{Exit: problem.ExitAborted, Path: r.path, Text: "interrupted", Todo: strings.TrimPrefix("what was said is saved; "+again, "what was said is saved; ")}
	case out.Stop == message.Length:
		r.a.Note("", "the answer was cut off at its limit of tokens")
	case out.Text == "" && out.Turns > 0:
		r.a.Note("", "the model ended without saying anything")
	}
	return nil
}

// unasked says how the session is gone on with unasked.
func (r *runner) unasked() string {
	again := problem.Hint{Run: []string{problem.Program, "run"}}
	if s := r.coder.Agent().Session(); r.path != "" && s != nil {
		again.Run = append(again.Run, "--resume", called(r.a, s))
	}
	if r.agent.Dir != r.a.lib.Dir || r.a.cwd != "" {
		again.Run = append(again.Run, "--cwd", r.agent.Dir)
	}
	again.Run = append(again.Run, "--yes", "-p", "go on")
	line, ok := again.Line()
	if !ok {
		return "say --yes to run it unasked"
	}
	return "say --yes to run it unasked: " + line
}
