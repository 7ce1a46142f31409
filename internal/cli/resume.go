package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/handover"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// resumeOptions are the flags of resume and continue.
type resumeOptions struct {
	leaf        string
	print, fork bool
	look        bool // it is only said which session it is: nothing is written
}

func (o *resumeOptions) addFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.cwd, "cwd", "", "the working directory to look and to work in, and to fork into, instead of this one")
	_ = cmd.MarkFlagDirname("cwd") // it is defined above
	f.BoolVar(&o.fork, "fork", false, "go on with a fork of it in this working directory")
	f.BoolVar(&o.print, "print", false, "print the path of the session, start nothing; --leaf is carried out all the same")
	f.StringVar(&o.leaf, "leaf", "", "go on from this ENTRY")
	printsPath(a, cmd)
	completesEntries(a, cmd, "leaf")
}

const handoverHelp = "The program is looked for on the PATH and gets the terminal; if it is not there, the command to copy is printed. " +
	"With --print the session's path is printed instead, with --json who would be started how. " +
	"With --leaf the session goes on from ENTRY, as `cambium branch` makes it. --if-busy counts as for commands that write.\n\n" +
	"If the session's directory is no longer there, it is looked for by what was noted of it " +
	"(device and inode, first commit of git), and the session is moved there if you say so; nothing is moved unasked."

func newResume(a *app) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "resume [SESSION]",
		Short: "Go on with a session in its own agent program",
		Long: "Starts the agent program of a session in its directory, to go on with it: `pi --session PATH`, `omp --resume PATH`, `xcsh --resume PATH`, and `cambium chat` for one of Cambium. " +
			"Sessions of this working directory come first. One of another project is forked into this one if you say so. " +
			"One that is given as a path, or chosen, and was recorded elsewhere is gone on with there if you say so: you see where that is, and --cwd says it instead. " +
			"Without SESSION you choose among those of this working directory.\n\n" + handoverHelp + "\n\n" +
			"Exit codes: 0 done or nothing chosen, 1 the program is not there, 2 usage, 3 not found, 4 several match, 5 damaged, " +
			"6 busy, of another project, or it would run where you did not say, 130 interrupted; else that of the program.",
		GroupID: groupWrite,
		Example: "cambium resume 0198c2a1\ncambium resume 'water for the garden' --leaf 5f0c1d2e\ncd \"$(dirname \"$(cambium resume --print 0198c2a1)\")\"",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := begins(a, cmd); err != nil {
				return err
			}
			if len(args) == 0 {
				return chooseResumed(ctx, a, o)
			}
			return resume(ctx, a, args[0], o)
		}),
	}
	takesSession(a, cmd)
	o.addFlags(a, cmd)
	return cmd
}

// begins checks the flags of resume and continue and settles where to look.
func begins(a *app, cmd *cobra.Command) error {
	if err := nonEmpty(cmd, "leaf"); err != nil {
		return err
	}
	a.lib.GoesOn = true
	return standsIn(a, cmd)
}

// standsIn has a command look and work in the directory that --cwd names, as if it
// had been started there.
func standsIn(a *app, cmd *cobra.Command) error {
	if err := nonEmpty(cmd, "cwd"); err != nil || !cmd.Flag("cwd").Changed {
		return err
	}
	if a.lib.Dir = filepath.Clean(a.lib.Absolute(a.cwd)); !work.IsDir(a.lib.Dir) {
		return problem.Usage("--cwd %q: there is no such directory", a.cwd)
	}
	return nil
}

// chooseResumed lets a person choose among the sessions of this working directory. An
// empty list and no choice end with the published line.
func chooseResumed(ctx context.Context, a *app, o resumeOptions) error {
	if !a.Draws() {
		return unchosen(ctx, a)
	}
	chosen, err := choose(ctx, a)
	if err != nil || chosen.path == "" {
		return err
	}
	if chosen.leaf != "" {
		o.leaf = chosen.leaf
	}
	return resume(ctx, a, chosen.path, o)
}

// unchosen is the end of a command that has no screen to choose a session on.
func unchosen(ctx context.Context, a *app) error {
	all, err := work.Local(ctx, a.lib)
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return a.Outcome("No sessions found")
	}
	p := problem.Usage("resume: which session? name it: its id, the beginning of its id, its name or its path")
	if a.JSON || !a.TTY {
		p.Todo = "`cambium recent` lists those of this directory"
		return p
	}
	return errors.Join(p, print.Table(ctx, a.Console, slices.Values(all), slices.Values(all)))
}

// choose lets a person choose among the sessions of this working directory. The path is
// "" when none was chosen, which is said.
func choose(ctx context.Context, a *app) (choice, error) {
	all, err := work.Local(ctx, a.lib)
	switch {
	case err != nil:
		return choice{}, err
	case len(all) == 0:
		return choice{}, a.Outcome("No sessions found")
	}
	chosen, ok, err := pickOne(ctx, a, all)
	if err == nil && !ok {
		return choice{}, a.Outcome("No session selected")
	}
	return chosen, err
}

// resume goes on with the session that arg names.
func resume(ctx context.Context, a *app, arg string, o resumeOptions) error {
	if o.look {
		return tellTarget(ctx, a, arg)
	}
	t, err := work.Resume(ctx, a.lib, arg, o.options(a))
	if err != nil {
		return notGoneOn(a, err)
	}
	return handOver(ctx, a, t, o.only(a))
}

