package cli

import (
	"context"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

func newDoctor(a *app) *cobra.Command {
	var all, fix, usageOnly, clean, dry, yes bool
	cmd := &cobra.Command{
		Use:   "doctor [SESSION...]",
		Short: "Find damage in sessions, say what can be done, and with --fix do it",
		Long: "Looks at the sessions, or at everything that the agents keep (sessions, what lies about beside them, blobs, databases, drafts), " +
			"and prints what is wrong and what a repair would do. Looking changes nothing.\n\n" +
			"With --fix it repairs: the file is kept first, damaged bytes are moved to a file beside it and never thrown away, the file is replaced as a whole " +
			"or not at all, and read again: every entry that could be read is still there, or the file is put back. `cambium undo` takes a repair back.\n\n" +
			"--usage says what Cambium keeps beside the sessions (the trash, drafts, what undo needs, the index), how much that takes, and what becomes of it. " +
			"--clean deletes what is of no more use, and what is older than 30 days in the trash and of what undo needs; it asks first, and --dry-run only lists.\n\n" +
			"Of a shared store it looks at the sessions, at the blobs that they name and at whether the store says of each what it holds.\n\n" +
			"Exit codes: 0 nothing is wrong, 5 damage was found, 10 it was repaired as far as it can be, 1 something could not be looked at or a repair failed, " +
			"and 2, 3, 4, 7, 130 as ever. What is listed as worth knowing counts as nothing wrong.",
		GroupID: groupMore,
		Example: "cambium doctor\ncambium doctor 0198c2a1 --fix\ncambium doctor --all --fix --json",
		Args:    cobra.ArbitraryArgs,
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			switch {
			case (usageOnly || clean) && (all || fix || len(args) > 0 || usageOnly && clean):
				return problem.Usage("doctor: --usage and --clean stand alone")
			case (dry || yes) && !clean:
				return problem.Usage("doctor: --dry-run and --yes need --clean")
			case usageOnly:
				return runUsage(ctx, a)
			case clean:
				return runClean(ctx, a, dry, yes)
			case all && len(args) > 0:
				return problem.Usage("doctor: --all and SESSION exclude each other")
			case fix && !all && len(args) == 0:
				return problem.Usage("doctor --fix needs SESSION or --all")
			}
			return runDoctor(ctx, a, args, fix)
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().BoolVar(&all, "all", false, "look at everything, as without SESSION")
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&usageOnly, "usage", false, "say what Cambium keeps, how much that takes and for how long")
	cmd.Flags().BoolVar(&clean, "clean", false, "delete what is of no more use")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "with --clean: only list it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --clean: do not ask")
	return cmd
}

// runDoctor looks at the sessions named, or at everything.
func runDoctor(ctx context.Context, a *app, args []string, fix bool) error {
	step, end := a.Steps("look at files")
	checkup, err := work.NewCheckup(ctx, a.lib, fix, step)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		err = forEach(ctx, a, args, func(ctx context.Context, arg string) error {
			return showChecked(a, checkup.Session(ctx, arg))
		})
	} else {
		err = showChecked(a, checkup.All(ctx))
	}
	end()
	if err != nil {
		return err
	}
	sumUp(a, checkup.Count, fix, len(args) > 0)
	switch n := checkup.Count; {
	case n.Failed > 0 && n.Failed == n.Locked:
		return problem.Problem{Exit: problem.ExitRefused, Printed: true}
	case n.Failed > 0:
		return problem.Problem{Exit: problem.ExitFailed, Printed: true}
	case n.Fixed > 0:
		return problem.Problem{Exit: problem.ExitRepaired, Printed: true}
	case n.Wrong > 0:
		return problem.Problem{Exit: problem.ExitDamaged, Printed: true}
	}
	return nil
}

// showChecked prints what was found, and says why something was not repaired.
func showChecked(a *app, all iter.Seq2[work.Checked, error]) error {
	for found, err := range all {
		if err != nil {
			return err
		}
		if found.Err != nil {
			a.report(problem.Of(found.Err))
		}
		if err := print.Findings(a.Console, found.Report); err != nil {
			return err
		}
	}
	return nil
}

// sumUp says on stderr how it stands; named says that sessions were named.
func sumUp(a *app, n work.Tally, fix, named bool) {
	noteFound(a, n.Files)
	if a.JSON || n.Files == 0 && outOfReach(a) {
		return
	}
	if n.Wrong == 0 && n.Failed == 0 {
		a.Note("", "nothing is wrong")
		return
	}
	text := fmt.Sprintf("%s in %s", term.Plural(n.Wrong, "finding"), term.Plural(n.Files, "file"))
	switch {
	case n.Fixed > 0:
		text += fmt.Sprintf("; %d repaired", n.Fixed)
	case n.Fixable > 0 && !fix:
		text += fmt.Sprintf("; --fix repairs %d of them", n.Fixable)
		if !named {
			text += " (with --all, or by name)"
		}
	}
	a.Message(text)
}

// runUsage prints what takes how much.
func runUsage(ctx context.Context, a *app) error {
	all, err := a.lib.Usages(ctx)
	if err != nil {
		return err
	}
	for _, u := range all {
		if err := print.Usage(a.Console, u); err != nil {
			return err
		}
	}
	return nil
}

// runClean takes away what is of no more use, after a question; dry only says what.
func runClean(ctx context.Context, a *app, dry, yes bool) error {
	all, err := a.lib.Usages(ctx)
	if err != nil {
		return err
	}
	n, size := 0, int64(0)
	for _, u := range all {
		for _, w := range u.Waste {
			n, size = n+1, size+w.Bytes
		}
	}
	failed := 0
	for _, u := range all {
		for _, l := range u.Left {
			failed++
			a.report(problem.Problem{Exit: problem.ExitPartly, Path: l.Path, Text: fmt.Sprintf("%q is left alone: %s", l.Path, l.Why)})
		}
	}
	if n == 0 && failed == 0 {
		a.Note("", "nothing is to be cleaned")
		return nil
	}
	if n > 0 && !dry && !yes {
		if err := confirm(ctx, a, fmt.Sprintf("delete %d things of %s, which `cambium doctor --clean --dry-run` lists?", n, humanize.IBytes(uint64(size)))); err != nil {
			return err
		}
	}
	for _, u := range all {
		for _, w := range u.Waste {
			if !dry {
				if err := w.Remove(ctx); err != nil {
					failed++
					a.report(problem.Of(a.lib.RecordError(w.Path, err)))
					continue
				}
			}
			if err := print.Waste(a.Console, u.Kind, w, !dry); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return problem.Problem{Exit: problem.ExitPartly, Printed: true}
	}
	return nil
}
