package chat

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// What was wanted last is searched for, in whatever order the wishes come.
func TestRecallTakesTheLast(t *testing.T) {
	c := newConversation(t.Context(), Options{}, Terminal{}).recalls
	for _, seq := range []int{1, 4, 2} { // before the prompts are there
		if c.recall(chatview.Recall{Seq: seq}) != nil {
			t.Fatal("a search began without prompts")
		}
	}
	c.hasHistory(historyReady{})
	for _, seq := range []int{3, 7, 6} { // while one is searched for
		c.recall(chatview.Recall{Seq: seq})
	}
	if c.state != recallSearches || c.next == nil || c.next.Seq != 7 {
		t.Errorf("then %+v is searched for", c.next)
	}
	next := c.recalled(searchDone{chatview.Recalled{Seq: 4}})
	if found, ok := next().(searchDone); !ok || found.found.Seq != 7 {
		t.Errorf("what was found is %+v", found)
	}
}
