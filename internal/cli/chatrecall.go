package cli

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/prompts"
)

// chatRecalled brings the prompts that were searched for.
type chatRecalled struct{ found chatview.Recalled }

// mostRecalled is how many prompts a search brings.
const mostRecalled = 200

// recall searches the prompts that were typed before, in any agent, as `cambium
// prompts` does; one search at a time, the last one that was wanted next, in
// whatever order they come. None begins before they are there.
func (c *chat) recall(w chatview.Recall) tea.Cmd {
	if c.recalling || !c.remembered {
		if c.recallFor == nil || c.recallFor.Seq < w.Seq {
			c.recallFor = &w
		}
		return nil
	}
	c.recalling = true
	h := c.history
	return func() tea.Msg {
		m := chatRecalled{chatview.Recalled{Seq: w.Seq}}
		if h == nil {
			return m
		}
		var all []prompts.Prompt
		var err error
		if strings.TrimSpace(w.Query) == "" {
			all, err = h.Recent(c.ctx, mostRecalled)
		} else {
			all, err = h.Search(c.ctx, w.Query, mostRecalled)
		}
		if err != nil {
			return m // the context ended; other trouble is told by the history
		}
		now := c.a.Now()
		seen := map[string]bool{}
		for _, p := range all {
			if seen[p.Text] {
				continue
			}
			seen[p.Text] = true
			help := strings.TrimSpace(theme.Age(p.Created, now) + "  " + p.Agent + "  " + c.a.tilde(p.CWD))
			m.found.All = append(m.found.All, chatview.Choice{Text: p.Text, Help: help})
		}
		return m
	}
}

// hasHistory takes the prompts that were typed before, and begins the search that
// waits for them.
func (c *chat) hasHistory(m chatHistory) tea.Cmd {
	c.history, c.remembered = m.history, true
	shown := c.show(chatview.History{All: m.all})
	if next := c.recallFor; next != nil {
		c.recallFor = nil
		return tea.Batch(shown, c.recall(*next))
	}
	return shown
}

// recalled shows what was found, and begins the search that was wanted meanwhile.
func (c *chat) recalled(m chatRecalled) tea.Cmd {
	c.recalling = false
	next := c.recallFor
	c.recallFor = nil
	if next != nil {
		return tea.Batch(c.show(m.found), c.recall(*next))
	}
	return c.show(m.found)
}
