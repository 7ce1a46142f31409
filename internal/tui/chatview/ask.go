package chatview

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A question is one that waits for an answer, as it is laid out.
type question struct {
	Ask
	top int // first line in sight
	// ready says that keys answer it; else they are for the editor. touched says
	// that a key came before it was ready: it is gone to with a key then.
	ready, touched bool
}

// lines lays a question out: the tool, its directory and all that it is given; a
// change of a file as a diff.
func (q *question) lines(th theme.Theme, cols int) []string {
	all := []string{th.Paint(theme.Warn, term.Cut("Run "+term.Line(q.Tool)+"?", cols)) + th.Paint(theme.Faint, term.Cut("  in "+term.Line(q.Dir), max(cols-8-term.Width(q.Tool), 4)))}
	change := changeIn(q.Arguments)
	for name, value := range splice.Members(q.Arguments) {
		if change != "" && ofChange(name) {
			continue
		}
		text, ok := splice.String(value)
		if !ok {
			text = string(value)
		}
		if name == "command" {
			all = append(all, painted(th, theme.Strong, text, "  $ ", cols)...)
		} else {
			all = append(all, painted(th, theme.Text, name+": "+text, "  ", cols)...)
		}
	}
	if change != "" {
		all = append(all, diffLines(th, change, "  ", cols)...)
	}
	return all
}

// view draws as much of a question as fits, with what the keys do below it.
func (q *question) view(th theme.Theme, keys KeyMap, cols, high int) []string {
	lines := q.lines(th, cols)
	room := max(high-1, 1)
	q.top = max(0, min(q.top, len(lines)-room))
	all := lines[q.top:min(q.top+room, len(lines))]
	var bar []string
	if q.ready {
		for _, b := range []key.Binding{keys.Yes, keys.No, keys.Always} {
			bar = append(bar, th.Paint(theme.Key, b.Help().Key)+" "+b.Help().Desc)
		}
	} else {
		bar = append(bar, th.Paint(theme.Key, keys.Take.Help().Key)+" to answer", th.Paint(theme.Key, "esc")+" stops it")
	}
	if more := len(lines) - q.top - room; more > 0 {
		bar = append(bar, th.Paint(theme.Faint, fmt.Sprintf("pgdn for %s more", theme.Plural(more, "line"))))
	}
	return append(all[:len(all):len(all)], term.Cut(strings.Join(bar, "   "), cols))
}

// asked takes a question. Whoever types when it appears has not read it: no key
// answers it before it was in sight for a moment.
func (m *Model) asked(ask Ask) tea.Cmd {
	m.asks = append(slices.Clone(m.asks), &question{Ask: ask})
	if len(m.asks) > 1 {
		return nil
	}
	return m.asking()
}

// asking says that the first question is shown.
func (m *Model) asking() tea.Cmd {
	if len(m.asks) == 0 {
		return nil
	}
	return wish(Asking{m.asks[0].ID})
}

// seen has keys answer the question that was in sight for a moment, if nobody
// typed then. While something covers it, it is not in sight.
func (m *Model) seen(id string) tea.Cmd {
	if len(m.asks) == 0 || m.asks[0].ID != id {
		return nil
	}
	q := *m.asks[0]
	switch {
	case m.page != nil || m.small():
		return m.asking()
	case m.recall == nil && m.editor.text() == "" && !q.touched:
		q.ready = true
		m.asks = slices.Clone(m.asks)
		m.asks[0] = &q
	}
	return nil
}

// dismiss takes away the question of an id; the one behind it is shown then.
func (m *Model) dismiss(id string) tea.Cmd {
	first := len(m.asks) > 0 && m.asks[0].ID == id
	m.asks = slices.DeleteFunc(slices.Clone(m.asks), func(q *question) bool { return q.ID == id })
	if !first {
		return nil
	}
	return m.asking()
}

// reply takes a key while there is a question. It reports false where the key is
// for the editor.
func (m *Model) reply(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := m.keys
	q := *m.asks[0]
	typing := !q.ready
	switch {
	case m.small():
		return nil, true
	case key.Matches(msg, k.Take) && (q.ready || len(m.choices.all) == 0):
		q.ready, q.touched = !q.ready, true
	case key.Matches(msg, k.Abort) && len(m.choices.all) == 0:
		if m.doing != "" { // who asks stops, and takes the question back
			return m.escape(false), true
		}
		return m.answered(q.ID, No), true
	case typing:
		q.touched = true
	case key.Matches(msg, k.Yes):
		return m.answered(q.ID, Yes), true
	case key.Matches(msg, k.Always):
		return m.answered(q.ID, Always), true
	case key.Matches(msg, k.No):
		return m.answered(q.ID, No), true
	}
	m.asks = slices.Clone(m.asks)
	m.asks[0] = &q
	return nil, !typing || q.ready
}

// answered answers the first question.
func (m *Model) answered(id string, r Reply) tea.Cmd {
	return tea.Batch(wish(Answer{id, r}), m.dismiss(id))
}
