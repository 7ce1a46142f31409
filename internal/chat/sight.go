package chat

import (
	"context"
	"slices"
	"strconv"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A frame is the screen that a session is read for.
type frame struct {
	form *chatview.Form
	high int // in lines; 0 for not known yet
}

// A sight is a session as it was read for its transcript. It stays as it is:
// what is appended later is not in it.
type sight struct {
	context *replay.Context
	list    *entry.List
	path    []int // of list: the branch that is shown
}

// sightOf reads a session, at one moment.
func sightOf(ctx context.Context, s *session.Session) (sight, error) {
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return sight{}, err
	}
	return sightIn(c), nil
}

// sightIn is a session as a context has it. The session may have gone on by now.
func sightIn(c *replay.Context) sight {
	list, path := c.View()
	return sight{c, list, path}
}

// stands reports whether a session, as it is now, still has the transcript that was
// read: at most settings were appended.
func (t sight) stands(s *session.Session) bool {
	list, path := s.Snapshot()
	n := len(t.path)
	if n == 0 || len(path) < n || keyOf(list, path[n-1]) != keyOf(t.list, t.path[n-1]) {
		return false
	}
	return !slices.ContainsFunc(path[n:], func(i int) bool { return list.Kind(i) == entry.Compaction || isShown(list, i) })
}

// holds reports whether it stands, and nothing that the context is made of was
// appended.
func (t sight) holds(s *session.Session) bool {
	if !t.stands(s) {
		return false
	}
	list, path := s.Snapshot()
	return len(path) >= len(t.path) && !slices.ContainsFunc(path[len(t.path):], func(i int) bool {
		switch list.Kind(i) {
		case entry.Custom, entry.ContextEdit, entry.ResetBoundary:
			return true
		}
		return false
	})
}

// rows are those of a transcript, with what others appended beside the branch, and
// the bodies at its end that were not known, as many as a frame has room for. They
// are known then.
func (t sight) rows(others []int, known map[string]bool, f frame) chatview.Rows {
	list := t.list
	m := chatview.Rows{
		Key: func(i int) string { return keyOf(list, i) },
		Had: func(key string) bool { return list.Find(entry.ID(key)) >= 0 },
	}
	shown := t.path[min(t.context.From(), len(t.path)):]
	m.Rows = make([]chatview.Row, 0, len(shown)+2+len(others))
	cut := t.context.Cut()
	if cut >= 0 {
		m.Rows = append(m.Rows, chatview.Row{Entry: cut})
	}
	for _, i := range shown {
		if i != cut && isShown(list, i) {
			m.Rows = append(m.Rows, chatview.Row{Entry: i})
		}
	}
	if len(others) > 0 {
		m.Rows = append(m.Rows, chatview.Row{Key: announced, Entry: -1, Foreign: true})
	}
	for _, i := range others {
		m.Rows = append(m.Rows, chatview.Row{Entry: i, Foreign: true})
	}
	m.Bodies = t.bodies(m.Rows, known, f)
	return m
}

// bodies are those of the last rows, laid out.
func (t sight) bodies(rows []chatview.Row, known map[string]bool, f frame) (all []chatview.Body) {
	const most, usual = 30, 24 // are read at once, however little they show; lines of a screen
	room := f.high
	if room == 0 {
		room = usual
	}
	for n := len(rows) - 1; n >= max(0, len(rows)-most) && room > 0; n-- {
		row := &rows[n]
		if row.Key == "" {
			row.Key = keyOf(t.list, row.Entry)
		}
		if known[row.Key] {
			room-- // at least
			continue
		}
		known[row.Key] = true
		b := t.body(*row)
		room -= b.Lay(f.form, row.Foreign)
		all = append(all, b)
	}
	return all
}

// body reads one row.
func (t sight) body(row chatview.Row) chatview.Body {
	if row.Key == announced {
		return announcement()
	}
	b := chatview.Body{Key: row.Key}
	bad := func(err error) chatview.Body {
		b.Parts = []chatview.Part{{Style: chatview.Bad, Text: err.Error()}}
		return b
	}
	switch t.list.Kind(row.Entry) {
	case entry.ModelChange, entry.ModeChange:
		line, err := t.list.Load(row.Entry)
		if err != nil {
			return bad(err)
		}
		b.Parts = []chatview.Part{{Style: chatview.Note, Text: settingText(line)}}
		return b
	}
	m, ok, err := t.context.Alone(row.Entry)
	switch {
	case err != nil:
		return bad(err)
	case ok:
		b.Parts = chatview.PartsOf(m.JSON)
	}
	return b
}

// keyOf names an entry.
func keyOf(list *entry.List, i int) string {
	if id, ok := list.ID(i); ok && list.Twin(i) < 0 {
		return string(id)
	}
	return "#" + strconv.Itoa(i)
}

// isShown reports whether an entry is shown at all.
func isShown(list *entry.List, i int) bool {
	switch list.Kind(i) {
	case entry.Message, entry.CustomMessage, entry.BranchSummary, entry.ModelChange, entry.ModeChange:
		return true
	}
	return false
}

// settingText says what an entry changes.
func settingText(line []byte) string {
	text := func(key string) string { s, _ := jsonedit.Text(line, key); return s }
	if mode := text("mode"); mode != "" {
		return "mode " + mode
	}
	if m := text("model"); m != "" {
		return "model " + m
	}
	return "model " + text("provider") + "/" + text("modelId")
}
