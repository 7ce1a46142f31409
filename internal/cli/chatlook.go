package cli

import (
	"errors"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// chatReset tells that the transcript is another one.
type chatReset struct{}

// chatRows brings the rows of a session.
type chatRows struct {
	rows  chatview.Rows
	state chatview.State
	now   chatNow
	err   error
}

// A chatNow is what the screen has to know of a session without asking it.
type chatNow struct {
	id, cwd   string
	persisted bool
}

func nowOf(s *session.Session) chatNow {
	if s == nil {
		return chatNow{}
	}
	return chatNow{id: s.ID(), cwd: s.CWD(), persisted: s.Persisted()}
}

// look reads the session for the screen, one look at a time.
func (c *chat) look() tea.Cmd {
	if c.reading {
		c.again = true
		return nil
	}
	s := c.agent().Session()
	if s == nil {
		return nil
	}
	c.reading, c.again = true, false
	reset := c.reset
	c.reset = false
	return func() tea.Msg {
		c.source.watch(s)
		rows, err := c.source.rows(s, reset)
		return chatRows{rows, c.stateOf(s), nowOf(s), err}
	}
}

// looked shows what was read.
func (c *chat) looked(m chatRows) tea.Cmd {
	c.reading = false
	if m.err != nil {
		if errors.Is(m.err, session.ErrClosed) || c.ctx.Err() != nil {
			return nil // it was left meanwhile
		}
		c.then = nil
		return c.show(wrong("read session", m.err))
	}
	c.now = m.now
	cmds := []tea.Cmd{c.show(m.state)}
	if !c.reset { // else it is another one by now
		cmds = append(cmds, c.show(m.rows))
		if m.rows.Reset {
			for _, msg := range c.then {
				cmds = append(cmds, c.show(msg))
			}
			c.then = nil
		}
	}
	if c.again || c.reset {
		cmds = append(cmds, c.look())
	}
	if m.state.Unsent > 0 { // nobody tells when it is sent
		cmds = append(cmds, tea.Tick(sendingTime, func(time.Time) tea.Msg { return chatChanged{} }))
	}
	return tea.Batch(cmds...)
}

// sendingTime is how often it is looked at whether what waits for a store was sent.
const sendingTime = 2 * time.Second

// unsent counts the lines of a session that wait here for its store.
func (a *app) unsent(path string) (n int) {
	if a.shared == nil || a.shared.depot == nil {
		return 0
	}
	waiting, err := a.shared.depot.Wait()
	if err != nil {
		return 0 // it is told when they are sent
	}
	for _, w := range waiting {
		if w.Name == path {
			n += len(w.Lines)
		}
	}
	return n
}

// stateOf is what the line at the bottom says of a session.
func (c *chat) stateOf(s *session.Session) chatview.State {
	st := chatview.State{Thinking: c.r.coder.Thinking(), Unsaved: s.Queued(), Others: c.a.others(c.ctx, s.Path())}
	if !s.OnDisk() {
		st.Unsaved = 0 // it is written with the first answer
	}
	st.Unsent = c.a.unsent(s.Path())
	st.Name, _ = s.Title()
	if m, ok := c.r.coder.Model(); ok {
		st.Model, st.Window = m.ID, m.Window
	}
	if fill, _, err := c.agent().Due(c.ctx); err == nil {
		st.Tokens = fill.Tokens
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	st.Mode, st.Cost = c.mode, c.cost
	return st
}

// count sums what the session cost until now.
func (c *chat) count() tea.Msg {
	s := c.agent().Session()
	if s == nil {
		return nil
	}
	u, err := s.Usage(c.ctx)
	s.Rest()
	debug.FreeOSMemory() // every answer was read once; nothing of it is needed again
	if err != nil {
		return nil // it is said elsewhere what is wrong with the session
	}
	c.mu.Lock()
	c.cost = u.Cost
	c.mu.Unlock()
	return chatChanged{}
}
