package session

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// discarded is the kind of a branch_summary that leads past an entry (omp 18.2.3).
const discarded = "discarded-entry-branch"

// Discard leads the branch past an entry, for good (published discardEntryDurably): what
// follows goes on from the entry before it. Settings of the service that follow it
// directly are said again. Nothing is taken away: the entry stays, off the branch. An
// id that no entry has does nothing.
func (s *Session) Discard(ctx context.Context, id entry.ID) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.writable(); err != nil {
		return err
	}
	list := s.cur.log.List()
	at := list.Find(id)
	if at < 0 {
		return nil
	}
	var again []entry.Body
	for _, i := range s.cur.tree.Children(at, strict) {
		if list.Kind(i) != entry.ServiceTierChange {
			again = nil
			break
		}
		e, err := list.Entry(i)
		if err != nil {
			return err
		}
		body, err := e.Body()
		if err != nil {
			return fmt.Errorf("discard entry %q: %w", id, err)
		}
		again = append(again, body)
	}
	s.cur.point(s.cur.tree.Parent(at, healed))
	for _, body := range again {
		if _, err := s.append(ctx, body); err != nil {
			return err
		}
	}
	var details jsonedit.Object
	details.String("kind", discarded).String("discardedEntryId", id)
	body := &entry.BranchSummaryBody{FromID: "root", Details: details.Value()}
	if s.cur.leaf >= 0 {
		body.FromID = s.cur.leafID
	}
	_, err := s.append(ctx, body)
	return err
}
