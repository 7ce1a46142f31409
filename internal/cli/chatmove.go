package cli

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// chatMoved tells that the agent has another session, or another place in it.
type chatMoved struct {
	what    string // that was tried, for an error
	ok      bool   // it did
	other   bool   // it is another session
	told    string
	prefill string
	now     chatNow
	rows    *chatRows       // of the session as it is then; nil where it has to be looked at
	whole   bool            // the agent read all of it on its way, its todos too
	todos   []chatview.Todo // those there are then
	choice  []string        // sessions that may be meant, a line each, where err says so
	stayed  bool            // the person wanted to stay
	err     error
}

// moved shows what the agent has now. Nothing of it happens where a hook cancelled
// it (published P3).
func (c *chat) moved(m chatMoved) tea.Cmd {
	c.moving, c.away, c.stay = false, false, nil
	if m.now.id != "" {
		c.now = m.now
	}
	before := []tea.Msg{chatview.Opening{}} // the transcript
	notices := c.release()
	if cmd, stays := c.stays(m); stays {
		return tea.Batch(c.show(before...), cmd, c.lookAgain())
	}
	if m.other {
		before = append(before, chatview.Switched{})
	}
	var cmds []tea.Cmd
	c.uncounted = true
	// The todos, another branch's too, and the word that it is done come behind the
	// transcript (published P3).
	c.todos = m.todos
	c.then = []tea.Msg{chatview.Todos{All: c.todos}}
	if m.told != "" {
		c.then = append(c.then, chatview.Told{Text: m.told})
	}
	if m.other { // what a branch leaves in the queues was for the session that was left
		c.then = append(c.then, chatview.TakenBack{Text: c.takeQueued()})
	}
	if m.prefill != "" {
		c.then = append(c.then, chatview.Typed{Text: m.prefill})
	}
	for _, text := range notices {
		c.then = append(c.then, chatview.Told{Text: text})
	}
	if m.rows != nil {
		cmds = append(cmds, c.looked(*m.rows, before...))
	} else {
		c.reset = true
		cmds = append(cmds, c.show(before...), c.look())
	}
	if !m.other {
		cmds = append(cmds, c.typeQueued())
	}
	return tea.Batch(cmds...)
}

// stays tells why the session is the one it was, if it is.
func (c *chat) stays(m chatMoved) (tea.Cmd, bool) {
	why := m.what + ": a hook cancelled it"
	if m.stayed {
		why = "the session stays as it is"
	}
	switch {
	case len(m.choice) > 0:
		page := chatview.Page{Title: classify(m.err).text, Lines: append(m.choice, "", "/resume and an id goes to one of them; /resume alone lists all.")}
		return tea.Batch(c.show(page), c.typeQueued()), true
	case m.err != nil:
		return tea.Batch(c.show(wrong(m.what, m.err)), c.typeQueued()), true
	case m.ok:
		return nil, false
	case c.running:
		return c.tell1(why, false), true
	}
	return tea.Batch(c.tell1(why, false), c.sayQueued()), true // what ran has ended by itself meanwhile
}

// release returns the notices that were held back while the session was on its
// way: they are about the one that it went to.
func (c *chat) release() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held
	c.holding, c.held = false, nil
	return held
}

func (c *chat) setMode(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = name
}

// slowMove is how long the session may be on its way before that is told.
const slowMove = 300 * time.Millisecond

// chatSlow tells that it takes longer, for the sake of a hook perhaps.
type chatSlow struct{ ctx context.Context }

// slow says so, where the session is still on its way.
func (c *chat) slow(s chatSlow) tea.Cmd {
	if !c.moving || c.stay == nil || s.ctx.Err() != nil {
		return nil
	}
	return c.show(chatview.Opening{What: "going there"})
}

