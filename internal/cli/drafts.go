package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
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
		RunE:    a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return a.drafts(ctx) }),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "ls",
		Short: "List the drafts, the newest first",
		Args:  cobra.NoArgs,
		RunE:  a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return a.drafts(ctx) }),
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
			return a.each(ctx, args, func(ctx context.Context, arg string) error {
				return a.restoreDraft(ctx, arg, a.absolute(to))
			})
		}),
	}
	a.printsPath(cmd)
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
			return a.each(ctx, args, a.discardDraft)
		}),
	}
}

// drafts lists the drafts whose sessions do not hold them.
func (a *app) drafts(ctx context.Context) error {
	all, err := a.journal().Drafts(ctx)
	if err != nil {
		return a.stateTrouble("", err)
	}
	all = slices.DeleteFunc(all, func(k state.Kept) bool { return k.Saved })
	slices.SortStableFunc(all, func(x, y state.Kept) int { return y.Modified.Compare(x.Modified) })
	if len(all) == 0 {
		a.note("", "there are no drafts")
	}
	for _, k := range all {
		if err := a.draftRow(a.describeDraft(ctx, k)); err != nil {
			return err
		}
	}
	return nil
}

// describeDraft reads what a draft holds.
func (a *app) describeDraft(ctx context.Context, k state.Kept) jsonDraft {
	row := jsonDraft{
		ID: k.ID, Path: k.Path, Agent: k.Agent, Updated: isoTime(k.Modified), File: k.File,
		FirstMessage: catalog.NoMessages, Busy: k.Busy, Damaged: !k.Marked,
	}
	o := a.sessionOptions()
	o.ReadOnly, o.Undo = true, nil
	if _, ok := dialect.ByName(k.Agent); ok {
		o.Dialect = dialect.Name(k.Agent)
	}
	s, err := session.Open(ctx, k.File, o)
	if err != nil {
		row.Damaged = true
		return row
	}
	defer s.Close()
	row.CWD, row.Entries = s.Header().CWD, s.Len()
	for e, err := range s.Entries(ctx) {
		if err != nil || e.Kind != entry.Message {
			continue
		}
		if text := typed(e.Raw()); text != "" {
			row.FirstMessage = text
			break
		}
	}
	return row
}

// typed is what a person typed, of the line of a message: a prompt, or a command of
// their own behind "!"; "" for any other message.
func typed(line jsontext.Value) string {
	m, _ := splice.Get(line, "message")
	switch role, _ := splice.Text(m, "role"); role {
	case message.RoleUser:
		content, _ := splice.Get(m, "content")
		return contentText(content)
	case message.RoleBashExecution:
		command, _ := splice.Text(m, "command")
		return "!" + command
	}
	return ""
}

// draftRow prints one draft.
func (a *app) draftRow(r jsonDraft) error {
	if a.flags.json {
		return a.emit(r)
	}
	note := plural(r.Entries, "entry")
	switch {
	case r.Busy:
		note = "busy"
	case r.Damaged:
		note = "damaged"
	}
	updated := r.Updated
	if at, ok := splice.ParseTime(updated); ok {
		updated = when(time.UnixMilli(at), a.Now())
	}
	line := fmt.Sprintf("%s  %-10s  %-7s  %-10s  %s  %s", r.ID, updated, r.Agent, note, a.tilde(r.CWD), oneLine(r.FirstMessage))
	_, err := fmt.Fprintln(a.out, term.Cut(term.Line(line), max(a.cols, 40)))
	return err
}

// draft returns the draft that arg names.
func (a *app) draft(ctx context.Context, arg string) (state.Kept, error) {
	all, err := a.journal().Drafts(ctx)
	if err != nil {
		return state.Kept{}, a.stateTrouble("", err)
	}
	var found []state.Kept
	for _, k := range all {
		switch {
		case arg == k.ID, filepath.Base(k.File) == filepath.Base(arg) && a.absolute(arg) == k.File:
			found = append([]state.Kept{k}, found...)
		case len(arg) >= 4 && strings.HasPrefix(k.ID, arg):
			found = append(found, k)
		}
	}
	same := slices.DeleteFunc(slices.Clone(found), func(k state.Kept) bool { return k.ID != arg && k.File != a.absolute(arg) })
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return state.Kept{}, problem{exit: exitNotFound, text: fmt.Sprintf("no draft is called %q", arg), todo: "`cambium drafts` lists them"}
	}
	p := problem{exit: exitAmbiguous, text: fmt.Sprintf("%q names %d drafts", arg, len(found)), todo: "give more of the id, or the path of the draft"}
	for _, k := range found {
		p.candidates = append(p.candidates, k.File)
		p.hints = append(p.hints, k.File)
	}
	return state.Kept{}, p
}

func (a *app) restoreDraft(ctx context.Context, arg, to string) error {
	k, err := a.draft(ctx, arg)
	if err != nil {
		return err
	}
	if !k.Marked && to == "" {
		return problem{exit: exitDamaged, path: k.File, text: fmt.Sprintf("restore draft %q: its header does not say where its session belongs", k.File),
			todo: "say --to and a path"}
	}
	r, err := a.journal().RestoreDraft(ctx, k, to)
	if errors.Is(err, state.ErrBusy) {
		return a.underWay(k)
	}
	if err != nil {
		return a.stateTrouble(k.File, err)
	}
	if r.Note != "" {
		a.note(r.Now, "the session is here: "+r.Note)
	}
	return a.print(result{path: r.Now, json: jsonPath{ID: k.ID, Path: r.Now}})
}

func (a *app) discardDraft(ctx context.Context, arg string) error {
	k, err := a.draft(ctx, arg)
	if err != nil {
		return err
	}
	if k.Busy {
		return a.underWay(k)
	}
	o, err := a.journal().Trash(ctx, state.Change{Op: state.Discard, Path: k.File, Session: k.ID, Agent: k.Agent})
	if err != nil {
		return a.stateTrouble(k.File, err)
	}
	return a.operation(o, o.Path)
}

// underWay refuses a draft that another process writes to.
func (a *app) underWay(k state.Kept) error {
	return problem{exit: exitRefused, path: k.File, text: fmt.Sprintf("draft %q: another process has it open", k.File),
		todo: "its session is under way; end that, and try again"}
}
