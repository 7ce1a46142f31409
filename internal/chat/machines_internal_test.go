package chat

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
)

// A plainHost explains errors by their texts and reads no pictures.
type plainHost struct {
	Host
	reading chan struct{} // closed when pictures may be read
}

func (h plainHost) Explain(err error) Explanation { return Explanation{Text: err.Error()} }

func (h plainHost) Pictures([]Picture) ([]*message.Image, error) {
	<-h.reading
	return nil, nil
}

// idle is a conversation whose agent has no session yet.
func idle(t *testing.T) (c *Conversation, read func()) {
	t.Helper()
	h := plainHost{reading: make(chan struct{})}
	c = newConversation(t.Context(), Options{Host: h, Library: work.New(work.Machine{}, work.Front{})}, Terminal{})
	c.made = &made{coder: coder.New(coder.Options{})}
	c.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return c, func() { close(h.reading) }
}

// A journey is one thing at a time: another one is refused until the first arrives,
// and what was asked to be read meanwhile is read then.
func TestOneJourneyAtATime(t *testing.T) {
	c, _ := idle(t)
	var left context.Context
	if cmd := c.way.move(func(ctx context.Context) arrival { left = ctx; return arrival{what: "go", err: ctx.Err()} }); cmd == nil || !c.way.away() {
		t.Fatalf("the state is %d", c.way.state)
	}
	if c.looks.look(); c.looks.want != wantAgain || c.looks.state != lookRests {
		t.Errorf("on the way the session is looked at: %d, %d", c.looks.want, c.looks.state)
	}
	c.way.begin()
	c.way.compact("")
	if c.way.state != journeyAway || left != nil {
		t.Errorf("a second journey began: %d", c.way.state)
	}
	c.way.moved(arrival{what: "go", end: endStayed})
	if c.way.moving() {
		t.Error("it is on its way for ever")
	}
}

// Who wants to stay ends a journey, and who stops what runs ends a summing up: not
// the one for the other.
func TestAJourneyIsEndedByItsOwnKey(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state journeyState
		end   func(*journey)
		want  error
	}{
		{"stay on the way", journeyAway, (*journey).stay, context.Canceled},
		{"stop on the way", journeyAway, (*journey).stopSumming, nil},
		{"stay while it is summed up", journeySumming, (*journey).stay, nil},
		{"stop while it is summed up", journeySumming, (*journey).stopSumming, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := idle(t)
			ctx, ok := c.way.leave(tt.state)
			if tt.end(c.way); !ok || !errors.Is(ctx.Err(), tt.want) {
				t.Errorf("it ends with %v, want %v", ctx.Err(), tt.want)
			}
			c.way.stop()
		})
	}
}

// Of what is wanted of a session the most is read next: another transcript before
// the same one again.
func TestTheMostIsReadNext(t *testing.T) {
	c, _ := idle(t)
	c.looks.state = lookReads
	c.looks.look()
	c.looks.lookAnew()
	c.looks.look()
	if c.looks.want != wantAnew {
		t.Errorf("next is %d", c.looks.want)
	}
	c.looks.looked(lookDone{rows: chatview.Rows{Reset: true}, now: sessionNow{id: "s1"}})
	if c.looks.state != lookRests || c.looks.want != wantAnew || c.looks.now.id != "s1" {
		t.Errorf("then it is %d, %d of %q", c.looks.state, c.looks.want, c.looks.now.id)
	}
}

// A line whose pictures are read holds those behind it; what is taken back is not
// queued when they are read.
func TestALineHoldsThoseBehindIt(t *testing.T) {
	c, read := idle(t)
	line := func(text string) chatview.Send { return chatview.Send{Text: chatview.Untyped(text)} }
	if c.queue.add(line("water")) != nil || c.queue.state != queueOpen {
		t.Error("a line without a picture waits to be queued")
	}
	first, second := c.queue.add(line("see @leaf.png")), c.queue.add(line("and then"))
	if first == nil || second == nil || c.queue.state != queueHeld {
		t.Fatalf("the queue is %d", c.queue.state)
	}
	if got := c.queue.take(); got != "water\n\nsee @leaf.png\n\nand then" || c.queue.state != queueOpen {
		t.Errorf("%q is taken back; the queue is %d", got, c.queue.state)
	}
	read()
	if first() != nil || second() != nil || c.queue.take() != "" {
		t.Error("what was taken back waits")
	}
	first, second = c.queue.add(line("see @root.png")), c.queue.add(line("or else"))
	if first() != (lineQueued{}) || second() != (lineQueued{}) || c.queue.state != queueOpen {
		t.Errorf("the queue is %d", c.queue.state)
	}
	if got := c.queue.take(); got != "see @root.png\n\nor else" {
		t.Errorf("%q waits", got)
	}
}

