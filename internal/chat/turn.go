package chat

import (
	"context"
	"errors"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/message"
)

// A turn is what runs: a prompt, or a command of the person's own.
type turn struct {
	*desk
	face      *face
	questions *questions
	queue     *queue
	looks     *looker
	way       *journey
	said      *saidMark

	state turnState
	unask func() // takes back the question about a command of the person's; nil for none yet
}

// A turnState says whether something runs.
type turnState uint8

const (
	turnIdle     turnState = iota
	turnWorking            // something runs
	turnStopping           // something runs that the person stopped
)

// running reports whether something runs.
func (t *turn) running() bool { return t.state != turnIdle }

// A saidMark notes whether what a person said last is in the session. It is safe for
// concurrent use.
type saidMark struct {
	mu  sync.Mutex
	yes bool // guarded by mu
}

func (m *saidMark) set(yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.yes = yes
}

func (m *saidMark) isSet() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.yes
}

// turnEnded tells how a prompt or a command ended.
type turnEnded struct {
	out    coder.Outcome
	err    error
	unsaid string // the prompt, where it was refused before it was said
}

// send says something now, or queues it while something runs.
func (t *turn) send(s chatview.Send) tea.Cmd {
	if t.running() {
		return t.queue.add(s)
	}
	return tea.Batch(t.face.show(chatview.Said{Text: s.Text.String()}), t.prompt(s.Text))
}

// prompt says a line, or runs the command of the person's own that it is.
func (t *turn) prompt(line chatview.Line) tea.Cmd {
	command, secret, own := line.Command()
	if !own {
		return t.begin("working", func() turnEnded { return t.say(saying{text: line.String(), lines: []chatview.Line{line}}) })
	}
	ctx, stop := context.WithCancel(t.ctx)
	t.unask = stop
	return t.begin("running", func() (e turnEnded) {
		defer stop()
		if line.Hidden() && !t.questions.agreed(ctx, command) {
			return turnEnded{unsaid: line.String()}
		}
		_, e.err = t.coder.Shell(t.ctx, command, secret)
		return e
	})
}

// begin does something that takes its time. Its end comes by the pump, behind what
// was told before it.
func (t *turn) begin(doing string, f func() turnEnded) tea.Cmd {
	t.state = turnWorking
	return tea.Batch(t.face.show(chatview.Began{Doing: doing}), func() tea.Msg {
		t.pump.put(f())
		return nil
	})
}

// say says something to the model, and returns how that ended.
func (t *turn) say(s saying) (e turnEnded) {
	var found []Picture
	for _, l := range s.lines {
		found = append(found, t.mentioned(l)...)
	}
	pictures, err := t.opt.Host.Pictures(found)
	if err != nil {
		return turnEnded{err: err, unsaid: s.text}
	}
	t.said.set(false)
	e.out, e.err = t.coder.Prompt(t.ctx, s.text, append(s.pictures, pictures...)...)
	if e.err != nil && !t.said.isSet() {
		e.unsaid = s.text
	}
	return e
}

// sayQueued says what was queued too late for what ran.
func (t *turn) sayQueued() tea.Cmd {
	left := t.queue.empty()
	if left.text == "" {
		return nil
	}
	return tea.Batch(t.face.show(chatview.Said{Text: left.text}), t.begin("working", func() turnEnded { return t.say(left) }))
}

// ended takes the end of a prompt. What was queued too late for it is said now.
func (t *turn) ended(e turnEnded) tea.Cmd {
	stopped := t.state == turnStopping
	t.state = turnIdle
	cmds := []tea.Cmd{t.face.show(chatview.Ended{}), t.looks.look(), t.countUnseen}
	switch {
	case e.err != nil && !errors.Is(e.err, context.Canceled):
		cmds = append(cmds, t.face.show(t.failed(e.err)))
	case e.out.Stop == message.Length:
		cmds = append(cmds, t.face.line("the answer was cut off at its limit of tokens"))
	}
	switch {
	case t.way.moving(): // what waits is not for the session that is gone to; moved sees to it
	case e.err == nil && e.unsaid == "" && !stopped:
		cmds = append(cmds, t.sayQueued())
	default:
		if e.unsaid != "" { // it is not to be seen as said
			cmds = append(cmds, t.looks.lookAnew())
		}
		cmds = append(cmds, t.face.show(chatview.TakenBack{Text: joined(e.unsaid, t.queue.take())}))
	}
	return tea.Batch(cmds...)
}

// failed says why a prompt ended.
func (t *turn) failed(err error) chatview.Told {
	if errors.Is(err, coder.ErrNoModel) {
		return t.noModel.told("")
	}
	told := t.wrong("", err)
	if advice := t.coder.Advice(err); advice != "" {
		told.Text = strings.TrimSuffix(told.Text, ".") + "; " + advice
	}
	return told
}

// abort stops what runs. What was queued is in the editor again.
func (t *turn) abort() tea.Cmd {
	if t.running() {
		t.state = turnStopping
	}
	_ = t.queue.take() // it is in the editor again
	t.way.stopSumming()
	if t.unask != nil {
		t.unask()
	}
	return func() tea.Msg {
		_ = t.coder.Stop(t.ctx) // it says itself how it ends
		return nil
	}
}

// isQueued says what was queued when nothing ran any more that would take it. What
// could not be queued is in the editor again, with all that waits.
func (t *turn) isQueued(m lineQueued) tea.Cmd {
	switch {
	case m.err != nil:
		return t.face.show(t.wrong("", m.err), chatview.TakenBack{Text: t.queue.take()})
	case t.running() || t.way.moving():
		return nil
	}
	return t.sayQueued()
}

// typeQueued puts what waits into the editor again, where nothing runs that would
// say it.
func (t *turn) typeQueued() tea.Cmd {
	if t.running() {
		return nil
	}
	return t.face.show(chatview.TakenBack{Text: t.queue.take()})
}
