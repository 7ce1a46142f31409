package chat

import (
	"context"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// A pump brings what happens elsewhere to the screen, in order: all that came
// since the screen last looked, at once, so that a key waits for one look at
// most. It never keeps who brings something waiting.
type pump struct {
	mu    sync.Mutex
	queue []tea.Msg // guarded by mu
	wake  chan struct{}
}

// A batch is what came.
type batch []tea.Msg

func newPump() *pump { return &pump{wake: make(chan struct{}, 1)} }

// put brings something.
func (p *pump) put(msgs ...tea.Msg) {
	p.mu.Lock()
	for _, msg := range msgs {
		if !p.join(msg) {
			p.queue = append(p.queue, msg)
		}
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // it will look
	}
}

// pieceMost is how long a piece of an answer grows while it waits to be looked at.
const pieceMost = 4 << 10

// join adds a piece of an answer to the piece that waits last, so that an answer
// in millions of pieces does not take many times its length. p.mu is held.
func (p *pump) join(msg tea.Msg) bool {
	more, ok := msg.(chatview.Delta)
	if !ok || len(p.queue) == 0 {
		return false
	}
	last, ok := p.queue[len(p.queue)-1].(chatview.Delta)
	if !ok || last.Thinking != more.Thinking || len(last.Text)+len(more.Text) > pieceMost {
		return false
	}
	last.Text += more.Text
	p.queue[len(p.queue)-1] = last
	return true
}

// next returns the command that waits for what comes.
func (p *pump) next(ctx context.Context) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-p.wake:
			p.mu.Lock()
			defer p.mu.Unlock()
			all := batch(p.queue)
			p.queue = nil
			return all
		case <-ctx.Done():
			return nil
		}
	}
}

// leftOver says what is wanted of what nobody saw.
type leftOver uint8

const (
	leftAll leftOver = iota
	leftBad          // what went wrong
)

// left returns what was to be told and nobody saw.
func (p *pump) left(what leftOver) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, msg := range p.queue {
		if t, ok := msg.(chatview.Told); ok && (t.Bad || what == leftAll) {
			all = append(all, t.Text)
		}
	}
	p.queue = nil
	return all
}

// tellLine tells a line.
func (p *pump) tellLine(text string) {
	if text = strings.TrimSpace(term.Line(text)); text != "" {
		p.put(chatview.Told{Text: text})
	}
}

// panicked is a panic elsewhere, which is to end the screen properly.
type panicked struct{ value any }

// guard has the screen panic where the goroutine that defers it does.
func (p *pump) guard() {
	if v := recover(); v != nil {
		p.put(panicked{v})
	}
}

// Go runs f in a goroutine whose panic ends the screen properly.
func (p *pump) Go(f func()) {
	go func() {
		defer p.guard()
		f()
	}()
}
