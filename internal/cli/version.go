package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/buildinfo"
	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Tell which build this is",
		Long:    "Prints the version, the commit and its date, the version of Go, and the system that it was built for. With --json it is one object.",
		GroupID: groupMore,
		Example: "cambium version\ncambium version --json",
		RunE: a.run(func(context.Context, *cobra.Command, []string) error {
			i := buildinfo.Read()
			if a.JSON {
				return a.Emit(i)
			}
			_, err := io.WriteString(a.Out, versionText(i))
			return err
		}),
	}
}

// versionText is a line of the version and what is known besides, a line each.
func versionText(i buildinfo.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cambium %s\n", i.Version)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-7s %s\n", name, value)
		}
	}
	commit := i.Commit
	if i.Modified {
		commit += ", with changes"
	}
	row("commit", commit)
	row("date", i.Date)
	row("go", i.Go)
	row("system", i.System+"/"+i.Machine)
	return b.String()
}
