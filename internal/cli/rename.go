package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// jsonTitle is a session's name and who gave it.
type jsonTitle struct {
	Title  string `json:"title"`
	Source string `json:"source,omitzero"`
}

func newRename(a *app) *cobra.Command {
	var auto bool
	cmd := &cobra.Command{
		Use:   "rename SESSION NAME",
		Short: "Give a session a name",
		Long: "Gives a session a name, in the way of its agent: pi appends an entry (an empty NAME takes the name away); " +
			"omp appends an entry and keeps the title slot, where the file has one; xcsh and cambium keep it in the header.",
		GroupID: groupWrite,
		Example: "cambium rename 0198c2a1 'water for the garden'",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return a.change(ctx, args[0], func(s *session.Session) (result, error) {
				return a.rename(ctx, s, args[1], auto)
			})
		}),
	}
	a.takesSession(cmd)
	cmd.Flags().BoolVar(&auto, "auto", false, "a program chose it: a name that the user gave stays")
	return cmd
}

// rename names a session that is open.
func (a *app) rename(ctx context.Context, s *session.Session, name string, auto bool) (result, error) {
	t := session.Title{Source: dialect.UserTitle}
	if auto {
		t.Source = dialect.AutoTitle
	}
	was, _ := s.Title()
	ok, err := s.Rename(ctx, name, t)
	switch {
	case err != nil:
		return result{}, err
	case !ok && s.Dialect().Sanitize(name) == "":
		p := usage("rename session %q: the name is empty", s.Path())
		p.path, p.todo = s.Path(), fmt.Sprintf("%s keeps a name once it has one", s.Dialect().Name)
		return result{}, p
	case !ok:
		return result{}, problem{exit: exitRefused, path: s.Path(),
			text: fmt.Sprintf("rename session %q: the user gave it the name %q", s.Path(), was),
			todo: "leave --auto out to replace that"}
	}
	title, source := s.Title()
	return result{json: jsonTitle{title, source}}, nil
}
