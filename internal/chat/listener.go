package chat

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// A listener brings what the agent tells to the screen. Its methods are called by the
// agent's goroutines.
type listener struct {
	*desk
	notices *notices
	said    *saidMark
}

// tell brings one event.
func (l listener) tell(e coder.Event) {
	p := l.pump
	switch e := e.(type) {
	case coder.AgentStart:
		p.put(chatview.Began{Doing: "working"}, changed{})
	case coder.MessageStart:
		if roleOf(e.Message) == message.RoleAssistant {
			p.put(chatview.Began{Doing: "working"}, chatview.AnswerBegan{})
		}
	case coder.MessageUpdate:
		switch e.Kind {
		case "text_delta":
			p.put(chatview.Delta{Text: e.Delta})
		case "thinking_delta":
			p.put(chatview.Delta{Text: e.Delta, Thinking: true})
		}
	case coder.MessageEnd:
		l.appended(e)
	case coder.Retrying:
		p.put(chatview.AnswerBegan{}, chatview.Began{Doing: fmt.Sprintf("try %d of %d in %s: %s", e.Try+1, e.Tries, e.After.Round(100e6), e.Err)})
	case coder.ToolStart:
		p.put(chatview.ToolBegan{ID: e.CallID, Name: e.Tool, Arguments: e.Arguments})
	case coder.ToolUpdate:
		p.put(chatview.ToolWrote{ID: e.CallID, Text: e.Text})
	case coder.CompactionStart:
		p.put(chatview.Began{Doing: "summing up the conversation"})
	case coder.CompactionProgress:
		p.put(chatview.Began{Doing: fmt.Sprintf("compacting %d/%d", e.Part, e.Parts)})
	case coder.CompactionEnd:
		l.compacted(e)
	case coder.UnseenTold:
		for _, text := range e.LeftOut() {
			p.put(chatview.Told{Text: text})
		}
		p.put(unseenCount{l.agent().Session(), coder.CountUnseen(e.All)})
	case coder.Notice:
		l.notices.pass(e.Text, func() { p.put(chatview.Told{Text: e.Text}) })
	}
}

// compacted tells that the conversation was summed up, or why not.
func (l listener) compacted(e coder.CompactionEnd) {
	l.pump.put(chatview.Began{Doing: "working"}, replaced{})
	switch {
	case e.Err != "":
		l.pump.put(chatview.Told{Text: "sum up the conversation: " + e.Err, Bad: true})
	case e.EntryID != "" || e.Pruned > 0:
		l.pump.put(chatview.Told{Text: fmt.Sprintf("the conversation was summed up: %d tokens became %d", e.TokensBefore, e.TokensAfter)})
	}
}

// appended takes a message that is in the session now.
func (l listener) appended(e coder.MessageEnd) {
	switch roleOf(e.Message) {
	case message.RoleAssistant:
		if m, err := message.Decode(e.Message); err == nil {
			if a, ok := m.(*message.Assistant); ok && a.Usage != nil && a.Usage.Cost != nil {
				l.standing.spend(a.Usage.Cost.Total)
			}
		}
		l.pump.put(chatview.AnswerEnded{Key: string(e.EntryID)})
	case message.RoleToolResult:
		id, _ := jsonedit.Text(e.Message, "toolCallId")
		l.pump.put(chatview.ToolEnded{ID: id, Key: string(e.EntryID), Parts: chatview.PartsOf(e.Message)})
	case message.RoleUser:
		l.said.set(true)
		if m, err := message.Decode(e.Message); err == nil {
			l.pump.put(chatview.Said{Text: message.Text(m), Key: string(e.EntryID), Parts: chatview.PartsOf(e.Message)})
		}
	}
	l.pump.put(changed{})
}

// roleOf is who said a message.
func roleOf(raw message.JSON) string {
	role, _ := jsonedit.Text(raw, "role")
	return role
}

// enterMode is told the mode of a session that was gone to. While the session is on
// its way, it is seen when the agent has arrived.
func (l listener) enterMode(_ context.Context, m agent.Mode) error {
	l.standing.enter(m.Name)
	l.notices.unlessHeld(func() { l.pump.put(changed{}) })
	return nil
}

// sees is told what the model sees in the session from now on: the screen shows it of
// the same context.
func (l listener) sees(c *replay.Context) {
	if s := l.agent().Session(); s != nil {
		l.source.offer(s, c)
	}
}

// arriving is told the todos of the session that the agent is on its way to: all is
// read of it then, and what is to be written is next.
func (l listener) arriving(agent.Todos) {
	frame, holding := l.notices.holding()
	if s := l.agent().Session(); holding && s != nil {
		l.source.begin(s, frame)
	}
}