// A turn that was stopped says nothing of what waits; one that ended says it.
func TestAStoppedTurnLeavesWhatWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop bool
		want turnState
	}{{"ended", false, turnWorking}, {"stopped", true, turnIdle}} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := idle(t)
			c.turn.begin("working", func() turnEnded { return turnEnded{} })
			if tt.stop {
				c.turn.abort()
			}
			c.queue.add(chatview.Send{Text: chatview.Untyped("too late")})
			c.turn.ended(turnEnded{})
			if c.turn.state != tt.want || c.queue.take() != "" {
				t.Errorf("the turn is %d, want %d", c.turn.state, tt.want)
			}
		})
	}
}

// What was sent while something ran waits for that, however it ends and whenever what the
// screen brings is carried out: after a failure it is in the editor again, and nothing of
// it is said.
func TestWhatWaitedIsNotSaidAfterAFailure(t *testing.T) {
	for _, test := range []struct {
		name string
		end  turnEnded
		stop bool
	}{{"failed", turnEnded{err: errors.New("no")}, false}, {"stopped", turnEnded{}, true}} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := idle(t)
			c.turn.begin("working", func() turnEnded { return turnEnded{} })
			c.face.show(chatview.Began{Doing: "working"})
			var late []tea.Cmd
			press := func(k tea.KeyPressMsg) {
				_, cmd := c.Update(k)
				late = append(late, cmd)
			}
			for _, r := range "wait" {
				press(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			press(tea.KeyPressMsg{Code: tea.KeyEnter})
			if test.stop {
				press(tea.KeyPressMsg{Code: tea.KeyEscape})
			}
			c.Update(test.end)
			for _, cmd := range late { // as late as can be
				carryOut(c, cmd)
			}
			if c.turn.running() || c.face.view.Text() != "wait" || c.queue.take() != "" {
				t.Errorf("it is %d, and in the editor is %q", c.turn.state, c.face.view.Text())
			}
		})
	}
}

// carryOut runs a command and takes what it brings.
func carryOut(c *Conversation, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, one := range msg {
			carryOut(c, one)
		}
	default:
		c.Update(msg)
	}
}

// A question is answered once; keys that come later answer nobody.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	c, _ := idle(t)
	q := &question{ask: coder.Ask{Call: consent.Call{Tool: "bash", Arguments: []byte(`{}`)}}, reply: make(chan coder.Answer, 1)}
	c.questions.put(q)
	if c.questions.seen(q.id, true); q.state != questionPut {
		t.Error("it was in sight behind another screen")
	}
	if c.questions.seen(q.id, false); q.state != questionSeen {
		t.Errorf("it is %d", q.state)
	}
	c.questions.answer(chatview.Answer{ID: q.id, Answer: chatview.Always})
	c.questions.answer(chatview.Answer{ID: q.id})
	if got := <-q.reply; got != coder.Always || q.state != questionClosed || len(q.reply) != 0 {
		t.Errorf("the answer is %v, the question %d", got, q.state)
	}
}

// A screen that was withdrawn while it was made ready is not shown.
func TestAWithdrawnScreenIsNotShown(t *testing.T) {
	c, _ := idle(t)
	c.over.open("reading", func() screenReady { return screenReady{} })
	first := c.over.opened
	c.over.withdraw()
	if c.over.show(screenReady{seq: first, tree: plainScreen{}, state: overTree}); c.over.state != overNothing {
		t.Errorf("it is shown: %d", c.over.state)
	}
	if c.over.show(screenReady{seq: c.over.opened, tree: plainScreen{}, state: overBranch}); c.over.state != overBranch {
		t.Errorf("the next one is not: %d", c.over.state)
	}
	if c.over.close(); c.over.state != overNothing {
		t.Errorf("it stays: %d", c.over.state)
	}
}

// A plainScreen is a screen with nothing on it.
type plainScreen struct{}

func (plainScreen) Update(tea.Msg) tea.Cmd { return nil }
func (plainScreen) View() tea.View         { return tea.NewView("") }
func (plainScreen) Close() tea.Cmd         { return nil }
