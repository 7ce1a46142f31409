package chat

import (
	"cmp"
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A desk is what all parts of a chat work with. It stays as it is while the chat is
// on the screen.
type desk struct {
	ctx      context.Context // of the chat, which ends with it
	lib      *work.Library
	opt      Options
	term     Terminal
	pump     *pump
	source   *source
	standing *standing

	*made // the agent; nil before it is there
}

// made is an agent as the host made it.
type made struct {
	coder   *coder.Coder
	models  Models
	environ []string
	noModel Explanation
}

// explain says what an error means to a person.
func (d *desk) explain(err error) Explanation {
	var place *PlaceError
	if errors.As(err, &place) {
		return place.explain()
	}
	return d.opt.Host.Explain(err)
}

// wrong says in one line what went wrong and what to do about it; what is what was
// tried, "" for nothing.
func (d *desk) wrong(what string, err error) chatview.Told { return d.explain(err).told(what) }

// Go runs f beside the screen. Its panic ends the screen properly.
func (d *desk) Go(f func()) { d.pump.Go(f) }

// agent is the one that has the session.
func (d *desk) agent() *agent.Agent { return d.coder.Agent() }

// dir is the directory in which the agent works.
func (d *desk) dir() string { return cmp.Or(d.agent().Dir(), d.lib.Dir) }

// tilde returns a path as a person reads it.
func (d *desk) tilde(path string) string { return work.Tilde(d.lib.Env.Home, path) }

// aside returns the command that does something to the session and tells how it went.
func (d *desk) aside(what string, f func(ctx context.Context, s *session.Session) (string, error)) tea.Cmd {
	return func() tea.Msg {
		s := d.agent().Session()
		if s == nil {
			return d.wrong(what, agent.ErrNoSession)
		}
		text, err := f(d.ctx, s)
		if err != nil {
			return d.wrong(what, err)
		}
		return tea.BatchMsg{
			func() tea.Msg { return chatview.Told{Text: text} },
			func() tea.Msg { return changed{} }, d.countUnseen,
		}
	}
}

// countUnseen counts what goes to the model with the session and is not shown.
func (d *desk) countUnseen() tea.Msg {
	s := d.agent().Session()
	all, _ := d.coder.Unseen(d.ctx) // what cannot be read is told elsewhere
	return unseenCount{s, coder.CountUnseen(all)}
}

// A standing is what holds in the session: its mode, and what it cost. It is safe
// for concurrent use: the agent's goroutines look at it.
type standing struct {
	mu   sync.Mutex
	mode string  // guarded by mu
	cost float64 // guarded by mu
}

// now returns the mode and the cost.
func (s *standing) now() (mode string, cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode, s.cost
}

// enter enters a mode.
func (s *standing) enter(mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

// spend adds to what the session cost.
func (s *standing) spend(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += cost
}

// sum notes what the whole session cost.
func (s *standing) sum(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost = cost
}

// notices holds back what the agent tells while the session is on its way: it is
// about the one that it goes to. It is safe for concurrent use.
type notices struct {
	mu      sync.Mutex
	state   noticesState // guarded by mu
	held    []string     // guarded by mu
	heading frame        // that the session is read for which is on its way; guarded by mu
}

// A noticesState says what becomes of what the agent tells.
type noticesState uint8

const (
	noticesPass noticesState = iota // it is shown
	noticesWait                     // it is held back
)

// hold has notices wait, while a session is on its way that is read for a frame.
func (n *notices) hold(f frame) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.state, n.heading = noticesWait, f
}

// holding reports whether they wait, and the frame of the session on its way.
func (n *notices) holding() (frame, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heading, n.state == noticesWait
}

// pass holds a notice back, or has it shown. Notices stay in order.
func (n *notices) pass(text string, show func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state == noticesWait {
		n.held = append(n.held, text)
		return
	}
	show()
}

// unlessHeld does something while nothing is held back.
func (n *notices) unlessHeld(do func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state == noticesPass {
		do()
	}
}

// release returns the notices that were held back.
func (n *notices) release() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	held := n.held
	n.state, n.held = noticesPass, nil
	return held
}
