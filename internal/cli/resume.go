package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/internal/workplace"
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
	f.StringVar(&a.flags.cwd, "cwd", "", "the working directory to look and to work in, and to fork into, instead of this one")
	_ = cmd.MarkFlagDirname("cwd") // it is defined above
	f.BoolVar(&o.fork, "fork", false, "go on with a fork of it in this working directory")
	f.BoolVar(&o.print, "print", false, "print the path of the session, start nothing; --leaf is carried out all the same")
	f.StringVar(&o.leaf, "leaf", "", "go on from this ENTRY")
	a.printsPath(cmd)
	a.completesEntries(cmd, "leaf")
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
			if err := a.begins(cmd, o); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.choose(ctx, o)
			}
			return a.resume(ctx, args[0], o)
		}),
	}
	a.takesSession(cmd)
	o.addFlags(a, cmd)
	return cmd
}

// begins checks the flags of resume and continue and settles where to look.
func (a *app) begins(cmd *cobra.Command, o resumeOptions) error {
	if f := cmd.Flag("leaf"); f.Changed && o.leaf == "" {
		return usage("--leaf requires a non-empty value")
	}
	if err := a.standsIn(cmd); err != nil {
		return err
	}
	a.lib.GoesOn = true
	return nil
}

// standsIn has a command look and work in the directory that --cwd names, as if it
// had been started there.
func (a *app) standsIn(cmd *cobra.Command) error {
	switch f := cmd.Flag("cwd"); {
	case !f.Changed:
		return nil
	case a.flags.cwd == "":
		return usage("--cwd requires a non-empty value")
	}
	if a.lib.Dir = filepath.Clean(a.lib.Absolute(a.flags.cwd)); !work.IsDir(a.lib.Dir) {
		return usage("--cwd %q: there is no such directory", a.flags.cwd)
	}
	return nil
}

// A chooser lets a person choose among sessions on the terminal; ok is false when
// none was chosen. It leaves the terminal as it found it.
type chooser func(ctx context.Context, all []catalog.Info) (chosen choice, ok bool, err error)

// choose lets a person choose among the sessions of this working directory. An
// empty list and no choice end with the published line.
func (a *app) choose(ctx context.Context, o resumeOptions) error {
	opt := a.lib.Catalog()
	if a.lib.SessionDir == "" {
		opt.CWD = a.lib.Dir
	}
	bar := a.progress("read sessions")
	opt.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	all, err := catalog.List(ctx, opt)
	bar.Close()
	switch {
	case err != nil:
		return a.listTrouble(err)
	case len(all) == 0:
		return a.outcome("No sessions found")
	case a.pick == nil || !a.browses():
		p := usage("resume: which session? name it: its id, the beginning of its id, its name or its path")
		if a.flags.json || !a.tty {
			p.todo = "`cambium recent` lists those of this directory"
			return p
		}
		return errors.Join(p, a.table(ctx, slices.Values(all), slices.Values(all)))
	}
	chosen, ok, err := a.pick(ctx, all)
	switch {
	case err != nil:
		return err
	case !ok:
		return a.outcome("No session selected")
	}
	if chosen.leaf != "" {
		o.leaf = chosen.leaf
	}
	return a.resume(ctx, chosen.path, o)
}

// outcome says how a command ended that did nothing and did not fail.
func (a *app) outcome(text string) error {
	if a.flags.json {
		a.note("", text)
		return nil
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}

// resume goes on with the session that arg names.
func (a *app) resume(ctx context.Context, arg string, o resumeOptions) error {
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	t, err := a.find(ctx, path)
	if err != nil {
		return err
	}
	if o.look {
		return a.told(t)
	}
	if a.foreign(arg, t) && !o.fork {
		if o.fork, err = a.thereOrHere(ctx, arg, t); err != nil {
			return err
		}
	}
	return a.goOn(ctx, arg, t, o)
}

// find reads what is to be known of the session at a path to go on with it, and
// says what is wrong with it.
func (a *app) find(ctx context.Context, path string) (target, error) {
	return a.findAnd(ctx, path, a.lib.Damage)
}

// findAnd is find with something else to be done with the session.
func (a *app) findAnd(ctx context.Context, path string, do func(*session.Session)) (target, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.lib.Env.Cwd, path)
	}
	s, err := a.openSource(ctx, path)
	if err != nil {
		return target{}, err
	}
	do(s)
	t := targetOf(s)
	return t, s.Close()
}

// foreign reports whether a session that was found by a name is of another
// project, which is there.
func (a *app) foreign(arg string, t target) bool {
	return !catalog.IsPath(arg) && a.lib.SessionDir == "" && !a.lib.SameDir(t.cwd, a.lib.Dir) && work.IsDir(t.cwd)
}

