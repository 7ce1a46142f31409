package chat

import (
	"context"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A source reads the agent's session for its transcript. It is safe for
// concurrent use.
type source struct {
	ctx  context.Context
	pump *pump

	mu      sync.Mutex
	sight   sight             // what was read last; guarded by mu, as is all that follows
	shared  sharedRead        // what the agent read, until it is taken
	early   *earlyRead        // what is being read, nil for nothing
	foreign map[entry.ID]bool // what others wrote since the session was gone to
	known   map[string]bool   // rows whose bodies were sent
	watched *session.Session  // that is watched
	unwatch func()            // ends that
}

// changed tells that the session has to be looked at again.
type changed struct{}

// heard is told what happens to the session.
func (x *source) heard(e session.Event) {
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
		x.pump.put(changed{})
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
	x.pump.put(changed{})
}

// watch waits for what others do to a session, in place of the one before.
func (x *source) watch(s *session.Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watched == s {
		return
	}
	if x.unwatch != nil {
		x.unwatch()
	}
	ctx, stop := context.WithCancel(x.ctx)
	x.watched, x.unwatch = s, stop
	x.foreign, x.known = map[entry.ID]bool{}, map[string]bool{}
	x.pump.Go(func() {
		for err := range s.Watch(ctx) {
			if err != nil && ctx.Err() == nil {
				x.pump.put(chatview.Told{Text: "watch session: " + err.Error(), Bad: true})
			}
			x.pump.put(changed{})
		}
	})
}

// stop ends the watching.
func (x *source) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.unwatch != nil {
		x.unwatch()
	}
}

// A sharedRead is the context that the agent built of a session.
type sharedRead struct {
	s       *session.Session // nil for none
	context *replay.Context
}

// offer brings the context that the agent has of a session.
func (x *source) offer(s *session.Session, c *replay.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.shared = sharedRead{s, c}
}

// take returns the context that the agent has of a session, as what was read of it;
// false where it has none that nobody took. Nobody else gets it then.
func (x *source) take(s *session.Session) (t sight, ok bool) {
	x.mu.Lock()
	o := x.shared
	x.shared = sharedRead{}
	x.mu.Unlock()
	if o.s == nil || o.s != s {
		return sight{}, false
	}
	return sightIn(o.context), true
}

// look reads a session as it is: by the agent's context where that still holds.
func (x *source) look(s *session.Session) (sight, error) {
	if t, ok := x.take(s); ok && t.holds(s) {
		return t, nil
	}
	return sightOf(x.ctx, s)
}

// rows reads which entries the transcript of a session has, and the bodies of new
// ones, as many as a frame has room for. With reset it is another transcript.
func (x *source) rows(s *session.Session, reset bool, f frame) (chatview.Rows, error) {
	t, err := x.look(s)
	if err != nil {
		return chatview.Rows{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if reset {
		x.known = map[string]bool{}
	}
	x.sight = t
	m := t.rows(x.others(t), x.known, f)
	m.Reset = reset
	return m, nil
}

// An earlyRead is what is read of a session that the agent is only on its way to.
type earlyRead struct {
	s     *session.Session
	sight sight
	read  func() (rows chatview.Rows, known map[string]bool) // once, by whom it is needed first
}

// begin reads a session that the agent is on its way to: what a screen shows of it
// beside the agent, which goes on with what it has to write.
func (x *source) begin(s *session.Session, f frame) {
	t, ok := x.take(s)
	if !ok {
		var err error
		if t, err = sightOf(x.ctx, s); err != nil {
			return // it is told when the agent has arrived
		}
	}
	e := &earlyRead{s: s, sight: t, read: sync.OnceValues(func() (chatview.Rows, map[string]bool) {
		known := map[string]bool{}
		m := t.rows(nil, known, f)
		m.Reset = true
		return m, known
	})}
	x.mu.Lock()
	x.early = e
	x.mu.Unlock()
	x.pump.Go(func() { e.read() })
}

// arrive watches the session that the agent came to, and reads its transcript:
// what was begun counts, where it still stands.
func (x *source) arrive(s *session.Session, f frame) (chatview.Rows, error) {
	x.mu.Lock()
	e, other := x.early, x.watched != s
	x.early = nil
	x.mu.Unlock()
	x.watch(s)
	if e == nil || e.s != s || !other || !e.sight.stands(s) {
		return x.rows(s, true, f)
	}
	m, known := e.read()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sight, x.known = e.sight, known
	return m, nil
}

// others are the entries that others wrote on branches of their own. x.mu is held.
func (x *source) others(t sight) []int {
	if len(x.foreign) == 0 {
		return nil
	}
	on := make(map[int]bool, len(t.path))
	for _, i := range t.path {
		on[i] = true
	}
	var all []int
	for id := range x.foreign {
		if i := t.list.Find(id); i >= 0 && !on[i] && isShown(t.list, i) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// load returns the command that reads rows.
func (x *source) load(rows []chatview.Row) tea.Cmd {
	return func() tea.Msg {
		x.mu.Lock()
		defer x.mu.Unlock()
		var m chatview.Bodies
		for _, row := range rows {
			if row.Key == announced {
				m.All = append(m.All, announcement())
				continue
			}
			if x.sight.list != nil && row.Entry < x.sight.list.Len() && keyOf(x.sight.list, row.Entry) == row.Key {
				x.known[row.Key] = true
				m.All = append(m.All, x.sight.body(row))
			}
		}
		return m
	}
}

// userMessage reports whether an entry is what a person said.
func userMessage(s *session.Session, id entry.ID) bool {
	list, _ := s.Snapshot()
	i := list.Find(id)
	return i >= 0 && list.Role(i) == entry.RoleUser
}

// knowsModes reports whether sessions of a dialect say in which mode they are.
func knowsModes(name dialect.Name) bool {
	return spelling.For(name).Replay.Acts.Has(entry.ModeChange)
}