// options are those of the library.
func (o *resumeOptions) options(a *app) work.ResumeOptions {
	return work.ResumeOptions{Leaf: o.leaf, Fork: o.fork, Here: a.cwd != "", Only: o.only(a)}
}

// only reports whether it is only said what is gone on with.
func (o *resumeOptions) only(a *app) bool { return o.print || a.JSON }

// tellTarget prints with which session one would go on, and changes nothing.
func tellTarget(ctx context.Context, a *app, arg string) error {
	path, err := a.lib.Resolve(ctx, arg)
	if err != nil {
		return err
	}
	t, err := work.Find(ctx, a.lib, path)
	if err != nil {
		return err
	}
	t.CWD = a.lib.Homely(t.CWD)
	return a.Print(console.Result{Path: t.Path, JSON: jsonTarget{t.ID, t.Path, string(t.Agent), t.CWD, handover.Command(a.lib, t)}})
}

// notGoneOn is how a command ends that could not go on with the session that arg
// names.
func notGoneOn(a *app, err error) error {
	if errors.Is(err, work.ErrStays) {
		return a.Outcome("Resume cancelled: session was not moved.")
	}
	if p, ok := problem.GoingOn(err, a.Quoted); ok {
		return p
	}
	return err
}

func newContinue(a *app) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "continue",
		Short: "Go on with what this terminal last used here",
		Long: "Starts the agent program of the session that this terminal last used in this working directory, else of the newest session of it, " +
			"to go on with it in the session's directory. When there is none, the program of --agent begins a new one.\n\n" + handoverHelp + "\n\n" +
			"Exit codes: 0 done, 1 the program is not there, 2 usage, 3 nothing to go on with, 5 damaged, 6 busy, or it would run where you did not say, " +
			"130 interrupted; else that of the program.",
		GroupID: groupWrite,
		Example: "cambium continue\ncambium continue --agent pi\ncambium show \"$(cambium continue --print)\"",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if err := begins(a, cmd); err != nil {
				return err
			}
			return runContinue(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	return cmd
}

// runContinue goes on with the session that continue finds; where there is none the
// program of the agent begins one.
func runContinue(ctx context.Context, a *app, o resumeOptions) error {
	t, err := work.Continue(ctx, a.lib, o.options(a))
	switch {
	case err != nil:
		return notGoneOn(a, err)
	case t.Path == "":
		return continueNew(ctx, a, t, o)
	}
	return handOver(ctx, a, t, o.only(a))
}

// continueNew begins a session, in the program of the agent.
func continueNew(ctx context.Context, a *app, t work.Target, o resumeOptions) error {
	none := problem.Problem{Exit: problem.ExitNotFound, Text: fmt.Sprintf("continue: no session of %q", a.lib.Dir),
		Todo: "`cambium continue --agent pi` (or omp, xcsh) begins one, `cambium recent --all` lists those of other projects"}
	if o.leaf != "" || o.fork || o.print || a.JSON {
		return none
	}
	if t.Own() && !a.Draws() {
		return none
	}
	return handOver(ctx, a, t, false)
}

// jsonTarget is a session that is gone on with.
type jsonTarget struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	Agent   string   `json:"agent"`
	CWD     string   `json:"cwd"`
	Command []string `json:"command,omitempty"`
}

// handOver notes that the session is in use in this terminal and starts its
// program in the directory that was agreed to, in place of the command. With only
// printing it prints the path instead.
func handOver(ctx context.Context, a *app, t work.Target, only bool) error {
	t.CWD = a.lib.Homely(t.CWD)
	if t.Path != "" {
		a.lib.Visited(session.Visit{Agent: t.Agent, CWD: t.CWD, Path: t.Path})
	}
	args := handover.Command(a.lib, t)
	switch {
	case only || a.JSON:
		return a.Print(console.Result{Path: t.Path, JSON: jsonTarget{t.ID, t.Path, string(t.Agent), t.CWD, args}})
	case handover.Draws(args) && !a.Draws():
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Text: fmt.Sprintf("resume session %q: it is one of Cambium's own, which `cambium chat` shows on a terminal", t.ID),
			Todo: problem.Advice(problem.Hint{Run: []string{problem.Program, "run", "--resume", problem.CalledAs(t.ID, t)}, Does: "goes on with it"},
				problem.Hint{Run: []string{problem.Program, "show"}, Of: []string{problem.CalledAs(t.ID, t)}, Does: "shows it"})}
	case a.lib.Shared != nil:
		return problem.InStore(a.lib, t)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	path, ok := handover.File(args[0], a.Getenv("PATH"))
	if !ok {
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Text: fmt.Sprintf("start %q: it is not on the PATH", args[0]),
			Todo: problem.InShell("to go on with the session: ", t.Dir, args)}
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	a.lib.CloseIndex() // nothing of this process is run after the start
	start := a.sys.Start
	if start == nil {
		start = handover.Become
	}
	err := start(handover.Program{Path: path, Args: args, Dir: t.Dir, Env: handover.Environ(a.Env, t.Dir, a.lib.AgentDir)})
	var ended *handover.Ended
	switch {
	case errors.As(err, &ended):
		return problem.Problem{Exit: ended.Code, Printed: true}
	case err != nil:
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Err: err, Text: fmt.Sprintf("start %q: %v", path, work.Cause(err)),
			Todo: problem.InShell("to go on with the session: ", t.Dir, args)}
	}
	return nil
}
