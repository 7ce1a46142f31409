package chat

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// want carries out what a person wants. It reports false for any other message.
func (c *Conversation) want(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case chatview.Send:
		c.recalls.add(msg.Text.String(), c.looks.now.id)
		return c.turn.send(msg), true
	case chatview.Abort:
		return c.turn.abort(), true
	case chatview.Quit:
		return tea.Quit, true
	case chatview.Tree:
		return c.over.walk(overTree), true
	case chatview.Command:
		return c.command(msg.Name, msg.Arguments), true
	case chatview.Lapsing:
		return tea.Tick(c.term.Lapse, func(time.Time) tea.Msg { return chatview.Lapsed(msg) }), true
	case chatview.Asking:
		return c.questions.soon(msg.ID), true
	case chatview.Answer:
		c.questions.answer(msg)
		return nil, true
	case chatview.TakeBack:
		return c.face.show(chatview.TakenBack{Text: c.queue.take()}), true
	case chatview.Withdraw:
		c.over.withdraw()
		c.way.stay()
		return nil, true
	case chatview.Recall:
		return c.recalls.recall(msg), true
	case chatview.Edit:
		return c.editor.open(msg.Text), true
	case chatview.Complete:
		return c.choices.complete(msg), true
	}
	return nil, false
}

// happen takes what happened elsewhere. It reports false for any other message.
func (c *Conversation) happen(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case askPut:
		return c.questions.put(msg.q), true
	case askSeen:
		return c.questions.seen(msg.id, c.over.state != overNothing), true
	case askWithdrawn:
		return c.questions.withdraw(msg.q), true
	case turnEnded:
		return c.turn.ended(msg), true
	case lineQueued:
		return c.turn.isQueued(msg), true
	case arrival:
		return c.way.moved(msg), true
	case slowJourney:
		return c.way.slow(msg), true
	case screenReady:
		return c.over.show(msg), true
	case searchDone:
		return c.recalls.recalled(msg), true
	case historyReady:
		return c.recalls.hasHistory(msg), true
	}
	return c.read(msg)
}

// read takes what was read of the session, or is to be. It reports false for any
// other message.
func (c *Conversation) read(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case changed:
		return c.looks.look(), true
	case replaced:
		return c.looks.lookAnew(), true
	case lookDone:
		return c.looks.looked(msg), true
	case chatview.Drawn:
		return tea.Batch(c.face.show(msg), c.scales.drawn()), true
	case weight:
		return c.scales.take(msg), true
	case othersSeen:
		return c.scales.minded(msg), true
	case unseenCount:
		return c.scales.unseen(msg), true
	}
	return nil, false
}
