package chat

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// A looker reads the session for the screen, one look at a time.
type looker struct {
	*desk
	face   *face
	scales *scales
	way    *journey

	state lookState
	want  lookWant
	then  []tea.Msg  // what is shown when the transcript of another session is
	now   sessionNow // the session as it was looked at last: it may be busy writing
}

// A lookState says whether the session is looked at.
type lookState uint8

const (
	lookRests lookState = iota
	lookReads
)

// A lookWant says what is to be read next.
type lookWant uint8

const (
	wantNothing lookWant = iota
	wantAgain            // the session as it is then
	wantAnew             // the same, as another transcript
)

// replaced tells that the transcript is another one.
type replaced struct{}

// lookDone brings the rows of a session.
type lookDone struct {
	rows  chatview.Rows
	s     *session.Session
	state chatview.State
	now   sessionNow
	err   error
}

// A sessionNow is what the screen has to know of a session without asking it.
type sessionNow struct {
	id, cwd   string
	persisted bool
}

func nowOf(s *session.Session) sessionNow {
	if s == nil {
		return sessionNow{}
	}
	return sessionNow{id: s.ID(), cwd: s.CWD(), persisted: s.Persisted()}
}

// know notes what the session is before it is looked at, where that is known.
func (l *looker) know(now sessionNow) {
	if now.id != "" {
		l.now = now
	}
}

// look reads the session, or has it read when it is there and not being read.
func (l *looker) look() tea.Cmd {
	if l.state == lookReads || l.way.away() {
		l.want = max(l.want, wantAgain)
		return nil
	}
	s := l.agent().Session()
	if s == nil {
		return nil
	}
	anew, frame := l.want == wantAnew, l.face.frame()
	l.state, l.want = lookReads, wantNothing
	return func() tea.Msg {
		l.source.watch(s)
		rows, err := l.source.rows(s, anew, frame)
		return *l.looking(s, rows, err)
	}
}

// lookAnew reads the session as another transcript.
func (l *looker) lookAnew() tea.Cmd {
	l.want = wantAnew
	return l.look()
}

// lookAgain looks at the session if that was put off.
func (l *looker) lookAgain() tea.Cmd {
	if l.want == wantNothing {
		return nil
	}
	return l.look()
}

// looking is what was read of a session, with all that the screen says of it.
func (d *desk) looking(s *session.Session, rows chatview.Rows, err error) *lookDone {
	return &lookDone{rows, s, d.stateOf(s), nowOf(s), err}
}

// looked shows what was read, behind other messages.
func (l *looker) looked(m lookDone, msgs ...tea.Msg) tea.Cmd {
	l.state = lookRests
	if m.err != nil {
		if errors.Is(m.err, session.ErrClosed) || l.ctx.Err() != nil {
			return l.face.show(msgs...) // it was left meanwhile
		}
		l.then = nil
		return l.face.show(append(msgs, l.wrong("read session", m.err))...)
	}
	l.now = m.now
	l.scales.state = m.state
	if l.want != wantAnew { // else it is another one by now
		msgs = append(msgs, m.rows)
		if m.rows.Reset {
			msgs = append(msgs, l.then...)
			l.then = nil
		}
	}
	cmds := []tea.Cmd{l.face.show(append(msgs, l.scales.of(m.s))...)}
	if m.rows.Reset {
		cmds = append(cmds, tea.Tick(twoFrames, func(time.Time) tea.Msg { return chatview.Drawn{} }))
	} else {
		cmds = append(cmds, l.scales.weigh(m.s))
	}
	if m.state.Unsent > 0 { // nobody tells when it is sent
		cmds = append(cmds, tea.Tick(sendingTime, func(time.Time) tea.Msg { return changed{} }))
	}
	return tea.Batch(append(cmds, l.lookAgain())...)
}

// The screen is drawn that often a second, at most, and what is not on the first
// screen of a session waits so long for it.
const (
	frames    = 120
	twoFrames = 2 * time.Second / frames
)

// sendingTime is how often it is looked at whether what waits for a store was sent.
const sendingTime = 2 * time.Second

// unsent counts the lines of a session that wait here for its store.
func (d *desk) unsent(path string) (n int) {
	shared := d.lib.Shared
	if shared == nil || shared.Offline == nil {
		return 0
	}
	waiting, err := shared.Offline.Wait()
	if err != nil {
		return 0 // it is told when they are sent
	}
	for _, w := range waiting {
		if w.Name == path {
			n += len(w.Lines)
		}
	}
	return n
}

// stateOf is what the line at the bottom says of a session, but for what takes
// longer to find out; see scales.
func (d *desk) stateOf(s *session.Session) chatview.State {
	st := chatview.State{Thinking: d.coder.Thinking(), Unsaved: s.Queued(), Dir: d.tilde(d.dir())}
	if !s.OnDisk() {
		st.Unsaved = 0 // it is written with the first answer
	}
	st.Unsent = d.unsent(s.Path())
	st.Name, _ = s.Title()
	if m, ok := d.coder.Model(); ok {
		st.Model, st.Window = m.ID, m.Window
	}
	st.Mode, st.Cost = d.standing.now()
	return st
}
