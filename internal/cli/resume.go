package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/work"
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
			if err := begins(a, cmd, o); err != nil {
				return err
			}
			if len(args) == 0 {
				return chooseResumed(ctx, a, o)
			}
			return a.resume(ctx, args[0], o)
		}),
	}
	takesSession(a, cmd)
	o.addFlags(a, cmd)
	return cmd
}

// begins checks the flags of resume and continue and settles where to look.
func begins(a *app, cmd *cobra.Command, o resumeOptions) error {
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

// chooseResumed lets a person choose among the sessions of this working directory. An
// empty list and no choice end with the published line.
func chooseResumed(ctx context.Context, a *app, o resumeOptions) error {
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
		return listingTrouble(a, err)
	case len(all) == 0:
		return a.outcome("No sessions found")
	case a.pick == nil || !a.browses():
		p := usage("resume: which session? name it: its id, the beginning of its id, its name or its path")
		if a.flags.json || !a.tty {
			p.todo = "`cambium recent` lists those of this directory"
			return p
		}
		return errors.Join(p, showTable(ctx, a, slices.Values(all), slices.Values(all)))
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
func (t *terminal) outcome(text string) error {
	if t.flags.json {
		t.note("", text)
		return nil
	}
	_, err := fmt.Fprintln(t.out, text)
	return err
}

// resume goes on with the session that arg names.
func (a *app) resume(ctx context.Context, arg string, o resumeOptions) error {
	if o.look {
		return tellTarget(ctx, a, arg)
	}
	t, err := work.Resume(ctx, a.lib, arg, o.options(a))
	if err != nil {
		return notGoneOn(a, arg, err)
	}
	return handOver(ctx, a, t, o.only(a))
}

// options are those of the library.
func (o *resumeOptions) options(a *app) work.ResumeOptions {
	return work.ResumeOptions{Leaf: o.leaf, Fork: o.fork, Here: a.flags.cwd != "", Only: o.only(a)}
}

// only reports whether it is only said what is gone on with.
func (o *resumeOptions) only(a *app) bool { return o.print || a.flags.json }

// tellTarget prints with which session one would go on, and changes nothing.
func tellTarget(ctx context.Context, a *app, arg string) error {
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	t, err := work.Find(ctx, a.lib, path)
	if err != nil {
		return explained(a, path, err)
	}
	t.CWD = a.lib.Homely(t.CWD)
	return a.print(result{path: t.Path, json: jsonTarget{t.ID, t.Path, string(t.Agent), t.CWD, commandOf(a, t)}})
}

// notGoneOn is how a command ends that could not go on with the session that arg
// names.
func notGoneOn(a *app, arg string, err error) error {
	var (
		other *work.OtherProject
		gone  *work.Gone
		where *work.Elsewhere
	)
	switch {
	case errors.Is(err, work.ErrStays):
		return a.outcome("Resume cancelled: session was not moved.")
	case errors.As(err, &other):
		return otherProject(a, other)
	case errors.As(err, &gone):
		return goneHouse(gone)
	case errors.As(err, &where):
		return elsewhere(a, where)
	}
	return explained(a, arg, err)
}

// otherProject says what to do with a session of another project.
func otherProject(a *app, e *work.OtherProject) problem {
	p := problem{exit: exitRefused, path: e.Target.Path, text: e.Error(), err: e}
	if e.Asked {
		return p
	}
	by, of := string(e.By), calledAs(e.Arg, e.Target)
	ways := []hint{forksIt(by, of, "goes on with a fork of it in this directory")}
	if place := work.PlaceOf(a.lib, e.Target.CWD); place.Unfit == "" {
		ways = append(ways, worksIn(by, place.Dir, of, "with itself in its own"))
	}
	p.todo = advice(ways...)
	return p
}

// askForeign asks what to do with a session of another project: to fork it into this
// one or to leave it, and, where its own program goes on, to go there (published P3).
func askForeign(ctx context.Context, a *app, e *work.OtherProject) (work.Whither, error) {
	found := "Session found in different project: " + a.shown(e.Target.CWD) + ". "
	if e.By != work.ByResume {
		yes, err := a.agreed(ctx, found+"Fork into current directory?")
		return forkIf(yes), err
	}
	for {
		text, err := a.ask(ctx, found+"Go there (g), fork into current directory (f), or leave it (l)?", "l")
		if err != nil {
			return work.Leave, err
		}
		switch strings.ToLower(text) {
		case "g", "go":
			return work.There, nil
		case "f", "fork", "y", "yes":
			return work.Here, nil
		case "l", "leave", "n", "no", "":
			return work.Leave, nil
		}
	}
}

// forkIf is a fork into this project if that is agreed to.
func forkIf(yes bool) work.Whither {
	if yes {
		return work.Here
	}
	return work.Leave
}
