package cli

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// jsonAppended is an entry that is on disk; Line is the line of the input that
// it came from.
type jsonAppended struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId,omitzero"`
	Line     int    `json:"line"`
}

// jsonRefused ends the output of an append that was given what is no entry.
type jsonRefused struct {
	Error string `json:"error"`
	Line  int    `json:"line"`
}

func newAppend(a *app) *cobra.Command {
	var leaf string
	cmd := &cobra.Command{
		Use:   "append SESSION",
		Short: "Append entries, read from standard input",
		Long: "Reads the body of one entry a line, such as {\"type\":\"message\",\"message\":{…}}, and appends it as a child of the one before; " +
			"the first follows the session's leaf or the entry of --leaf. Ids, parents and times are given here: those in a body are not looked at. " +
			"Types that Cambium does not know are appended as they are, empty lines are passed over. The id of each entry is printed when it is on disk.\n\n" +
			"A line that is no entry ends it with exit code 7: nothing of that line is written, the entries before it are. " +
			"A SESSION that is the path of a missing or empty file is begun there.",
		GroupID: groupWrite,
		Example: "echo '{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}' | cambium append ./session.jsonl\n" +
			"cambium append 0198c2a1 --leaf 5f0c1d2e < bodies.jsonl",
		Args: cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := nonEmpty(cmd, "leaf"); err != nil {
				return err
			}
			a.lib.GoesOn = true
			return runAppend(ctx, a, args[0], leaf)
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().StringVar(&leaf, "leaf", "", "the entry that the first one follows: an id, the beginning of one, or a label")
	completesEntries(a, cmd, "leaf")
	return cmd
}

// runAppend appends what standard input holds and prints the ids of the entries as they
// are on disk.
func runAppend(ctx context.Context, a *app, arg, leaf string) error {
	o := work.AppendOptions{From: a.Stdin, Leaf: leaf, Reading: func() {
		if term.IsTerminal(a.Stdin) && a.ErrTTY && !a.JSON {
			a.Message("reading entry bodies, one a line; Ctrl-D ends them")
		}
	}}
	for saved, err := range work.Append(ctx, a.lib, arg, o) {
		shown := showAppended(a, saved)
		if err != nil {
			return notAppended(a, err)
		}
		if shown != nil {
			return shown
		}
	}
	return nil
}

// showAppended prints the ids of entries.
func showAppended(a *app, saved []work.Appended) error {
	for _, e := range saved {
		if err := a.Print(console.Result{Plain: e.ID, JSON: jsonAppended{e.ID, e.Parent, e.Line}}); err != nil {
			return err
		}
	}
	return a.Out.Flush()
}

// notAppended is the end of an input that was not appended as a whole. As JSON the line
// that is no entry is data.
func notAppended(a *app, err error) error {
	p := problem.Of(problem.In(a.lib.Dir, err))
	var bad *work.LineError
	if !a.JSON || !errors.As(err, &bad) || bad.Refused == "" {
		return p
	}
	p.Printed = p.Exit == problem.ExitPartly
	return errors.Join(p, a.Emit(jsonRefused{Error: bad.Refused, Line: bad.Line}))
}
