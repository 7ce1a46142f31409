package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// convertOptions are the flags of convert.
type convertOptions struct {
	to, cwd, path string
	keepID        bool
}

func newConvert(a *app) *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert SESSION --to DIALECT",
		Short: "Write a session as one of another agent",
		Long: "Writes a session as a new one of another agent (" + strings.Join(layout.Names(), ", ") + "), with all its branches, images and artifacts, " +
			"where that agent looks for it or at --output, and prints its path; the old one stays as it is. " +
			"What is spelled in another way or has no equal there is said on stderr. It is kept in the new session all the same: " +
			"converted back, every line says again what it said, and those that were not spelled anew are the same bytes.",
		GroupID: groupWrite,
		Example: "cambium convert 0198c2a1 --to pi\ncambium convert ./session.jsonl --to xcsh -o ./other.jsonl --json",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if o.to == "" {
				return usage("convert: required flag --to is missing: %s", strings.Join(layout.Names(), ", "))
			}
			for _, name := range []string{"cwd", "output"} {
				if f := cmd.Flag(name); f.Changed && f.Value.String() == "" {
					return usage("--%s requires a non-empty value", name)
				}
			}
			return a.convert(ctx, args[0], o)
		}),
	}
	a.takesSession(cmd)
	a.printsPath(cmd)
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the agent that the new session is for: "+strings.Join(layout.Names(), "|"))
	f.StringVar(&o.cwd, "cwd", "", "the working directory that the new session belongs to")
	f.StringVarP(&o.path, "output", "o", "", "write it to this `PATH`")
	f.BoolVar(&o.keepID, "keep-id", false, "keep id, time and parent: the same session for another agent")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(layout.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// convert writes a session as one of another agent.
func (a *app) convert(ctx context.Context, arg string, o convertOptions) error {
	to, ok := dialect.ByName(o.to)
	if !ok {
		return usage("read --to %q: the agents are %s", o.to, strings.Join(layout.Names(), ", "))
	}
	s, err := a.openSource(ctx, arg)
	if err != nil {
		return err
	}
	defer s.Close()
	opt := session.ConvertOptions{To: to.Name, Path: a.absolute(o.path), KeepID: o.keepID}
	if o.cwd != "" {
		opt.CWD = a.directory(o.cwd)
	}
	return a.convertOpen(ctx, s, opt)
}

// convertOpen converts a session that was opened to read, and says how it went.
// --session-dir is where the new one goes, unless it has a path; the agent
// directory is the other agent's own.
func (a *app) convertOpen(ctx context.Context, s *session.Session, o session.ConvertOptions) error {
	o.Directories = layout.Overrides{SessionDir: a.flags.sessionDir}
	if o.To == s.Dialect().Name {
		o.Directories.AgentDir = a.flags.agentDir
	}
	done, err := s.Convert(ctx, o)
	if !errors.Is(err, session.ErrReadOnly) {
		a.damage(s)
	}
	if errors.Is(err, fs.ErrExist) {
		p := classify(a.failed(o.Path, err))
		p.todo = "name another path with --output, or remove it"
		return p
	}
	if err != nil {
		return a.failed(s.Path(), err)
	}
	if !a.flags.json {
		a.explain(done)
	}
	return a.print(result{path: done.Path, json: jsonPath{ID: done.ID, Path: done.Path, Parent: done.ParentSession, Report: done.Report}})
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
		{convert.Restored, "taken back to what its own program wrote"},
		{convert.Model, "with the model in another spelling"},
		{convert.Thinking, "with the thinking level in another spelling"},
		{convert.Tier, "with the service tier in another spelling"},
		{convert.Title, "with the title in another spelling"},
		{convert.Flag, "with another mark for extensions"},
		{convert.From, "of a branch summary that names another entry"},
		{convert.Edit, "that edits what the model sees, in another spelling (Cambium's is applied by Cambium alone)"},
		{convert.Role, "said in a role that the agent has not"},
		{convert.Block, "with hidden reasoning in another spelling"},
		{convert.Stop, "with a reason to stop that the agent has not"},
		{convert.Content, "without content"},
		{convert.Filled, "whose usage was filled in"},
		{convert.Accounting, "of accounting in another spelling"},
		{convert.Reset, "that cleared the context, as a compaction"},
		{convert.Hidden, "that the model did not see, set aside"},
		{convert.Inert, "that meant nothing before, set aside"},
		{convert.Image, "with an image that is kept in another place"},
		{convert.Whole, "with text that had been cut, whole again"},
		{convert.Kind, "of a kind without meaning there, kept"},
		{convert.Field, "with fields without meaning there, kept"},
		{convert.Attribution, "whose speaker is not told there"},
		{convert.System, "with a system message that is not sent there"},
		{convert.Preserved, "of a compaction that is not rebuilt there"},
		{convert.Pruned, "of a failed answer, which one of the two leaves out"},
		{convert.Shown, "that is sent to the model there and was not before"},
		{convert.Swallowed, "that is not sent to the model there"},
		{convert.MissingBlob, "with an image that is not there"},
	}
}

// explain says on stderr what a conversion did.
func (a *app) explain(done session.Converted) {
	r := done.Report
	a.message(fmt.Sprintf("converted %s from %s to %s; %d spelled anew", plural(r.Entries, "entry"), r.From, r.To, r.Changed))
	for _, w := range reasonWords() {
		if n := r.Counts[w.reason]; n > 0 {
			a.message(fmt.Sprintf("  %s %s", plural(n, "entry"), w.words))
		}
	}
}
