package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newEntries(a *app) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "entries SESSION",
		Short: "Print the stored line of each entry, byte for byte",
		Long: "Prints the stored line of each entry, byte for byte, in the order of the file. " +
			"Damaged lines, the header and title slots are left out; a line on which two entries are glued gives both.",
		GroupID: groupRead,
		Example: "cambium entries 0198c2a1 | jq -r .type | sort | uniq -c",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			a.lib.Damage(s)
			a.Literal()
			if raw {
				return work.Raw(ctx, a.lib, s, a.Out)
			}
			return storedLines(ctx, a, s)
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().BoolVar(&raw, "raw", false, "all lines of the file as they are, the damaged ones too")
	return cmd
}

// storedLines prints the lines of the entries. One that cannot be read is named
// on stderr and costs only itself.
func storedLines(ctx context.Context, a *app, s *session.Session) error {
	failed := 0
	all := func(yield func(int) bool) {
		for i := 0; i < s.Len() && ctx.Err() == nil && yield(i); i++ {
		}
	}
	for line, err := range s.Lines(all) {
		if err != nil {
			failed++
			a.Note(s.Path(), err.Error())
			continue
		}
		if _, err := a.Out.Write(line); err != nil {
			return err
		}
		if err := a.Out.WriteByte('\n'); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed > 0 {
		return problem.Problem{Exit: problem.ExitPartly, Path: s.Path(), Text: fmt.Sprintf("read session %q: %s could not be read", s.Path(), term.Plural(failed, "entry"))}
	}
	return nil
}
