package chat

import (
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

// lastForeign returns the last entry that another program appended beside the
// branch that is shown.
func (x *source) lastForeign(s *session.Session) (last entry.ID, ok bool) {
	list, path := s.Snapshot()
	on := make(map[int]bool, len(path))
	for _, i := range path {
		on[i] = true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	at := -1
	for id := range x.foreign {
		if i := list.Find(id); i > at && !on[i] && isShown(list, i) {
			at, last = i, id
		}
	}
	return last, at >= 0
}
