package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newMigrate(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate SESSION",
		Short: "Bring a session file of an older version up to date",
		Long: fmt.Sprintf("Rewrites a session file of version 1 or 2 as version %d, with all of its entries and what cannot be read in them, and prints its path. "+
			"The file is replaced as a whole or not at all. Reading an old file does not need this; every command that writes to one does it first.", session.CurrentVersion),
		GroupID: groupWrite,
		Example: "cambium migrate ./old.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			done, err := a.lib.Migrate(ctx, args[0])
			if err != nil {
				return err
			}
			return print.Migrated(a.Console, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	return cmd
}
