package cli

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

func (c *chat) cmdSession(string) tea.Cmd {
	return func() tea.Msg {
		s := c.agent().Session()
		if s == nil {
			return wrong("", agent.ErrNoSession)
		}
		name, _ := s.Title()
		page := chatview.Page{Title: "This session"}
		line := func(key, value string) {
			if value != "" {
				page.Lines = append(page.Lines, fmt.Sprintf("%-10s %s", key, value))
			}
		}
		line("name", name)
		line("id", s.ID())
		line("file", c.a.tilde(s.Path()))
		line("agent", string(s.Dialect().Name))
		line("directory", c.a.tilde(c.dir()))
		if !c.a.lib.SameDir(s.CWD(), c.dir()) {
			line("recorded", "in "+c.a.tilde(s.CWD()))
		}
		line("entries", fmt.Sprint(s.Len()))
		st, w := c.stateOf(s), c.weightOf(s)
		line("model", st.Model)
		line("thinking", st.Thinking)
		line("mode", first(st.Mode, "none"))
		line("context", fmt.Sprintf("%d of %d tokens", w.tokens, st.Window))
		if u, err := s.Usage(c.ctx); err == nil {
			line("tokens", fmt.Sprintf("%.0f in, %.0f out; %.0f read from the cache, %.0f written", u.Input, u.Output, u.CacheRead, u.CacheWrite))
		}
		line("cost", fmt.Sprintf("$%.4f", st.Cost))
		line("others", w.others)
		if n := s.Queued(); n > 0 && s.OnDisk() {
			line("unsaved", plural(n, "entry"))
		}
		if !s.OnDisk() && s.Persisted() {
			line("saved", "as a draft, until the first answer")
		}
		if d := s.Damage(); d.Any() {
			line("damage", d.String())
		}
		return page
	}
}

func (c *chat) cmdHelp(string) tea.Cmd {
	page := chatview.Page{Title: "Commands and keys"}
	line := func(width int, what, help string) {
		page.Lines = append(page.Lines, fmt.Sprintf("  %-*s %s", width, what, help))
	}
	for _, h := range chatHelp() {
		line(30, "/"+strings.TrimSpace(h.Name+" "+h.Arguments), h.Help)
	}
	line(30, "!COMMAND", "run a command of your own; with !! the model is not told")
	page.Lines = append(page.Lines, "")
	for _, b := range chatview.NewKeyMap().Help() {
		line(12, b.Help().Key, b.Help().Desc)
	}
	return c.show(page)
}
