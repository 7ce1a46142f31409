package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A chatSource reads the agent's session for its transcript. It is safe for
// concurrent use.
type chatSource struct {
	ctx  context.Context
	pump *pump

	mu      sync.Mutex
	context *replay.Context   // guarded by mu, as is all that follows
	list    *entry.List       // that context is of
	foreign map[entry.ID]bool // what others wrote since the session was gone to
	known   map[string]bool   // rows whose bodies were sent
	watched *session.Session  // that is watched
	unwatch func()            // ends that
}

// chatChanged tells that the session has to be looked at again.
type chatChanged struct{}

// heard is told what happens to the session.
func (x *chatSource) heard(e session.Event) {
	if !e.Foreign && (e.Kind == session.Replaced || e.Kind == session.Moved) {
		return // our own doing
	}
	told := chatview.Told{}
	switch e.Kind {
	case session.Appended:
		if !e.Foreign {
			return
		}
		x.mu.Lock()
		for _, id := range e.IDs {
			x.foreign[id] = true
		}
		x.mu.Unlock()
		x.pump.put(chatChanged{})
		return
	case session.Busy:
		told.Text = e.Text
		if len(e.Holders) > 0 {
			told.Text += "; what each appends is a branch of its own"
		}
	case session.Replaced:
		told.Text = "another process rewrote this session"
	case session.Restored:
		told.Text = "lines that were lost from this session were put back"
	case session.Moved:
		told.Text = "this session was moved, to " + e.Text
	case session.Unsaved:
		told.Bad, told.Text = true, fmt.Sprintf("what was said is not saved: %v; it is tried again with each entry", e.Err)
	default:
		return
	}
	if told.Text != "" {
		x.pump.put(told)
	}
	x.pump.put(chatChanged{})
}

// watch waits for what others do to a session, in place of the one before.
func (x *chatSource) watch(s *session.Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watched == s {
		return
	}
	if x.unwatch != nil {
		x.unwatch()
	}
	ctx, stop := context.WithCancel(x.ctx)
	ended := make(chan struct{})
	x.watched, x.unwatch = s, stop
	x.foreign, x.known = map[entry.ID]bool{}, map[string]bool{}
	go func() {
		defer close(ended)
		defer guardPanic(x.pump)
		for err := range s.Watch(ctx) {
			if err != nil && ctx.Err() == nil {
				x.pump.put(chatview.Told{Text: "watch session: " + err.Error(), Bad: true})
			}
			x.pump.put(chatChanged{})
		}
	}()
}

// stop ends the watching.
func (x *chatSource) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.unwatch != nil {
		x.unwatch()
	}
}

// chatPanic is a panic elsewhere, which is to end the screen properly.
type chatPanic struct{ value any }

// guardPanic has the screen panic instead.
func guardPanic(p *pump) {
	if v := recover(); v != nil {
		p.put(chatPanic{v})
	}
}

// rows reads which entries the transcript of a session has, and the bodies of new
// ones, as many as a screen of that size has room for. With reset it is another
// transcript.
func (x *chatSource) rows(s *session.Session, reset bool, screen tea.WindowSizeMsg) (chatview.Rows, error) {
	c, err := s.Context(x.ctx, session.ContextOptions{})
	if err != nil {
		return chatview.Rows{}, err
	}
	list, path := s.View()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.context, x.list = c, list
	if reset {
		x.known = map[string]bool{}
	}
	m := chatview.Rows{Reset: reset, Had: func(key string) bool { return list.Find(entry.ID(key)) >= 0 }}
	add := func(i int, foreign bool) {
		m.Rows = append(m.Rows, chatview.Row{Entry: i, Foreign: foreign})
	}
	shown := path[min(c.From(), len(path)):]
	m.Rows = make([]chatview.Row, 0, len(shown)+2+len(x.foreign))
	m.Key = func(i int) string { return chatKey(list, i) }
	cut := c.Cut()
	if cut >= 0 {
		add(cut, false)
	}
	for _, i := range shown {
		if i != cut && chatShows(list, i) {
			add(i, false)
		}
	}
	others := x.others(list, path)
	if len(others) > 0 {
		m.Rows = append(m.Rows, chatview.Row{Key: announced, Entry: -1, Foreign: true})
	}
	for _, i := range others {
		add(i, true)
	}
	const most = 30         // are read at once, however little they show
	if screen.Height == 0 { // it is not known yet
		screen = tea.WindowSizeMsg{Width: 80, Height: 24}
	}
	for n, room := len(m.Rows)-1, screen.Height; n >= max(0, len(m.Rows)-most) && room > 0; n-- {
		row := &m.Rows[n]
		if row.Key == "" {
			row.Key = chatKey(list, row.Entry)
		}
		if x.known[row.Key] {
			room-- // at least
			continue
		}
		x.known[row.Key] = true
		b := x.body(*row)
		m.Bodies = append(m.Bodies, b)
		room -= b.Least(screen.Width)
	}
	return m, nil
}