// forksHere asks whether to fork a session of another project into this one
// (published P3). No is an error; where nobody can be asked it says what to do. by
// is the command that goes on.
func (a *app) forksHere(ctx context.Context, arg string, t target, by string) (bool, error) {
	refusal := &cambium.OtherProject{Arg: arg, Info: catalog.Info{Path: t.path, CWD: t.cwd}}
	p := problem{exit: exitRefused, path: t.path, text: refusal.Error(), err: refusal}
	if !a.asks() {
		of := calledAs(arg, t)
		ways := []hint{forksIt(by, of, "goes on with a fork of it in this directory")}
		if dir, ok := a.fit(t); ok {
			ways = append(ways, worksIn(by, dir, of, "with itself in its own"))
		}
		p.todo = advice(ways...)
		return false, p
	}
	yes, err := a.agreed(ctx, fmt.Sprintf("Session found in different project: %s. Fork into current directory?", a.shown(t.cwd)))
	if err == nil && !yes {
		err = p
	}
	return yes, err
}

// thereOrHere asks what to do with a session of another project: to go there, to fork it
// into this one, or to leave it, which is an error. Where nobody can be asked it says
// what to do.
func (a *app) thereOrHere(ctx context.Context, arg string, t target) (fork bool, err error) {
	if !a.asks() {
		return a.forksHere(ctx, arg, t, "resume")
	}
	for {
		text, err := a.ask(ctx, fmt.Sprintf("Session found in different project: %s. Go there (g), fork into current directory (f), or leave it (l)?", a.shown(t.cwd)), "l")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(text) {
		case "g", "go":
			return false, nil
		case "f", "fork", "y", "yes":
			return true, nil
		case "l", "leave", "n", "no", "":
			refusal := &cambium.OtherProject{Arg: arg, Info: catalog.Info{Path: t.path, CWD: t.cwd}}
			return false, problem{exit: exitRefused, path: t.path, text: refusal.Error(), err: refusal}
		}
	}
}

// told prints with which session one would go on, and changes nothing.
func (a *app) told(t target) error {
	t.cwd = a.lib.Homely(t.cwd)
	return a.print(result{path: t.path, json: jsonTarget{t.id, t.path, string(t.agent), t.cwd, a.command(t)}})
}

// goOn does to a session what was asked for and hands it over to its program.
func (a *app) goOn(ctx context.Context, arg string, t target, o resumeOptions) error {
	t, err := a.settle(ctx, arg, t, o.fork)
	switch {
	case errors.Is(err, errCancelled):
		return a.outcome("Resume cancelled: session was not moved.")
	case err != nil:
		return err
	}
	if !a.only(o) && a.lib.Shared == nil && t.dir == "" { // else nothing is started, or it is agreed to
		if t.dir, err = a.agreedPlace(ctx, t, "resume"); err != nil {
			return err
		}
	}
	dir := t.dir
	if t, err = a.ready(ctx, t, o.leaf); err != nil {
		return err
	}
	t.dir = dir
	return a.handOver(ctx, t, a.only(o))
}

// only reports whether it is only said what is gone on with.
func (a *app) only(o resumeOptions) bool { return o.print || a.flags.json }

// settle returns the session to go on with: a fork of it in this directory, or
// itself, moved if its directory is gone. The error is errCancelled when it is to
// stay where it is.
func (a *app) settle(ctx context.Context, arg string, t target, fork bool) (target, error) {
	switch {
	case fork:
		return a.forked(ctx, t, a.lib.Dir)
	case a.lib.Shared == nil && workplace.Look(t.cwd, a.machine()).Gone:
		return a.rehouse(ctx, arg, t)
	}
	return t, nil
}

// forked makes a fork of a session in another directory.
func (a *app) forked(ctx context.Context, t target, dir string) (target, error) {
	s, err := session.ForkFrom(ctx, t.path, dir, a.lib.Session())
	if err != nil {
		return t, failed(t.path, err)
	}
	now := targetOf(s)
	if err := s.Close(); err != nil {
		return t, failed(now.path, err)
	}
	a.note(now.path, "a fork of "+t.path)
	return now, nil
}

// ready makes the entry leaf, if there is one, the place where the session goes
// on, and heeds who else has the session open.
func (a *app) ready(ctx context.Context, t target, leaf string) (target, error) {
	if leaf == "" {
		return a.beside(ctx, t)
	}
	s, err := a.openAny(ctx, t.path)
	if err != nil {
		return t, err
	}
	at, err := entryID(s, leaf)
	if now, ok := s.Leaf(); err == nil && (!ok || now != at) {
		_, err = s.SaveLeaf(ctx, at)
	}
	now := targetOf(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t, failed(t.path, err)
	}
	return now, nil
}

// beside does what --if-busy says with a session that others have open.
func (a *app) beside(ctx context.Context, t target) (target, error) {
	others, err := a.lib.Who(ctx, t.path)
	if err != nil || len(others) == 0 {
		return t, err
	}
	if a.lib.GoesBeside() {
		a.note(t.path, session.Busily(others)+"; what each appends is a branch of its own")
		return t, nil
	}
	s, err := a.lib.OpenBeside(ctx, t.path, others)
	if err != nil {
		return t, err
	}
	now := targetOf(s)
	return now, s.Close()
}
