package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/repair"
	"github.com/spf13/cobra"
)

// settles reports whether a command finishes first what an earlier one was killed in:
// those that write do, but for undo, of which that is the work.
func settles(cmd *cobra.Command) bool {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.GroupID == groupWrite && cmd.Name() != "undo" || cmd.Name() == "sync" || cmd.Name() == "drafts"
}

// interrupted reports what commands were killed in; with --fix it is settled.
func (v *visit) interrupted(ctx context.Context) error {
	report := func(o state.Operation, f repair.Finding) error {
		f.Path, f.Kind, f.Byte, f.Fixable = o.Path, repair.Interrupted, -1, true
		f.Detail = fmt.Sprintf("a %s was interrupted", o.Op)
		if o.Status == state.Undoing {
			f.Detail = fmt.Sprintf("the taking back of a %s was interrupted", o.Op)
		}
		return v.report(ctx, &repair.Report{Path: o.Path, Findings: []repair.Finding{f}})
	}
	if v.fix {
		for _, s := range v.a.lib.Settle(ctx) {
			if err := report(s.Operation, repair.Finding{Plan: work.SettledText(s), Fixed: s.Err == nil, UndoID: s.ID}); err != nil {
				return err
			}
		}
		return nil
	}
	all, err := v.a.lib.Interrupted(ctx)
	if err != nil {
		return told(err)
	}
	for _, o := range all {
		if err := report(o, repair.Finding{Plan: "finish it, or take it back; so does the next command that writes"}); err != nil {
			return err
		}
	}
	return nil
}
