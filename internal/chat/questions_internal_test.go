package chat

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/go-json-experiment/json/jsontext"
)

// A question whose call was cancelled while the agent goes on is off the screen,
// and nobody waits for its answer any more.
func TestAQuestionIsWithdrawn(t *testing.T) {
	c := newConversation(t.Context(), Options{}, Terminal{})
	c.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type answered struct {
		answer coder.Answer
		err    error
	}
	done := make(chan answered, 1)
	go func() {
		a, err := c.questions.approve(ctx, coder.Ask{CallID: "c1", Call: consent.Call{Tool: "bash", Arguments: jsontext.Value(`{"command":"echo wet > soil"}`)}})
		done <- answered{a, err}
	}()
	c.Update(c.pump.next(t.Context())())
	if screen := c.View().Content; !strings.Contains(screen, "Run bash in") || len(c.questions.open) != 1 {
		t.Fatalf("%d answers are waited for at\n%s", len(c.questions.open), screen)
	}
	cancel()
	if got := <-done; got.answer != coder.No || !errors.Is(got.err, context.Canceled) {
		t.Errorf("the answer is %v, %v", got.answer, got.err)
	}
	c.listener.tell(coder.Notice{Text: "it goes on"})
	c.Update(c.pump.next(t.Context())())
	screen := c.View().Content
	if strings.Contains(screen, "Run bash in") || !strings.Contains(screen, "it goes on") {
		t.Errorf("after that the screen shows\n%s", screen)
	}
	if len(c.questions.open) != 0 {
		t.Errorf("%d answers are waited for still", len(c.questions.open))
	}
}
