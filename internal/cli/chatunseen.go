package cli

import (
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// A chatUnseen counts what goes to the model with a session and is not shown.
type chatUnseen struct {
	s    *session.Session
	text string // "" for nothing
}

// countUnseen counts it now.
func (c *chat) countUnseen() tea.Msg {
	s := c.agent().Session()
	all, _ := c.r.coder.Unseen(c.ctx) // what cannot be read is told elsewhere
	return chatUnseen{s, coder.CountUnseen(all)}
}

// unseen shows the count in the line at the bottom.
func (c *chat) unseen(m chatUnseen) tea.Cmd {
	s := c.agent().Session()
	if s == nil || m.s != s {
		return nil // it is another one by now
	}
	c.unshown = m
	return c.show(c.stateNow(s))
}

// cmdContext shows the whole of what goes to the model and is not shown in the
// conversation.
func (c *chat) cmdContext(string) tea.Cmd {
	return func() tea.Msg {
		if c.agent().Session() == nil {
			return wrong("", agent.ErrNoSession)
		}
		all, err := c.r.coder.Unseen(c.ctx)
		page := chatview.Page{Title: "What goes to the model and is not shown in the conversation"}
		for i, u := range all {
			if i > 0 {
				page.Lines = append(page.Lines, "")
			}
			page.Lines = append(page.Lines, u.Lines()...)
		}
		if err != nil {
			page.Lines = append(page.Lines, "", wrong("read session", err).Text)
		}
		if len(page.Lines) == 0 {
			page.Lines = []string{"Nothing but what every conversation begins with: who the model is, its tools, the directory and the date."}
		}
		return page
	}
}
