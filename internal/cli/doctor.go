package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/storage"
	"github.com/spf13/cobra"
)

// jsonFinding is a finding as --json prints it.
type jsonFinding struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Line    int    `json:"line,omitzero"`
	Byte    *int64 `json:"byte,omitzero"`
	Detail  string `json:"detail"`
	Plan    string `json:"plan"`
	Note    bool   `json:"note,omitzero"` // nothing is wrong
	Fixable bool   `json:"fixable"`
	Fixed   bool   `json:"fixed"`
	UndoID  string `json:"undoId,omitzero"`
}

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
				return usage("doctor: --usage and --clean stand alone")
			case (dry || yes) && !clean:
				return usage("doctor: --dry-run and --yes need --clean")
			case usageOnly:
				return runUsage(ctx, a)
			case clean:
				return runClean(ctx, a, dry, yes)
			case all && len(args) > 0:
				return usage("doctor: --all and SESSION exclude each other")
			case fix && !all && len(args) == 0:
				return usage("doctor --fix needs SESSION or --all")
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

// A visit is one run of doctor.
type visit struct {
	a       *app
	doctor  *repair.Doctor
	fix     bool
	files   int // in which something is wrong
	wrong   int // findings
	fixable int // of them, those that are not repaired yet
	fixed   int
	failed  int
	locked  int // of those, because another held the lock
}

// runDoctor looks at the sessions named, or at everything.
func runDoctor(ctx context.Context, a *app, args []string, fix bool) error {
	bar := a.progress("look at files")
	doctor, err := a.lib.Doctor(ctx, func(done, total int) { bar.Step(int64(done), int64(total)) })
	if err != nil {
		return told(err)
	}
	v := &visit{a: a, fix: fix, doctor: doctor}
	if len(args) > 0 {
		err = forEach(ctx, a, args, v.session)
	} else if err = v.interrupted(ctx); err == nil {
		err = v.everything(ctx)
	}
	bar.Close()
	if err != nil {
		return err
	}
	v.sum(len(args) > 0)
	p := problem{printed: true}
	switch {
	case v.failed > 0 && v.failed == v.locked:
		p.exit = exitRefused
	case v.failed > 0:
		p.exit = exitFailed
	case v.fixed > 0:
		p.exit = exitRepaired
	case v.wrong > 0:
		p.exit = exitDamaged
	default:
		return nil
	}
	return p
}

// session looks at one session and what lies beside it.
func (v *visit) session(ctx context.Context, arg string) error {
	path, err := v.a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	all, err := v.doctor.Session(ctx, path)
	if err != nil {
		return trouble(path, fmt.Errorf("look at %q: %w", path, work.Cause(err)))
	}
	for _, r := range all {
		if err := v.report(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// everything looks at all that the agents keep.
func (v *visit) everything(ctx context.Context) error {
	for r, err := range v.doctor.All(ctx) {
		if err != nil {
			return listingTrouble(v.a, err)
		}
		if err := v.report(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// report repairs a report, if that is asked for, and prints it. A repair that
// failed is said and counted.
func (v *visit) report(ctx context.Context, r *repair.Report) error {
	if v.fix && r.Fixable() && r.Findings[0].Kind != repair.Interrupted {
		err := v.a.lib.UnlessBusy(ctx, r.Path)
		if err == nil {
			err = v.doctor.Fix(ctx, r)
		}
		if err != nil {
			p := classify(failed(r.Path, err))
			if errors.Is(err, context.Canceled) {
				return p
			}
			v.failed++
			if errors.Is(err, storage.ErrLocked) {
				v.locked++
			}
			v.a.report(p)
		}
	}
	if r.Damaged() {
		v.files++
	}
	for _, f := range r.Findings {
		v.count(f)
		if v.a.flags.json {
			if err := v.a.emit(findingLine(f)); err != nil {
				return err
			}
		}
	}
	if v.a.flags.json || len(r.Findings) == 0 {
		return nil
	}
	return v.plain(r)
}

func (v *visit) count(f repair.Finding) {
	switch {
	case f.Note:
		return
	case f.Kind == repair.Unreadable:
		v.failed++
	}
	v.wrong++
	switch {
	case f.Fixed:
		v.fixed++
	case f.Fixable:
		v.fixable++
	}
}

func findingLine(f repair.Finding) jsonFinding {
	j := jsonFinding{
		Path: f.Path, Kind: string(f.Kind), Line: f.Line, Detail: f.Detail, Plan: f.Plan, Note: f.Note,
		Fixable: f.Fixable, Fixed: f.Fixed, UndoID: f.UndoID,
	}
	if f.Byte >= 0 {
		j.Byte = &f.Byte
	}
	return j
}

// plain prints a report for people.
func (v *visit) plain(r *repair.Report) error {
	lines := []string{term.Line(r.Path)}
	var undo []string
	for _, f := range r.Findings {
		where := string(f.Kind)
		if f.Line > 0 {
			where = fmt.Sprintf("line %d", f.Line)
			if f.Byte >= 0 {
				where += fmt.Sprintf(", byte %d", f.Byte)
			}
			where += ": " + string(f.Kind)
		}
		what := "plan"
		switch {
		case f.Note:
			what = "note"
		case f.Fixed:
			what = "done"
		}
		lines = append(lines, "  "+term.Line(where+": "+f.Detail), "    "+term.Line(what+": "+f.Plan))
		if f.UndoID != "" && (len(undo) == 0 || undo[len(undo)-1] != f.UndoID) {
			undo = append(undo, f.UndoID)
		}
	}
	for _, id := range undo {
		lines = append(lines, "  undo: cambium undo "+id)
	}
	_, err := fmt.Fprintln(v.a.out, strings.Join(lines, "\n"))
	return err
}

// sum says on stderr how it stands.
func (v *visit) sum(named bool) {
	noteFound(v.a, v.files)
	if v.a.flags.json || v.files == 0 && outOfReach(v.a) {
		return
	}
	if v.wrong == 0 && v.failed == 0 {
		v.a.note("", "nothing is wrong")
		return
	}
	text := fmt.Sprintf("%s in %s", plural(v.wrong, "finding"), plural(v.files, "file"))
	switch {
	case v.fixed > 0:
		text += fmt.Sprintf("; %d repaired", v.fixed)
	case v.fixable > 0 && !v.fix:
		text += fmt.Sprintf("; --fix repairs %d of them", v.fixable)
		if !named {
			text += " (with --all, or by name)"
		}
	}
	v.a.message(text)
}
