package chat

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// pages are what is told at length.
type pages struct {
	*desk
	face *face
}

// session tells what there is to know of the session.
func (p *pages) session() tea.Cmd {
	return func() tea.Msg {
		s := p.agent().Session()
		if s == nil {
			return p.wrong("", agent.ErrNoSession)
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
		line("file", p.tilde(s.Path()))
		line("agent", string(s.Dialect()))
		line("directory", p.tilde(p.dir()))
		if !p.lib.SameDir(s.CWD(), p.dir()) {
			line("recorded", "in "+p.tilde(s.CWD()))
		}
		line("entries", fmt.Sprint(s.Len()))
		st, w := p.stateOf(s), p.weightOf(s)
		line("model", st.Model)
		line("thinking", st.Thinking)
		line("mode", cmp.Or(st.Mode, "none"))
		line("context", fmt.Sprintf("%d of %d tokens", w.tokens, st.Window))
		if u, err := s.Usage(p.ctx); err == nil {
			line("tokens", fmt.Sprintf("%.0f in, %.0f out; %.0f read from the cache, %.0f written", u.Input, u.Output, u.CacheRead, u.CacheWrite))
		}
		line("cost", fmt.Sprintf("$%.4f", st.Cost))
		line("others", w.others)
		if n := s.Queued(); n > 0 && s.OnDisk() {
			line("unsaved", term.Plural(n, "entry"))
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

// help lists commands and keys.
func (p *pages) help() tea.Cmd {
	page := chatview.Page{Title: "Commands and keys"}
	line := func(width int, what, help string) {
		page.Lines = append(page.Lines, fmt.Sprintf("  %-*s %s", width, what, help))
	}
	for _, h := range Commands() {
		line(30, "/"+strings.TrimSpace(h.Name+" "+h.Arguments), h.Help)
	}
	line(30, "!COMMAND", "run a command of your own; with !! the model is not told")
	page.Lines = append(page.Lines, "")
	for _, b := range chatview.NewKeyMap().Help() {
		line(12, b.Help().Key, b.Help().Desc)
	}
	return p.face.show(page)
}

// context tells the whole of what goes to the model and is not shown in the
// conversation.
func (p *pages) context() tea.Cmd {
	return func() tea.Msg {
		if p.agent().Session() == nil {
			return p.wrong("", agent.ErrNoSession)
		}
		all, err := p.coder.Unseen(p.ctx)
		page := chatview.Page{Title: "What goes to the model and is not shown in the conversation"}
		for i, u := range all {
			if i > 0 {
				page.Lines = append(page.Lines, "")
			}
			page.Lines = append(page.Lines, u.Lines()...)
		}
		if err != nil {
			page.Lines = append(page.Lines, "", p.wrong("read session", err).Text)
		}
		if len(page.Lines) == 0 {
			page.Lines = []string{"Nothing but what every conversation begins with: who the model is, its tools, the directory and the date."}
		}
		return page
	}
}
