package cli

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/message"
)

// chatQueued tells that a text waits in a queue, or why it does not.
type chatQueued struct{ err error }

// queue has a line wait until what runs takes it, behind those that were queued
// before it: at once, or when the pictures that it may name were read.
func (c *chat) queue(s chatview.Send) tea.Cmd {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := s.Text.String()
	if len(c.unqueued) == 0 && !strings.Contains(text, "@") {
		c.enqueue(s, nil)
		return nil
	}
	lane := c.lane
	c.unqueued = append(c.unqueued, s.Text)
	before, done := c.queuing, make(chan struct{})
	c.queuing = done
	return func() tea.Msg {
		defer close(done)
		pictures, err := readPictures(c.mentioned(s.Text))
		if before != nil {
			<-before
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case c.lane != lane:
			return nil // it was taken back meanwhile
		case err != nil:
			return chatQueued{err}
		}
		at := slices.IndexFunc(c.unqueued, func(l chatview.Line) bool { return l.String() == text })
		c.unqueued = slices.Delete(c.unqueued, at, at+1)
		c.enqueue(s, pictures)
		return chatQueued{}
	}
}

// enqueue has a text wait. c.mu is held.
func (c *chat) enqueue(s chatview.Send, pictures []*message.Image) {
	if s.Queue == chatview.FollowUp {
		c.r.coder.FollowUp(s.Text.String(), pictures...)
	} else {
		c.r.coder.Steer(s.Text.String(), pictures...)
	}
}

// isQueued says what was queued when nothing ran any more that would take it. What
// could not be queued is in the editor again, with all that waits.
func (c *chat) isQueued(m chatQueued) tea.Cmd {
	switch {
	case m.err != nil:
		return c.show(wrong("", m.err), chatview.TakenBack{Text: c.takeQueued()})
	case c.running || c.moving:
		return nil
	}
	return c.sayQueued()
}

// sayQueued says what was queued too late for what ran.
func (c *chat) sayQueued() tea.Cmd {
	left := c.emptyQueues()
	if left.text == "" {
		return nil
	}
	return tea.Batch(c.show(chatview.Said{Text: left.text}), c.begin("working", func() chatEnded { return c.say(left) }))
}

// takeQueued empties the queues and returns the texts that waited in them, or were
// to wait.
func (c *chat) takeQueued() string { return c.emptyQueues().text }

// A saying is what is to be said: a text with pictures, and with those that lines
// of it name.
type saying struct {
	text     string
	pictures []*message.Image
	lines    []chatview.Line
}

// emptyQueues takes what waited in the queues, or was to wait.
func (c *chat) emptyQueues() (all saying) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lane++
	q := c.agent().Queues()
	var texts []string
	for _, raw := range append(q.Take(agent.Steering), q.Take(agent.FollowUp)...) {
		m, err := message.Decode(raw)
		if err != nil {
			continue
		}
		texts = append(texts, message.Text(m))
		if said, ok := m.(*message.User); ok {
			all.pictures = append(all.pictures, picturesOf(said.Content)...)
		}
	}
	for _, l := range c.unqueued {
		texts = append(texts, l.String())
	}
	all.text, all.lines, c.unqueued = joined(texts...), c.unqueued, nil
	return all
}

// picturesOf are the pictures of a message.
func picturesOf(content message.Content) (all []*message.Image) {
	for _, b := range content.Blocks {
		if i, ok := b.(*message.Image); ok {
			all = append(all, i)
		}
	}
	return all
}

// joined puts texts into one, those that are not empty.
func joined(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	return strings.Join(texts, "\n\n")
}

// typeQueued puts what waits into the editor again, where nothing runs that would
// say it.
func (c *chat) typeQueued() tea.Cmd {
	if c.running {
		return nil
	}
	return c.show(chatview.TakenBack{Text: c.takeQueued()})
}
