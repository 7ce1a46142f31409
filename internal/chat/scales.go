package chat

import (
	"cmp"
	"os"
	"runtime/debug"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
)

// scales find out of a session what takes longer than its rows do, behind what is
// shown: how much of the model's window it takes, who else has it open, what goes to
// the model unseen, and what it cost.
type scales struct {
	*desk
	face *face

	state   chatview.State // of the session as it was looked at last, without all that
	weighed weight         // what was found out last
	unshown unseenCount    // what goes to the model and is not shown, as counted last
	weights weighState
	minding othersState
	bill    billState
}

// A weighState says whether a session is weighed.
type weighState uint8

const (
	weighRests weighState = iota
	weighWeighs
	weighAgain // it is weighed, and has to be weighed again
)

// An othersState says whether anybody looks whether others still have the session
// open.
type othersState uint8

const (
	othersUnminded othersState = iota
	othersMinded
)

// A billState says whether what the session cost has to be summed.
type billState uint8

const (
	billSummed billState = iota
	billDue
)

// A weight is what takes longer to find out of a session than its rows do: how
// much of the model's window it takes, and who else has it open.
type weight struct {
	s      *session.Session
	tokens int
	others string
}

// of is the state of a session, with what was last found out of it.
func (x *scales) of(s *session.Session) chatview.State {
	st := x.state
	if x.weighed.s == s {
		st.Tokens, st.Others = x.weighed.tokens, x.weighed.others
	}
	if x.unshown.s == s {
		st.Unseen = x.unshown.text
	}
	return st
}

// drawn does what waited for the first screen of a session.
func (x *scales) drawn() tea.Cmd {
	cmds := []tea.Cmd{x.weigh(x.agent().Session()), x.countUnseen}
	if x.bill == billDue {
		x.bill = billSummed
		cmds = append(cmds, x.count)
	}
	return tea.Batch(cmds...)
}

// owe has what the session cost be summed when it was drawn.
func (x *scales) owe() { x.bill = billDue }

// weigh finds out how much of the model's window a session takes, and who else has
// it open, once at a time.
func (x *scales) weigh(s *session.Session) tea.Cmd {
	switch {
	case x.weights != weighRests && s != nil:
		x.weights = weighAgain
		return nil
	case x.weights != weighRests:
		x.weights = weighWeighs
		return nil
	case s == nil:
		return nil
	}
	x.weights = weighWeighs
	return func() tea.Msg { return x.weightOf(s) }
}

// weightOf is what weigh finds out.
func (d *desk) weightOf(s *session.Session) weight {
	w := weight{s: s, others: d.others(s.Path())}
	if fill, _, err := d.agent().Due(d.ctx); err == nil {
		w.tokens = fill.Tokens
	}
	return w
}

// take shows what was found out, if the session is still there.
func (x *scales) take(w weight) tea.Cmd {
	again := x.weights == weighAgain
	x.weights = weighRests
	s := x.agent().Session()
	var cmds []tea.Cmd
	if s == w.s {
		x.weighed = w
		cmds = append(cmds, x.face.show(x.of(s)), x.mind(w))
	}
	if again {
		cmds = append(cmds, x.weigh(s))
	}
	return tea.Batch(cmds...)
}

// othersTime is how often it is looked at whether those who have the session open
// too still have: nobody tells when they leave.
const othersTime = 2 * time.Second

// mind looks at it, as long as somebody has.
func (x *scales) mind(w weight) tea.Cmd {
	if w.others == "" || x.minding == othersMinded {
		return nil
	}
	x.minding = othersMinded
	return tea.Tick(othersTime, func(time.Time) tea.Msg {
		s := x.agent().Session()
		if s == nil {
			return othersSeen{}
		}
		return othersSeen{s, x.others(s.Path())}
	})
}

// A othersSeen says who else has a session open.
type othersSeen struct {
	s      *session.Session
	others string
}

// minded shows it.
func (x *scales) minded(m othersSeen) tea.Cmd {
	x.minding = othersUnminded
	if m.s == nil || m.s != x.weighed.s {
		return x.mind(x.weighed) // it was of another one
	}
	x.weighed.others = m.others
	return tea.Batch(x.face.show(x.of(m.s)), x.mind(x.weighed))
}

// A unseenCount counts what goes to the model with a session and is not shown.
type unseenCount struct {
	s    *session.Session
	text string // "" for nothing
}

// unseen shows the count in the line at the bottom.
func (x *scales) unseen(m unseenCount) tea.Cmd {
	s := x.agent().Session()
	if s == nil || m.s != s {
		return nil // it is another one by now
	}
	x.unshown = m
	return x.face.show(x.of(s))
}

// count sums what the session cost until now.
func (d *desk) count() tea.Msg {
	s := d.agent().Session()
	if s == nil {
		return nil
	}
	u, err := s.Usage(d.ctx)
	s.Rest()
	debug.FreeOSMemory() // every answer was read once; nothing of it is needed again
	if err != nil {
		return nil // it is said elsewhere what is wrong with the session
	}
	d.standing.sum(u.Cost)
	return changed{}
}

// others says who else has a session open.
func (d *desk) others(path string) string {
	if path == "" {
		return ""
	}
	all, err := d.lib.Who(d.ctx, path)
	if err != nil {
		return ""
	}
	host, err := os.Hostname()
	all = slices.DeleteFunc(all, func(h presence.Holder) bool {
		if !h.Sure && h.PID == 0 && h.Program == "" {
			return true // it is known by the file alone, which grew: we wrote to it
		}
		return h.PID == os.Getpid() && (err != nil || h.Host == "" || h.Host == host)
	})
	switch len(all) {
	case 0:
		return ""
	case 1:
		return cmp.Or(all[0].Program, "a program") + " too"
	}
	return term.Plural(len(all), "other")
}
