package chat

import (
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/message"
)

// A queue has prompts wait until what runs takes them, in the order in which they
// were sent. It is safe for concurrent use.
type queue struct {
	*desk

	mu    sync.Mutex
	state queueState      // guarded by mu, as is all that follows
	lane  int             // counts when what waited was taken back
	lines []chatview.Line // that are to wait, in order
	last  <-chan struct{} // closed when the text that was sent last waits; nil for none
}

// A queueState says how a line comes to wait.
type queueState uint8

const (
	queueOpen queueState = iota // at once
	queueHeld                   // behind lines whose pictures are being read
)

// lineQueued tells that a text waits in a queue, or why it does not.
type lineQueued struct{ err error }

// hold says which lines are to wait still. q.mu is held.
func (q *queue) hold(lines []chatview.Line) {
	q.lines, q.state = lines, queueOpen
	if len(lines) > 0 {
		q.state = queueHeld
	}
}

// add has a line wait, behind those that were sent before it: at once, or when the
// pictures that it may name were read.
func (q *queue) add(s chatview.Send) tea.Cmd {
	q.mu.Lock()
	defer q.mu.Unlock()
	text := s.Text.String()
	if q.state == queueOpen && !strings.Contains(text, "@") {
		q.enqueue(s, nil)
		return nil
	}
	lane := q.lane
	q.hold(append(q.lines, s.Text))
	before, done := q.last, make(chan struct{})
	q.last = done
	return func() tea.Msg {
		defer close(done)
		pictures, err := q.opt.Host.Pictures(q.mentioned(s.Text))
		if before != nil {
			<-before
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		switch {
		case q.lane != lane:
			return nil // it was taken back meanwhile
		case err != nil:
			return lineQueued{err}
		}
		at := slices.IndexFunc(q.lines, func(l chatview.Line) bool { return l.String() == text })
		q.hold(slices.Delete(q.lines, at, at+1))
		q.enqueue(s, pictures)
		return lineQueued{}
	}
}

// enqueue has the agent take a text.
func (q *queue) enqueue(s chatview.Send, pictures []*message.Image) {
	if s.Queue == chatview.FollowUp {
		q.coder.FollowUp(s.Text.String(), pictures...)
	} else {
		q.coder.Steer(s.Text.String(), pictures...)
	}
}

// take empties the queues and returns the texts that waited in them, or were to wait.
func (q *queue) take() string { return q.empty().text }

// A saying is what is to be said: a text with pictures, and with those that lines
// of it name.
type saying struct {
	text     string
	pictures []*message.Image
	lines    []chatview.Line
}

// empty takes what waited in the queues, or was to wait.
func (q *queue) empty() (all saying) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lane++
	queues := q.agent().Queues()
	var texts []string
	for _, raw := range append(queues.Take(agent.Steering), queues.Take(agent.FollowUp)...) {
		m, err := message.Decode(raw)
		if err != nil {
			continue
		}
		texts = append(texts, message.Text(m))
		if said, ok := m.(*message.User); ok {
			all.pictures = append(all.pictures, picturesOf(said.Content)...)
		}
	}
	for _, l := range q.lines {
		texts = append(texts, l.String())
	}
	all.text, all.lines = joined(texts...), q.lines
	q.hold(nil)
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
