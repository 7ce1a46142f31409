package chat

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/internal/workplace"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// questions are those that a person is asked. The agent's goroutines put them and
// wait; the screen's goroutine has them from then on.
type questions struct {
	*desk
	face *face

	open map[string]*question // by the id that the screen gave
	last int
}

// A questionState says how far a question is.
type questionState uint8

const (
	questionPut    questionState = iota // it was not in sight yet: keys do not answer it
	questionSeen                        // it was in sight for a moment: keys answer it
	questionClosed                      // it was answered, or nobody has to answer it any more
)

// A question is a question that waits for an answer.
type question struct {
	ask   coder.Ask
	reply chan coder.Answer
	id    string // which the screen gives it
	state questionState
}

// askPut puts a question.
type askPut struct{ q *question }

// askWithdrawn withdraws it.
type askWithdrawn struct{ q *question }

// askSeen tells that a question was in sight for a moment.
type askSeen struct{ id string }

// approve asks the person whether a call may be run. It is called by the agent's
// goroutine, which waits.
func (x *questions) approve(ctx context.Context, ask coder.Ask) (coder.Answer, error) {
	q := &question{ask: ask, reply: make(chan coder.Answer, 1)}
	x.pump.put(askPut{q})
	select {
	case a := <-q.reply:
		return a, nil
	case <-ctx.Done():
	case <-x.ctx.Done():
	}
	x.pump.put(askWithdrawn{q})
	return coder.No, context.Canceled
}

// put shows a question.
func (x *questions) put(q *question) tea.Cmd {
	x.last++
	q.id = strconv.Itoa(x.last)
	x.open[q.id] = q
	return x.face.show(chatview.Ask{ID: q.id, Call: q.ask.Call})
}

// askTime is how long a question is in sight before keys answer it: who types goes
// on typing meanwhile.
const askTime = 400 * time.Millisecond

// soon waits for that moment.
func (x *questions) soon(id string) tea.Cmd {
	return tea.Tick(askTime, func(time.Time) tea.Msg { return askSeen{id} })
}

// seen has keys answer a question. One that something stands over waits on.
func (x *questions) seen(id string, covered bool) tea.Cmd {
	if covered {
		return x.soon(id)
	}
	if q := x.open[id]; q != nil {
		q.state = questionSeen
	}
	return x.face.show(chatview.Seen{ID: id})
}

// answer gives the agent an answer.
func (x *questions) answer(a chatview.Answer) {
	if q := x.open[a.ID]; q != nil {
		q.reply <- map[chatview.Reply]coder.Answer{chatview.Yes: coder.Yes, chatview.Always: coder.Always}[a.Answer]
		x.close(q)
	}
}

// withdraw takes a question off the screen.
func (x *questions) withdraw(q *question) tea.Cmd {
	x.close(q)
	return x.face.show(chatview.Withdrawn{ID: q.id})
}

// close has nobody wait for an answer any more.
func (x *questions) close(q *question) {
	q.state = questionClosed
	delete(x.open, q.id)
}

// agreed asks the person whether a command of their own may be run of which not all
// was in sight, as if the model had called it.
func (x *questions) agreed(ctx context.Context, command string) bool {
	arguments := new(jsonedit.Object).String("command", command).Value()
	if shown, _ := jsonedit.Text(arguments, "command"); shown != command {
		return false // it is no text
	}
	yes, err := x.once(ctx, "bash", x.dir(), arguments)
	return err == nil && yes
}

// once asks the person about something that is not the model's, this time alone.
func (x *questions) once(ctx context.Context, what, dir string, arguments message.JSON) (bool, error) {
	call, err := consent.Of(what, dir, jsontext.Value(arguments))
	if err != nil {
		return false, err
	}
	call.Once = true
	answer, err := x.approve(ctx, coder.Ask{Call: call})
	return answer != coder.No, err
}

// planned is what a model is told of calls in the mode plan.
const planned = "Not run: the session is in plan mode, in which nothing is changed. Say what you would do."

// refuse says why a call is not run in the mode that the session is in.
func (x *questions) refuse(coder.Ask) (why string, anew bool) {
	if mode, _ := x.standing.now(); mode == "plan" {
		return planned, false
	}
	return "", false
}

// directory asks whether to work where a session was recorded that the agent is on
// its way to. A place where nothing is run is not asked about.
func (x *questions) directory(ctx context.Context, recorded, current string) (string, error) {
	p := workplace.Look(x.lib.Homely(recorded), workplace.Machine{Home: x.lib.Env.Home, Real: x.lib.Env.Real, IsDir: work.IsDir})
	switch {
	case p.Gone:
		return "", &PlaceError{Dir: recorded, Why: PlaceGone}
	case p.Unfit != "":
		return "", &PlaceError{Dir: recorded, Why: PlaceUnfit, Detail: p.Unfit}
	}
	var where jsonedit.Object
	where.String("directory", p.Dir)
	if p.Named != p.Dir {
		where.String("recorded", p.Named)
	}
	yes, err := x.once(ctx, "/resume", current, where.Value())
	if shown, _ := jsonedit.Text(where.Value(), "directory"); err == nil && (!yes || shown != p.Dir) {
		err = &PlaceError{Dir: recorded, Why: PlaceDeclined}
	}
	return p.Dir, err
}
