package cli

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// How much completion offers, and looks at for it: a person waits.
const (
	mostOffered = 100
	mostLooked  = 5000
)

// takesSession gives a command whose first argument is SESSION what goes with
// it: the flag --first, and completion by id and name. more completes what
// follows, nil for nothing.
func takesSession(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.lib.First, "first", false, "of several sessions that match take the newest")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return a.completeSession(cmd.Context(), typed)
		case len(args) == 1 && strings.Contains(cmd.Use, "ENTRY"):
			return completeEntry(cmd.Context(), a, args[0], typed)
		case len(args) == 1 && strings.Contains(cmd.Use, "DIR"):
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completesEntries gives a flag of a command that takes SESSION completion by
// the session's entries.
func completesEntries(a *app, cmd *cobra.Command, flag string) {
	// The error is for a flag that the command does not have.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeEntry(cmd.Context(), a, args[0], typed)
	})
}

// completesFlags gives the global flags their values.
func completesFlags(a *app, root *cobra.Command) {
	for flag, values := range map[string][]string{"agent": places.Names(), "if-busy": waysOfBusy()} {
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, flag := range []string{"agent-dir", "session-dir"} {
		_ = root.MarkPersistentFlagDirname(flag)
	}
}

// longestCompletion is how long a shared store may keep a person waiting.
const longestCompletion = 2 * time.Second

// toComplete makes ready to look at sessions, those of a shared store included. The
// context is to be used until done is called.
func toComplete(ctx context.Context, a *app) (_ context.Context, done func(), err error) {
	if err := prepare(a); err != nil {
		return nil, nil, err
	}
	if a.lib.Scheme == "" {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestCompletion)
	s, err := a.lib.ReachStore(ctx)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	a.lib.Attach(ctx, s)
	return ctx, cancel, nil
}

// completeSession offers the ids and names that begin with what was typed: those
// of this project, else those of all. A path is left to the shell.
func (a *app) completeSession(ctx context.Context, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if catalog.IsPath(typed) || strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "~") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ctx, done, err := toComplete(ctx, a)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer done()
	o := a.lib.Catalog()
	o.Unread = nil // nobody asked
	if a.lib.SessionDir == "" {
		o.CWD = a.lib.Dir
	}
	found := offers(ctx, typed, o)
	if len(found) == 0 && o.CWD != "" {
		o.CWD = ""
		found = offers(ctx, typed, o)
	}
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if len(found) == 0 {
		directive = cobra.ShellCompDirectiveDefault
	}
	return found, directive
}

// offers returns what answers to the beginning of an id or a name, the newest
// first.
func offers(ctx context.Context, typed string, o catalog.Options) []cobra.Completion {
	var found []cobra.Completion
	looked := 0
	for id, name := range known(ctx, o) {
		if looked++; looked > mostLooked || len(found) >= mostOffered {
			break
		}
		name = strings.TrimSpace(name)
		switch {
		case names(id) && hasFold(id, typed):
			found = append(found, cobra.CompletionWithDesc(id, term.Line(name)))
		case typed != "" && names(name) && hasFold(name, typed):
			found = append(found, cobra.CompletionWithDesc(name, term.Line(id)))
		}
	}
	return found
}

// names reports whether a word may be offered as the id or the name of a session:
// others are named by their id or their path.
func names(word string) bool { return shellword.Plain(word) && !catalog.IsPath(word) }

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// known yields ids and names of sessions, the file changed last first: whole
// names by an index, else what the beginnings of the files say.
func known(ctx context.Context, o catalog.Options) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if o.Index != nil {
			for info, err := range catalog.Scan(ctx, o) {
				if err != nil || !yield(info.ID, nameOf(info)) {
					return
				}
			}
			return
		}
		for g, err := range catalog.Recent(ctx, o) {
			if err != nil || !yield(g.ID, g.Name) {
				return
			}
		}
	}
}

// nameOf is what completion says of a session.
func nameOf(i catalog.Info) string {
	if i.Title != "" {
		return i.Title
	}
	return catalog.ShortName("", i.FirstMessage, i.ID, i.Path)
}

// completeEntry offers the entries of a session, the last ones first, and its
// labels.
func completeEntry(ctx context.Context, a *app, arg, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	ctx, done, err := toComplete(ctx, a)
	if err != nil {
		return nil, none
	}
	defer done()
	o := a.lib.Catalog()
	o.Unread = nil // nobody asked
	o.CWD = a.lib.Dir
	info, err := catalog.Resolve(ctx, arg, true, o)
	if err != nil {
		return nil, none
	}
	read := a.lib.Session()
	read.ReadOnly = true
	s, err := session.Open(ctx, info.Path, read)
	if err != nil {
		return nil, none
	}
	defer s.Close()
	var found []cobra.Completion
	if labels, err := tree.Of(s.Tree()).Labels(); err == nil {
		for _, l := range labels {
			if shellword.Plain(l.Text) && hasFold(l.Text, typed) {
				found = append(found, cobra.CompletionWithDesc(l.Text, term.Line(string(l.TargetID))))
			}
		}
	}
	list := s.List()
	for i := list.Len() - 1; i >= 0 && len(found) < mostOffered; i-- {
		if id, ok := list.ID(i); ok && shellword.Plain(string(id)) && hasFold(id, typed) && list.Twin(i) < 0 {
			found = append(found, cobra.CompletionWithDesc(id, term.Cut(gistOf(s, id), 80)))
		}
	}
	return found, none
}
