package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// jsonDraft is a session that never got its file.
type jsonDraft struct {
	ID           string `json:"id"`
	Path         string `json:"path"` // where its session belongs
	CWD          string `json:"cwd"`
	Agent        string `json:"agent"`
	Entries      int    `json:"entries"`
	Updated      string `json:"updatedAt"`
	FirstMessage string `json:"firstMessage"`
	File         string `json:"draft"`
	Busy         bool   `json:"busy,omitzero"`
	Damaged      bool   `json:"damaged,omitzero"`
}

func newDrafts(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drafts [ls|restore|discard]",
		Short: "List, restore or discard prompts that never reached a session",
		Long: "A session gets its file with the first answer; until then it is a draft in Cambium's state directory. One that is still there " +
			"was interrupted before it was answered, or is under way now (\"busy\").\n\n" +
			"DRAFT is the id of its session, the beginning of one (4 characters or more), or the path of the draft.",
		GroupID: groupMore,
		Example: "cambium drafts\ncambium drafts restore 0198c2a1\ncambium drafts discard 0198c2a1",
		RunE:    a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runDrafts(ctx, a) }),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "ls",
		Short: "List the drafts, the newest first",
		Args:  cobra.NoArgs,
		RunE:  a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runDrafts(ctx, a) }),
	}, newDraftsRestore(a), newDraftsDiscard(a))
	return cmd
}

func newDraftsRestore(a *app) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore DRAFT...",
		Short: "Make drafts the sessions that they were to be",
		Long:  "Writes each draft as a session to where it was to be written, or to --to, and prints a path for each. What is there stays, and the session is put beside it.",
		Args:  cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && (to == "" || len(args) > 1) {
				return usage("drafts restore --to takes a path, and one DRAFT")
			}
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				done, err := a.lib.RestoreDraft(ctx, arg, to)
				if err != nil {
					return told(err)
				}
				return a.print(placed(done))
			})
		}),
	}
	printsPath(a, cmd)
	cmd.Flags().StringVar(&to, "to", "", "the path of the session")
	return cmd
}

func newDraftsDiscard(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "discard DRAFT...",
		Short: "Move drafts to the trash",
		Long:  "Moves drafts to the trash and prints a line for each, as rm does. `cambium undo` brings the last one back.",
		Args:  cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				o, err := a.lib.DiscardDraft(ctx, arg)
				if err != nil {
					return told(err)
				}
				return showOperation(a, o, o.Path)
			})
		}),
	}
}

// runDrafts lists the drafts whose sessions do not hold them.
func runDrafts(ctx context.Context, a *app) error {
	all, err := a.lib.Drafts(ctx)
	if err != nil {
		return told(err)
	}
	if len(all) == 0 {
		a.note("", "there are no drafts")
	}
	for _, k := range all {
		if err := showDraft(a, a.lib.Describe(ctx, k)); err != nil {
			return err
		}
	}
	return nil
}

// showDraft prints one draft.
func showDraft(a *app, d work.Draft) error {
	said := cmp.Or(d.First, catalog.NoMessages)
	if a.flags.json {
		return a.emit(jsonDraft{
			ID: d.ID, Path: d.Path, CWD: d.CWD, Agent: d.Agent, Entries: d.Entries, Updated: isoTime(d.Modified),
			FirstMessage: said, File: d.File, Busy: d.Busy, Damaged: d.Damaged,
		})
	}
	note := plural(d.Entries, "entry")
	switch {
	case d.Busy:
		note = "busy"
	case d.Damaged:
		note = "damaged"
	}
	updated := ""
	if !d.Modified.IsZero() {
		updated = when(d.Modified, a.Now())
	}
	line := fmt.Sprintf("%s  %-10s  %-7s  %-10s  %s  %s", d.ID, updated, d.Agent, note, a.tilde(d.CWD), transcript.OneLine(said))
	_, err := fmt.Fprintln(a.out, term.Cut(term.Line(line), max(a.cols, 40)))
	return err
}

// draftTrouble says what to do about a draft that is not there, or not to be had;
// ok is false for any other error.
func draftTrouble(err error) (p problem, ok bool) {
	var (
		none     *work.NoDraft
		many     *work.ManyDrafts
		homeless *work.Homeless
		under    *work.UnderWay
	)
	switch {
	case errors.As(err, &none):
		return problem{exit: exitNotFound, text: none.Error(), err: err, todo: "`cambium drafts` lists them"}, true
	case errors.As(err, &many):
		return problem{exit: exitAmbiguous, text: many.Error(), err: err, todo: "give more of the id, or the path of the draft",
			candidates: many.Files, hints: many.Files}, true
	case errors.As(err, &homeless):
		return problem{exit: exitDamaged, path: homeless.Path, text: homeless.Error(), err: err, todo: "say --to and a path"}, true
	case errors.As(err, &under):
		return problem{exit: exitRefused, path: under.Path, text: under.Error(), err: err, todo: "its session is under way; end that, and try again"}, true
	}
	return problem{}, false
}
