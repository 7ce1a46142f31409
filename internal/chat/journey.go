package chat

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// A journey takes the agent to another session, or to another place in its own, one
// thing at a time.
type journey struct {
	*desk
	face    *face
	notices *notices
	looks   *looker
	scales  *scales
	turn    *turn
	queue   *queue
	todos   *todoList

	state journeyState
	stop  func() // has the session stay where it is, or not be summed up
}

// A journeyState says where the session is.
type journeyState uint8

const (
	journeyHome    journeyState = iota // it is here
	journeyAway                        // it is on its way: it is looked at when it has arrived
	journeySumming                     // it is here, and summed up
)

// moving reports whether the session is on its way, or summed up.
func (j *journey) moving() bool { return j.state != journeyHome }

// away reports whether it is on its way.
func (j *journey) away() bool { return j.state == journeyAway }

// arrival tells that the agent has another session, or another place in it.
type arrival struct {
	what    string // that was tried, for an error
	end     journeyEnd
	other   bool // it is another session
	told    string
	prefill string
	now     sessionNow
	rows    *lookDone       // of the session as it is then; nil where it has to be looked at
	whole   bool            // the agent read all of it on its way, its todos too
	todos   []chatview.Todo // those there are then
	choice  []string        // sessions that may be meant, a line each, where err says so
	err     error
}

// A journeyEnd says how a journey ended, where it did not fail.
type journeyEnd uint8

const (
	endCancelled journeyEnd = iota // a hook cancelled it
	endThere                       // the agent is there
	endStayed                      // the person wanted to stay
)

// endOf is the end of a journey that the agent made, or did not.
func endOf(ok bool) journeyEnd {
	if ok {
		return endThere
	}
	return endCancelled
}

// there reports whether the agent is there and nothing failed.
func (m arrival) there() bool { return m.end == endThere && m.err == nil }

// slowMove is how long the session may be on its way before that is told.
const slowMove = 300 * time.Millisecond

// slowJourney tells that it takes longer, for the sake of a hook perhaps.
type slowJourney struct{ ctx context.Context }

// slow says so, where the session is still on its way.
func (j *journey) slow(s slowJourney) tea.Cmd {
	if !j.away() || s.ctx.Err() != nil {
		return nil
	}
	return j.face.show(chatview.Opening{What: "going there"})
}

// leave begins a journey, or says that there is one already.
func (j *journey) leave(state journeyState) (ctx context.Context, ok bool) {
	if j.moving() {
		return nil, false
	}
	j.state = state
	ctx, j.stop = context.WithCancel(j.ctx)
	return ctx, true
}

// stay has a session that is on its way stay where it is.
func (j *journey) stay() {
	if j.state == journeyAway {
		j.stop()
	}
}

// stopSumming has a conversation that is being summed up stay as it is.
func (j *journey) stopSumming() {
	if j.state == journeySumming {
		j.stop()
	}
}

// busy says that one thing is done at a time.
func (j *journey) busy() tea.Cmd { return j.face.complain("the session is on its way already") }

// move has the agent go somewhere. A person may want to stay meanwhile: its context
// ends then.
func (j *journey) move(f func(ctx context.Context) arrival) tea.Cmd {
	ctx, ok := j.leave(journeyAway)
	if !ok {
		return j.busy()
	}
	stop := j.stop
	looking, frame := j.looks.state == lookReads, j.face.frame()
	j.notices.hold(frame)
	late := tea.Tick(slowMove, func(time.Time) tea.Msg { return slowJourney{ctx} })
	return tea.Batch(late, func() tea.Msg {
		defer stop()
		m := f(ctx)
		if m.err != nil && ctx.Err() != nil && j.ctx.Err() == nil {
			m.end, m.err = endStayed, nil
		}
		m = j.arrived(m)
		s := j.agent().Session()
		m.now = nowOf(s)
		if s != nil && m.there() && len(m.choice) == 0 && !looking {
			rows, err := j.source.arrive(s, frame)
			m.rows = j.looking(s, rows, err)
		}
		j.pump.put(m) // behind what was told before it
		return nil
	})
}

// arrived reads the todos where the agent came to, and says of another session that
// it cannot be written. It is called beside the screen.
func (d *desk) arrived(m arrival) arrival {
	if s := d.agent().Session(); s != nil && m.other && m.end == endThere && s.ReadOnly() {
		m.told += "; it is read-only: " + s.ReadOnlyReason()
	}
	if m.other && m.end == endThere {
		d.standing.enter(d.agent().Mode().Name)
	}
	todos := d.agent().Todos()
	if !m.whole {
		var err error
		if todos, err = d.agent().TodosNow(); err != nil && m.err == nil && d.ctx.Err() == nil {
			d.pump.put(d.wrong("", err))
		}
	}
	m.todos = todosOf(todos.JSON)
	return m
}

// moved shows what the agent has now. Nothing of it happens where a hook cancelled
// it (published P3).
func (j *journey) moved(m arrival) tea.Cmd {
	j.state = journeyHome
	j.looks.know(m.now)
	before := []tea.Msg{chatview.Opening{}} // the transcript
	notices := j.notices.release()
	if cmd, stays := j.stays(m); stays {
		return tea.Batch(j.face.show(before...), cmd, j.looks.lookAgain())
	}
	if m.other {
		before = append(before, chatview.Switched{})
	}
	var cmds []tea.Cmd
	j.scales.owe()
	j.todos.all = m.todos
	j.looks.then = j.behind(m, notices)
	if m.rows != nil {
		cmds = append(cmds, j.looks.looked(*m.rows, before...))
	} else {
		cmds = append(cmds, j.face.show(before...), j.looks.lookAnew())
	}
	if !m.other {
		cmds = append(cmds, j.turn.typeQueued())
	}
	return tea.Batch(cmds...)
}

// behind is what is shown behind the transcript (published P3): the todos, another
// branch's too, and the word that it is done.
func (j *journey) behind(m arrival, notices []string) []tea.Msg {
	then := []tea.Msg{chatview.Todos{All: m.todos}}
	if m.told != "" {
		then = append(then, chatview.Told{Text: m.told})
	}
	if m.other { // what a branch leaves in the queues was for the session that was left
		then = append(then, chatview.TakenBack{Text: j.queue.take()})
	}
	if m.prefill != "" {
		then = append(then, chatview.Typed{Text: m.prefill})
	}
	for _, text := range notices {
		then = append(then, chatview.Told{Text: text})
	}
	return then
}

// stays tells why the session is the one it was, if it is.
func (j *journey) stays(m arrival) (tea.Cmd, bool) {
	why := m.what + ": a hook cancelled it"
	if m.end == endStayed {
		why = "the session stays as it is"
	}
	switch {
	case len(m.choice) > 0:
		page := chatview.Page{Title: j.explain(m.err).Text, Lines: append(m.choice, "", "/resume and an id goes to one of them; /resume alone lists all.")}
		return tea.Batch(j.face.show(page), j.turn.typeQueued()), true
	case m.err != nil:
		return tea.Batch(j.face.show(j.wrong(m.what, m.err)), j.turn.typeQueued()), true
	case m.end == endThere:
		return nil, false
	case j.turn.running():
		return j.face.line(why), true
	}
	return tea.Batch(j.face.line(why), j.turn.sayQueued()), true // what ran has ended by itself meanwhile
}
