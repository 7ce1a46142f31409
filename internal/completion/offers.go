package completion

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// How much completion offers, and looks at for it: a person waits.
const (
	mostOffered = 100
	mostLooked  = 5000
)

// longestCompletion is how long a shared store may keep a person waiting.
const longestCompletion = 2 * time.Second

// reach makes ready to look at sessions, those of a shared store included. The context
// is to be used until done is called.
func reach(ctx context.Context, l *work.Library) (_ context.Context, done func(), err error) {
	if l.Scheme == "" {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestCompletion)
	s, err := l.ReachStore(ctx)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	l.Attach(ctx, s)
	return ctx, cancel, nil
}

// Sessions offers the ids and names that begin with what was typed: those
// of this project, else those of all. A path is left to the shell.
func Sessions(ctx context.Context, l *work.Library, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if catalog.IsPath(typed) || strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "~") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ctx, done, err := reach(ctx, l)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer done()
	o := l.Catalog()
	o.Unread = nil // nobody asked
	if l.SessionDir == "" {
		o.CWD = l.Dir
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

// Entries offers the entries of a session, the last ones first, and its
// labels.
func Entries(ctx context.Context, l *work.Library, arg, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	ctx, done, err := reach(ctx, l)
	if err != nil {
		return nil, none
	}
	defer done()
	o := l.Catalog()
	o.Unread = nil // nobody asked
	o.CWD = l.Dir
	info, err := catalog.Resolve(ctx, arg, true, o)
	if err != nil {
		return nil, none
	}
	read := l.Session()
	read.ReadOnly = true
	s, err := session.Open(ctx, info.Path, read)
	if err != nil {
		return nil, none
	}
	defer s.Close()
	var found []cobra.Completion
	if labels, err := tree.Of(s.Tree()).Labels(); err == nil {
		for _, label := range labels {
			if shellword.Plain(label.Text) && hasFold(label.Text, typed) {
				found = append(found, cobra.CompletionWithDesc(label.Text, term.Line(string(label.TargetID))))
			}
		}
	}
	list := s.List()
	for i := list.Len() - 1; i >= 0 && len(found) < mostOffered; i-- {
		if id, ok := list.ID(i); ok && shellword.Plain(string(id)) && hasFold(id, typed) && list.Twin(i) < 0 {
			found = append(found, cobra.CompletionWithDesc(id, term.Cut(gist(s, id), 60)))
		}
	}
	return found, none
}

// gist says in a few words what the entry with that id says, "" for one that cannot
// be read.
func gist(s *session.Session, id entry.ID) string {
	list := s.List()
	i := list.Find(id)
	if i < 0 {
		return ""
	}
	line, err := list.Load(i)
	if err != nil {
		return ""
	}
	return term.Line(transcript.GistOf(list.Kind(i), line).String())
}
