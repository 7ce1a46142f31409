package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// jsonMigrated says what a migration did.
type jsonMigrated struct {
	FromVersion float64 `json:"fromVersion"`
	ToVersion   float64 `json:"toVersion"`
	Migrated    bool    `json:"migrated"`
	Entries     int     `json:"entries"`
}

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
				return explained(a, args[0], err)
			}
			return showMigrated(a, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	return cmd
}

// showMigrated says what a migration did, and where the session is.
func showMigrated(a *app, m work.Migrated) error {
	text := fmt.Sprintf("migrated from version %s to %s, %s", version(m.From), version(m.To), plural(m.Entries, "entry"))
	if m.Current() {
		text = "it is of version " + version(m.From) + " already; nothing is to be done"
	}
	a.note(m.Path, text)
	report := jsonMigrated{FromVersion: m.From, ToVersion: m.To, Migrated: m.Done, Entries: m.Entries}
	return a.print(result{path: m.Path, json: jsonPath{ID: m.ID, Path: m.Path, Parent: m.Parent, Report: report}})
}

// version writes a version as people do.
func version(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
