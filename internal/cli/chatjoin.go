package cli

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// announced is the key of the row that tells of what others append.
const announced = "#others"

// announcement is what it says.
func announcement() chatview.Body {
	return chatview.Body{Key: announced, Parts: []chatview.Part{
		{Style: chatview.Note, Text: "another program goes on from here; /join goes on with what it said"},
	}}
}

// cmdJoin goes on where another program has appended: to the last of its entries
// that are shown, whatever it is.
func (c *chat) cmdJoin(string) tea.Cmd {
	return c.move(func(ctx context.Context) chatMoved {
		s := c.agent().Session()
		if s == nil {
			return chatMoved{what: "join", err: agent.ErrNoSession}
		}
		id, ok := c.source.lastForeign(s)
		if !ok {
			return chatMoved{err: errors.New("nobody else has appended to this session")}
		}
		n, err := c.agent().Navigate(ctx, id, agent.NavigateOptions{Onto: true})
		return chatMoved{what: "join", ok: !n.Cancelled, told: "Joined; what was said here is a branch, see /tree", err: err}
	})
}

// lastForeign returns the last entry that another program appended beside the
// branch that is shown.
func (x *chatSource) lastForeign(s *session.Session) (last entry.ID, ok bool) {
	list, path := s.View()
	on := make(map[int]bool, len(path))
	for _, i := range path {
		on[i] = true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	at := -1
	for id := range x.foreign {
		if i := list.Find(id); i > at && !on[i] && chatShows(list, i) {
			at, last = i, id
		}
	}
	return last, at >= 0
}
