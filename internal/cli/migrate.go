package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cambium-dev/cambium/dialect"
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
			return a.migrate(ctx, args[0])
		}),
	}
	a.takesSession(cmd)
	a.printsPath(cmd)
	return cmd
}

// migrate looks which version a session has, and opens it to write if that is
// to be changed: opening migrates.
func (a *app) migrate(ctx context.Context, arg string) error {
	s, err := a.openSource(ctx, arg)
	if err != nil {
		return err
	}
	path := s.Path()
	r := whereabouts(s)
	was := s.Header().Version
	report := jsonMigrated{FromVersion: was, ToVersion: was, Entries: s.Len()}
	if err := s.Close(); err != nil {
		return a.failed(path, err)
	}
	if !dialect.Old(was) && was <= session.CurrentVersion {
		a.note(path, "it is of version "+version(was)+" already; nothing is to be done")
		return a.print(report.of(r))
	}
	if s, err = a.openWrite(ctx, path); err != nil {
		return err
	}
	report.ToVersion, report.Migrated, report.Entries = s.Header().Version, dialect.Old(was), s.Len()
	if err := s.Close(); err != nil {
		return a.failed(path, err)
	}
	a.note(path, fmt.Sprintf("migrated from version %s to %s, %s", version(was), version(report.ToVersion), plural(report.Entries, "entry")))
	return a.print(report.of(r))
}

// of returns a result with the report in it.
func (m jsonMigrated) of(r result) result {
	at := r.json.(jsonPath)
	at.Report = m
	return result{path: r.path, json: at}
}

// version writes a version as people do.
func version(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