// move has the agent go somewhere, one thing at a time. A person may want to stay
// meanwhile: its context ends then.
func (c *chat) move(f func(ctx context.Context) chatMoved) tea.Cmd {
	if c.moving {
		return c.tell1("the session is on its way already", true)
	}
	c.moving, c.away = true, true
	ctx, stop := context.WithCancel(c.ctx)
	c.stay = stop
	looking, frame := c.reading, c.frame()
	c.mu.Lock()
	c.holding, c.goal = true, frame
	c.mu.Unlock()
	late := tea.Tick(slowMove, func(time.Time) tea.Msg { return chatSlow{ctx} })
	return tea.Batch(late, func() tea.Msg {
		defer stop()
		m := f(ctx)
		if m.stayed = m.err != nil && ctx.Err() != nil && c.ctx.Err() == nil; m.stayed {
			m.ok, m.err = false, nil
		}
		m = c.arrived(m)
		s := c.agent().Session()
		m.now = nowOf(s)
		if s != nil && m.ok && m.err == nil && len(m.choice) == 0 && !looking {
			rows, err := c.source.arrive(s, frame)
			m.rows = c.looking(s, rows, err)
		}
		c.pump.put(m) // behind what was told before it
		return nil
	})
}

// arriving is told the todos of the session that the agent is on its way to: all is
// read of it then, and what is to be written is next.
func (c *chat) arriving(agent.Todos) {
	c.mu.Lock()
	holding, frame := c.holding, c.goal
	c.mu.Unlock()
	if s := c.agent().Session(); holding && s != nil {
		c.source.begin(s, frame)
	}
}

// arrived reads the todos where the agent came to, and says of another session that
// it cannot be written. It is called beside the screen.
func (c *chat) arrived(m chatMoved) chatMoved {
	if s := c.agent().Session(); s != nil && m.other && m.ok && s.ReadOnly() {
		m.told += "; it is read-only: " + s.ReadOnlyReason()
	}
	if m.other && m.ok {
		c.setMode(c.agent().Mode().Name)
	}
	todos := c.agent().Todos()
	if !m.whole {
		var err error
		if todos, err = c.agent().TodosNow(); err != nil && m.err == nil && c.ctx.Err() == nil {
			c.pump.put(wrong("", err))
		}
	}
	m.todos = todosOf(todos.JSON)
	return m
}

// switchTo goes to the session at a path.
func (c *chat) switchTo(path string) tea.Cmd { return c.switchAt(path, "") }

// switchAt goes to the session at a path, and there to an entry, "" for where it
// stands.
func (c *chat) switchAt(path string, id entry.ID) tea.Cmd {
	return c.move(func(ctx context.Context) chatMoved {
		m := chatMoved{what: "resume session", other: true, told: "Resumed session"}
		m.ok, m.err = c.agent().Switch(ctx, path)
		if m.whole = m.ok && m.err == nil && id == ""; m.whole || m.err != nil || !m.ok {
			return m
		}
		n, err := c.agent().Navigate(ctx, id, agent.NavigateOptions{})
		if err != nil { // the session is another one all the same
			m.told += "; it stands where it stood: " + classify(err).text
		}
		m.prefill = n.Prefill
		return m
	})
}

// navigate goes to an entry of the session.
func (c *chat) navigate(id entry.ID) tea.Cmd {
	return c.move(func(ctx context.Context) chatMoved {
		n, err := c.agent().Navigate(ctx, id, agent.NavigateOptions{})
		return chatMoved{what: "go to entry", ok: !n.Cancelled, prefill: n.Prefill, err: err}
	})
}

// branch goes to a new session with what came before a prompt.
func (c *chat) branch(id entry.ID) tea.Cmd {
	return c.move(func(ctx context.Context) chatMoved {
		if s := c.agent().Session(); s != nil && !userMessage(s, id) {
			return chatMoved{err: errors.New("branch from a prompt of yours: it is what can be said in another way")}
		}
		text, ok, err := c.agent().Branch(ctx, id)
		return chatMoved{what: "branch", ok: ok, other: true, told: "Branched to a new session", prefill: text, err: err}
	})
}
