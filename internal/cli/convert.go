package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newConvert(a *app) *cobra.Command {
	var o work.ConvertOptions
	var to string
	cmd := &cobra.Command{
		Use:   "convert SESSION --to DIALECT",
		Short: "Write a session as one of another agent",
		Long: "Writes a session as a new one of another agent (" + strings.Join(places.Names(), ", ") + "), with all its branches, images and artifacts, " +
			"where that agent looks for it or at --output, and prints its path; the old one stays as it is. " +
			"What is spelled in another way or has no equal there is said on stderr. It is kept in the new session all the same: " +
			"converted back, every line says again what it said, and those that were not spelled anew are the same bytes.",
		GroupID: groupWrite,
		Example: "cambium convert 0198c2a1 --to pi\ncambium convert ./session.jsonl --to xcsh -o ./other.jsonl --json",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if to == "" {
				return usage("convert: required flag --to is missing: %s", strings.Join(places.Names(), ", "))
			}
			for _, name := range []string{"cwd", "output"} {
				if f := cmd.Flag(name); f.Changed && f.Value.String() == "" {
					return usage("--%s requires a non-empty value", name)
				}
			}
			d, ok := spelling.ByName(to)
			if !ok {
				return usage("read --to %q: the agents are %s", to, strings.Join(places.Names(), ", "))
			}
			o.To = d.Name
			done, err := a.lib.Convert(ctx, args[0], o)
			if err != nil {
				return explained(a, args[0], err)
			}
			return showForked(a, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "the agent that the new session is for: "+strings.Join(places.Names(), "|"))
	f.StringVar(&o.CWD, "cwd", "", "the working directory that the new session belongs to")
	f.StringVarP(&o.Path, "output", "o", "", "write it to this `PATH`")
	f.BoolVar(&o.KeepID, "keep-id", false, "keep id, time and parent: the same session for another agent")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(places.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// showForked says where a session is that was made of another, and on stderr how it
// was converted.
func showForked(a *app, f work.Forked) error {
	r := placed(f.Whereabouts)
	if f.Converted == nil {
		return a.print(r)
	}
	if !a.flags.json {
		explainConverted(a, *f.Converted)
	}
	r.json = jsonPath{ID: f.ID, Path: f.Path, Parent: f.Parent, Report: f.Converted.Report}
	return a.print(r)
}

// reasonWords says what a reason means, after the number of entries.
func reasonWords() []struct {
	reason convert.Reason
	words  string
} {
	return []struct {
		reason convert.Reason
		words  string
	}{
		{conversion.Restored, "taken back to what its own program wrote"},
		{conversion.Model, "with the model in another spelling"},
		{conversion.Thinking, "with the thinking level in another spelling"},
		{conversion.Tier, "with the service tier in another spelling"},
		{conversion.Title, "with the title in another spelling"},
		{conversion.Flag, "with another mark for extensions"},
		{conversion.From, "of a branch summary that names another entry"},
		{conversion.Edit, "that edits what the model sees, in another spelling (Cambium's is applied by Cambium alone)"},
		{conversion.Role, "said in a role that the agent has not"},
		{conversion.Block, "with hidden reasoning in another spelling"},
		{conversion.Stop, "with a reason to stop that the agent has not"},
		{conversion.Content, "without content"},
		{conversion.Filled, "whose usage was filled in"},
		{conversion.Accounting, "of accounting in another spelling"},
		{conversion.Reset, "that cleared the context, as a compaction"},
		{conversion.Hidden, "that the model did not see, set aside"},
		{conversion.Inert, "that meant nothing before, set aside"},
		{conversion.Image, "with an image that is kept in another place"},
		{conversion.Linked, "whose parent is nowhere, below the one that it is read as a child of"},
		{conversion.Whole, "with text that had been cut, whole again"},
		{conversion.Kind, "of a kind without meaning there, kept"},
		{conversion.Field, "with fields without meaning there, kept"},
		{conversion.Attribution, "whose speaker is not told there"},
		{conversion.System, "with a system message that is not sent there"},
		{conversion.Preserved, "of a compaction that is not rebuilt there"},
		{conversion.Pruned, "of a failed answer, which one of the two leaves out"},
		{conversion.Shown, "that is sent to the model there and was not before"},
		{conversion.Swallowed, "that is not sent to the model there"},
		{conversion.MissingBlob, "with an image that is not there"},
	}
}

// explainConverted says on stderr what a conversion did.
func explainConverted(a *app, done session.Converted) {
	r := done.Report
	a.message(fmt.Sprintf("converted %s from %s to %s; %d spelled anew", plural(r.Entries, "entry"), r.From, r.To, r.Changed))
	for _, w := range reasonWords() {
		if n := r.Counts[w.reason]; n > 0 {
			a.message(fmt.Sprintf("  %s %s", plural(n, "entry"), w.words))
		}
	}
}
