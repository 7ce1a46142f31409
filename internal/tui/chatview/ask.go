package chatview

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A question is one that waits for an answer, as it is laid out.
type question struct {
	Ask
	rows  []consent.Row // for so many columns
	cols  int
	wrong error // why it cannot be shown

	top, room int // first row in sight, and how many are
	// read counts the rows from the first on that were in sight while keys answered
	// the question: what allows the call does so when that are all.
	read int
	// ready says that keys answer it; else they are for the editor. touched says
	// that a key came before it was ready: it is gone to with a key then, which
	// called says was pressed.
	ready, touched, called bool
}

// fit lays a question out for a screen, of which it has high rows.
func (q *question) fit(s consent.Screen, high int) {
	if q.cols != s.Cols {
		q.cols, q.top, q.read = s.Cols, 0, 0
		q.rows, q.wrong = q.Show(s)
	}
	q.room = max(high-1, 1)
	q.top = max(0, min(q.top, len(q.rows)-q.room))
	if q.ready && q.top <= q.read {
		q.read = max(q.read, q.top+q.room)
	}
}

// whole reports whether all of it was in sight, so that a person may allow it.
func (q *question) whole() bool { return q.wrong == nil && q.read >= len(q.rows) }

// turn scrolls by what is in sight.
func (q *question) turn(way int) { q.top = max(0, q.top+way*q.room) }

// view draws what is in sight of a question, with what the keys do below it: the
// keys that allow the call are named, and do so, when all of it was.
func (q *question) view(th theme.Theme, keys KeyMap, cols int) []string {
	var all []string
	for _, r := range q.rows[q.top:min(q.top+q.room, len(q.rows))] {
		role := map[consent.Kind]theme.Role{consent.Head: theme.Warn, consent.About: theme.Faint, consent.Given: theme.Text, consent.Removed: theme.Bad, consent.Added: theme.Good}[r.Kind]
		all = append(all, th.Paint(role, r.Text))
	}
	if q.wrong != nil {
		all = append(all, th.Paint(theme.Bad, term.Cut(term.Line(q.wrong.Error()), cols)))
	}
	var bar []string
	if more := len(q.rows) - q.top - q.room; more > 0 {
		bar = append(bar, th.Paint(theme.Key, keys.PageDown.Help().Key)+fmt.Sprintf(" for %s more", theme.Plural(more, "row")))
	}
	switch {
	case !q.ready:
		bar = append(bar, th.Paint(theme.Key, keys.Take.Help().Key)+" to answer", th.Paint(theme.Key, "esc")+" stops it")
	case !q.whole():
		bar = append(bar, binding(th, keys.No))
	case q.Once:
		bar = append(bar, binding(th, keys.Yes), binding(th, keys.No))
	default:
		bar = append(bar, binding(th, keys.Yes), binding(th, keys.No), binding(th, keys.Always))
	}
	return append(all, term.Cut(strings.Join(bar, "   "), cols))
}

func binding(th theme.Theme, b key.Binding) string {
	return th.Paint(theme.Key, b.Help().Key) + " " + b.Help().Desc
}

// fitAsk lays out the question that is asked now.
func (m *Model) fitAsk() {
	if len(m.asks) == 0 || m.small() || m.page != nil {
		return
	}
	q := *m.asks[0]
	share := 3 // the editor is in sight, too
	if q.ready {
		share = 2
	}
	q.fit(consent.Screen{Cols: m.cols, ASCII: m.opt.ASCII}, max(m.rows/share, 3))
	m.asks = slices.Clone(m.asks)
	m.asks[0] = &q
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
	return m.wish(Asking{m.asks[0].ID})
}

// seen has keys answer the question that was in sight for a moment, if nobody
// typed then, or went to it with a key and typed nothing since. While something covers it, it is not in sight.
func (m *Model) seen(id string) tea.Cmd {
	if len(m.asks) == 0 || m.asks[0].ID != id {
		return nil
	}
	q := *m.asks[0]
	switch {
	case m.page != nil || m.small():
		return m.asking()
	case q.called, m.recall == nil && m.editor.text() == "" && !q.touched:
		q.ready, q.called, q.top = true, false, 0 // it is gone through from its beginning
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
// for the editor. A key that is held down answers nothing.
func (m *Model) reply(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	k := m.keys
	q := *m.asks[0]
	taken = q.ready
	switch {
	case m.small():
		return nil, true
	case key.Matches(msg, k.Take) && q.ready:
		q.ready, q.touched = false, true
	case key.Matches(msg, k.Take) && len(m.choices.all) == 0:
		q.called, q.touched, taken, cmd = true, true, true, m.asking()
	case key.Matches(msg, k.Abort) && len(m.choices.all) == 0:
		if m.doing != "" { // who asks stops, and takes the question back
			return m.escape(false), true
		}
		return m.answered(q.ID, No), true
	case !q.ready:
		q.touched, q.called = true, false
	case key.Matches(msg, k.No):
		return m.answered(q.ID, No), true
	case msg.IsRepeat || !q.whole():
	case key.Matches(msg, k.Yes):
		return m.answered(q.ID, Yes), true
	case key.Matches(msg, k.Always) && !q.Once:
		return m.answered(q.ID, Always), true
	}
	m.asks = slices.Clone(m.asks)
	m.asks[0] = &q
	return cmd, taken
}

// answered answers the first question.
func (m *Model) answered(id string, r Reply) tea.Cmd {
	return tea.Batch(m.wish(Answer{id, r}), m.dismiss(id))
}
