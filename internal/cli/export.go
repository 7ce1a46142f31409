package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/handout"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// exportOptions are the flags of export.
type exportOptions struct {
	handout.Options
	branch           string
	redact, unredact bool
}

func newExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session for people without Cambium: HTML, Markdown or JSON",
		Long: "Writes a branch of a session as a file, and prints its path: one page of HTML that is read without a script and asks for nothing, " +
			"Markdown as GitHub shows it, or JSON with the entries as they are stored. " +
			"A session of more than 20 MB becomes a directory of pages. " +
			"Other branches are named where they leave; with --all they are there, folded.\n\n" +
			"In HTML and Markdown keys, tokens and passwords of known forms are replaced by [redacted: kind], home directories by ~ and names of users by [user]; " +
			"stderr says how many. What has no known form stays, and pictures are not looked into: read it before you share it.",
		GroupID: groupRead,
		Example: "cambium export 0198c2a1\ncambium export 0198c2a1 --to md -o talk.md --no-thinking\ncambium export ./session.jsonl --to html --all -o - >talk.html",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := nonEmpty(cmd, "to", "output", "branch"); err != nil {
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			err = exportSession(ctx, a, s, o)
			a.lib.Damage(s)
			return err
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.To, "to", "html", "the form: "+strings.Join(handout.Forms(), "|"))
	f.StringVarP(&o.Path, "output", "o", "", "write it to this `PATH`, - for stdout, instead of a file here that is named after the session")
	f.StringVar(&o.branch, "branch", "", "the branch that ends with this `ENTRY`, instead of the session's leaf")
	f.BoolVar(&o.All, "all", false, "all branches")
	f.BoolVar(&o.Force, "force", false, "take the place of a file that is there")
	f.BoolVar(&o.NoTools, "no-tools", false, "without calls of tools and what they answered")
	f.BoolVar(&o.NoThinking, "no-thinking", false, "without reasoning")
	f.BoolVar(&o.NoScript, "no-script", false, "HTML without its script, which adds a search, folding and copying")
	f.BoolVar(&o.redact, "redact", false, "take out keys, homes and names of users; that is so for html and md")
	f.BoolVar(&o.unredact, "no-redact", false, "take out nothing")
	cmd.MarkFlagsMutuallyExclusive("redact", "no-redact")
	completesEntries(a, cmd, "branch")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(handout.Forms(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// check settles the flags.
func (o *exportOptions) check(cmd *cobra.Command) error {
	if o.To == "markdown" {
		o.To = "md"
	}
	if !slices.Contains(handout.Forms(), o.To) {
		return problem.Usage("read --to %q: the forms are %s", o.To, strings.Join(handout.Forms(), ", "))
	}
	for _, flag := range []string{"no-tools", "no-thinking"} {
		if o.To == "json" && cmd.Flag(flag).Changed {
			return problem.Usage("export: --%s is for html and md; json has the entries as they are stored", flag)
		}
	}
	if o.To != "html" && o.NoScript {
		return problem.Usage("export: --no-script is for html")
	}
	o.Redact = !o.unredact && (o.redact || o.To != "json")
	return nil
}

// exportSession writes a session in one form, and prints where.
func exportSession(ctx context.Context, a *app, s *session.Session, o exportOptions) error {
	c, leaf, err := branchOf(ctx, a, s, branchOptions{leaf: o.branch})
	if err != nil {
		return err
	}
	if o.Leaf = -1; leaf != nil {
		o.Leaf = s.List().Find(*leaf)
	}
	step, end := a.Steps("export")
	defer end()
	o.Strict, o.Blobs, o.Home, o.User = a.strict, a.lib.Home(s.Dialect()).Blobs, a.Home, cmp.Or(a.Getenv("USER"), a.Getenv("USERNAME"))
	o.Zone, o.Step, o.Trouble = a.Now().Location(), step, func(text string) { a.Note(s.Path(), text) }
	stdout := o.Path == "-"
	switch {
	case stdout:
		a.Literal()
		o.Out = a.Out
	case o.Path != "":
		o.Path = a.lib.Absolute(o.Path)
	}
	o.Dir = a.lib.Dir
	done, err := handout.Write(ctx, s, c, o.Options)
	if there := (*fs.PathError)(nil); errors.As(err, &there) && errors.Is(there.Err, fs.ErrExist) {
		return problem.Problem{Exit: problem.ExitRefused, Path: there.Path, Text: fmt.Sprintf("write %s: it is there already", a.Quoted(there.Path)),
			Todo: "--output names another place, --force takes the place of a file"}
	}
	if end(); err != nil {
		return err
	}
	if !a.JSON && (!stdout || len(done.Redacted) > 0 || !o.Redact) {
		a.Message(done.Words())
	}
	if stdout {
		return nil
	}
	return a.Print(console.Result{Path: done.Path, JSON: done})
}
