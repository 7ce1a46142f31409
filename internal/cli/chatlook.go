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
	s     *session.Session
	state chatview.State
	now   chatNow
	err   error
}

// A chatWeight is what takes longer to find out of a session than its rows do: how
// much of the model's window it takes, and who else has it open.
type chatWeight struct {
	s      *session.Session
	tokens int
	others string
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
	if c.reading || c.away {
		c.again = true
		return nil
	}
	s := c.agent().Session()
	if s == nil {
		return nil
	}
	c.reading, c.again = true, false
	reset, frame := c.reset, c.frame()
	c.reset = false
	return func() tea.Msg {
		c.source.watch(s)
		rows, err := c.source.rows(s, reset, frame)
		return *c.looking(s, rows, err)
	}
}

// looking is what was read of a session, with all that the screen says of it.
func (c *chat) looking(s *session.Session, rows chatview.Rows, err error) *chatRows {
	return &chatRows{rows, s, c.stateOf(s), nowOf(s), err}
}

// frame is the screen as it is now.
func (c *chat) frame() chatFrame { return chatFrame{c.view.Form(), c.size.Height} }

// lookAgain looks at the session if that was put off.
func (c *chat) lookAgain() tea.Cmd {
	if !c.again && !c.reset {
		return nil
	}
	return c.look()
}

// looked shows what was read, behind other messages.
func (c *chat) looked(m chatRows, msgs ...tea.Msg) tea.Cmd {
	c.reading = false
	if m.err != nil {
		if errors.Is(m.err, session.ErrClosed) || c.ctx.Err() != nil {
			return c.show(msgs...) // it was left meanwhile
		}
		c.then = nil
		return c.show(append(msgs, wrong("read session", m.err))...)
	}
	c.now = m.now
	c.state = m.state
	if !c.reset { // else it is another one by now
		msgs = append(msgs, m.rows)
		if m.rows.Reset {
			msgs = append(msgs, c.then...)
			c.then = nil
		}
	}
	cmds := []tea.Cmd{c.show(append(msgs, c.stateNow(m.s))...)}
	if m.rows.Reset {
		cmds = append(cmds, tea.Tick(twoFrames, func(time.Time) tea.Msg { return chatview.Drawn{} }))
	} else {
		cmds = append(cmds, c.weigh(m.s))
	}
	if m.state.Unsent > 0 { // nobody tells when it is sent
		cmds = append(cmds, tea.Tick(sendingTime, func(time.Time) tea.Msg { return chatChanged{} }))
	}
	return tea.Batch(append(cmds, c.lookAgain())...)
}

// The screen is drawn that often a second, at most, and what is not on the first
// screen of a session waits so long for it.
const (
	frames    = 120
	twoFrames = 2 * time.Second / frames
)

// drawn does what waited for the first screen of a session.
func (c *chat) drawn() tea.Cmd {
	cmds := []tea.Cmd{c.weigh(c.agent().Session()), c.countUnseen}
	if c.uncounted {
		c.uncounted = false
		cmds = append(cmds, c.count)
	}
	return tea.Batch(cmds...)
}

// sendingTime is how often it is looked at whether what waits for a store was sent.
const sendingTime = 2 * time.Second

// unsent counts the lines of a session that wait here for its store.
func (a *app) unsent(path string) (n int) {
	if a.lib.Shared == nil || a.lib.Shared.Offline == nil {
		return 0
	}
	waiting, err := a.lib.Shared.Offline.Wait()
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

// stateNow is the state of a session, with what was last found out of it.
func (c *chat) stateNow(s *session.Session) chatview.State {
	st := c.state
	if c.weighed.s == s {
		st.Tokens, st.Others = c.weighed.tokens, c.weighed.others
	}
	if c.unshown.s == s {
		st.Unseen = c.unshown.text
	}
	return st
}

// weigh finds out how much of the model's window a session takes, and who else has
// it open, once at a time.
func (c *chat) weigh(s *session.Session) tea.Cmd {
	if c.weighing != nil || s == nil {
		c.unweighed = s != nil
		return nil
	}
	c.weighing, c.unweighed = s, false
	return func() tea.Msg { return c.weightOf(s) }
}

// weightOf is what weigh finds out.
func (c *chat) weightOf(s *session.Session) chatWeight {
	w := chatWeight{s: s, others: c.a.others(c.ctx, s.Path())}
	if fill, _, err := c.agent().Due(c.ctx); err == nil {
		w.tokens = fill.Tokens
	}
	return w
}

// weigh1 shows what was found out, if the session is still there.
func (c *chat) weigh1(w chatWeight) tea.Cmd {
	c.weighing = nil
	s := c.agent().Session()
	var cmds []tea.Cmd
	if s == w.s {
		c.weighed = w
		cmds = append(cmds, c.show(c.stateNow(s)), c.mind(w))
	}
	if c.unweighed {
		cmds = append(cmds, c.weigh(s))
	}
	return tea.Batch(cmds...)
}

// othersTime is how often it is looked at whether those who have the session open
// too still have: nobody tells when they leave.
const othersTime = 2 * time.Second

// mind looks at it, as long as somebody has.
func (c *chat) mind(w chatWeight) tea.Cmd {
	if w.others == "" || c.minding {
		return nil
	}
	c.minding = true
	return tea.Tick(othersTime, func(time.Time) tea.Msg {
		s := c.agent().Session()
		if s == nil {
			return chatMinded{}
		}
		return chatMinded{s, c.a.others(c.ctx, s.Path())}
	})
}

// A chatMinded says who else has a session open.
type chatMinded struct {
	s      *session.Session
	others string
}

// minded shows it.
func (c *chat) minded(m chatMinded) tea.Cmd {
	c.minding = false
	if m.s == nil || m.s != c.weighed.s {
		return c.mind(c.weighed) // it was of another one
	}
	c.weighed.others = m.others
	return tea.Batch(c.show(c.stateNow(m.s)), c.mind(c.weighed))
}

// stateOf is what the line at the bottom says of a session, but for what takes
// longer to find out; see weigh.
func (c *chat) stateOf(s *session.Session) chatview.State {
	st := chatview.State{Thinking: c.r.coder.Thinking(), Unsaved: s.Queued(), Dir: c.a.tilde(c.dir())}
	if !s.OnDisk() {
		st.Unsaved = 0 // it is written with the first answer
	}
	st.Unsent = c.a.unsent(s.Path())
	st.Name, _ = s.Title()
	if m, ok := c.r.coder.Model(); ok {
		st.Model, st.Window = m.ID, m.Window
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