// others are the entries that others wrote on branches of their own. x.mu is held.
func (x *chatSource) others(list *entry.List, path []int) []int {
	if len(x.foreign) == 0 {
		return nil
	}
	on := make(map[int]bool, len(path))
	for _, i := range path {
		on[i] = true
	}
	var all []int
	for id := range x.foreign {
		if i := list.Find(id); i >= 0 && !on[i] && chatShows(list, i) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// chatKey names an entry.
func chatKey(list *entry.List, i int) string {
	if id, ok := list.ID(i); ok && list.Twin(i) < 0 {
		return string(id)
	}
	return "#" + strconv.Itoa(i)
}

// chatShows reports whether an entry is shown at all.
func chatShows(list *entry.List, i int) bool {
	switch list.Kind(i) {
	case entry.Message, entry.CustomMessage, entry.BranchSummary, entry.ModelChange, entry.ModeChange:
		return true
	}
	return false
}

// load returns the command that reads rows.
func (x *chatSource) load(rows []chatview.Row) tea.Cmd {
	return func() tea.Msg {
		x.mu.Lock()
		defer x.mu.Unlock()
		var m chatview.Bodies
		for _, row := range rows {
			if row.Key == announced {
				m.All = append(m.All, announcement())
				continue
			}
			if x.list != nil && row.Entry < x.list.Len() && chatKey(x.list, row.Entry) == row.Key {
				x.known[row.Key] = true
				m.All = append(m.All, x.body(row))
			}
		}
		return m
	}
}

// body reads one row. x.mu is held.
func (x *chatSource) body(row chatview.Row) chatview.Body {
	if row.Key == announced {
		return announcement()
	}
	b := chatview.Body{Key: row.Key}
	bad := func(err error) chatview.Body {
		b.Parts = []chatview.Part{{Style: chatview.Bad, Text: err.Error()}}
		return b
	}
	switch x.list.Kind(row.Entry) {
	case entry.ModelChange, entry.ModeChange:
		line, err := x.list.Load(row.Entry)
		if err != nil {
			return bad(err)
		}
		b.Parts = []chatview.Part{{Style: chatview.Note, Text: settingText(line)}}
		return b
	}
	m, ok, err := x.context.Alone(row.Entry)
	switch {
	case err != nil:
		return bad(err)
	case ok:
		b.Parts = chatview.PartsOf(m.JSON)
	}
	return b
}

// settingText says what an entry changes.
func settingText(line []byte) string {
	text := func(key string) string { s, _ := splice.Text(line, key); return s }
	if mode := text("mode"); mode != "" {
		return "mode " + mode
	}
	if m := text("model"); m != "" {
		return "model " + m
	}
	return "model " + text("provider") + "/" + text("modelId")
}

// others says who else has a session open.
func (a *app) others(ctx context.Context, path string) string {
	if path == "" {
		return ""
	}
	all, err := a.who(ctx, path)
	if err != nil {
		return ""
	}
	host, err := os.Hostname()
	all = slices.DeleteFunc(all, func(h session.Holder) bool {
		if !h.Sure && h.PID == 0 && h.Program == "" {
			return true // it is known by the file alone, which grew: we wrote to it
		}
		return h.PID == os.Getpid() && (err != nil || h.Host == "" || h.Host == host)
	})
	switch len(all) {
	case 0:
		return ""
	case 1:
		return first(all[0].Program, "a program") + " too"
	}
	return plural(len(all), "other")
}

// userMessage reports whether an entry is what a person said.
func userMessage(s *session.Session, id entry.ID) bool {
	list, _ := s.View()
	i := list.Find(id)
	return i >= 0 && list.Role(i) == entry.RoleUser
}

// knowsModes reports whether sessions of a dialect say in which mode they are.
func knowsModes(d dialect.Dialect) bool { return d.Replay.Acts.Has(entry.ModeChange) }
