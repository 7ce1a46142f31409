package cli

import (
	"context"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// jsonLeaf is an entry that made a move of the leaf durable, and the leaf.
type jsonLeaf struct {
	ID     string `json:"id"`
	LeafID string `json:"leafId"`
}

// jsonBranch is a branch that became a session of its own.
type jsonBranch struct {
	jsonPath
	LeafID string `json:"leafId"`
}

func newBranch(a *app) *cobra.Command {
	var summary string
	var apart bool
	cmd := &cobra.Command{
		Use:   "branch SESSION ENTRY",
		Short: "Go on from an earlier entry",
		Long: "Makes ENTRY the place where the session goes on, and prints the id of the entry appended there, so that every program finds it: " +
			"one that only says which branch was left, or with --summary what happened on it, which the model is told. Nothing is removed.\n\n" +
			"With --new the way from the beginning to ENTRY becomes a session of its own, whose path is printed; this one stays as it is.\n\n" +
			entryHelp,
		GroupID: groupWrite,
		Example: "cambium branch 0198c2a1 5f0c1d2e\ncambium branch 0198c2a1 5f0c1d2e --summary 'tried pipes; they froze'",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			a.goesOn()
			return a.change(ctx, args[0], func(s *session.Session) (result, error) {
				at, err := a.entryID(s, args[1])
				switch {
				case err != nil:
					return result{}, err
				case apart:
					return saveBranch(ctx, s, at)
				case cmd.Flags().Changed("summary"):
					id, err := s.BranchWithSummary(ctx, session.BranchSummary{Target: &at, Summary: summary})
					return moved(id), err
				}
				return moveLeaf(ctx, s, at)
			})
		}),
	}
	a.takesSession(cmd)
	a.printsPath(cmd)
	cmd.Flags().StringVar(&summary, "summary", "", "what happened on the branch that is left")
	cmd.Flags().BoolVar(&apart, "new", false, "write the branch as a session of its own")
	cmd.MarkFlagsMutuallyExclusive("summary", "new")
	return cmd
}

// moveLeaf makes an entry the leaf and appends an entry that says so.
func moveLeaf(ctx context.Context, s *session.Session, at entry.ID) (result, error) {
	var from *entry.ID
	if id, ok := s.Leaf(); ok {
		from = &id
	}
	if err := s.MoveLeaf(at); err != nil {
		return result{}, err
	}
	id, err := s.Append(ctx, dialect.LeafBody(from))
	return moved(id), err
}

// moved is the result of a move of the leaf to a new entry.
func moved(id entry.ID) result { return result{plain: id, json: jsonLeaf{ID: id, LeafID: id}} }

// saveBranch makes s the session of its branch to an entry.
func saveBranch(ctx context.Context, s *session.Session, at entry.ID) (result, error) {
	if _, err := s.SaveBranch(ctx, at); err != nil {
		return result{}, err
	}
	r := whereabouts(s)
	leaf, _ := s.Leaf()
	r.json = jsonBranch{r.json.(jsonPath), leaf}
	return r, nil
}
