package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/prompts"
)

// searchDone brings the prompts that were searched for.
type searchDone struct{ found chatview.Recalled }

// mostRecalled is how many prompts a search brings.
const mostRecalled = 200

// A recaller searches the prompts that were typed before, in any agent, as `cambium
// prompts` does.
type recaller struct {
	*desk
	face *face

	state   recallState
	history *prompts.History // nil until it is opened, or where it cannot be
	next    *chatview.Recall // what is searched for then, nil for nothing
}

// A recallState says what a recaller does.
type recallState uint8

const (
	recallWaits    recallState = iota // the prompts are not there yet
	recallRests                       // they are there, or cannot be
	recallSearches                    // they are searched
)

// historyReady brings the prompts that were typed before.
type historyReady struct {
	history *prompts.History
	all     []string
}

// remember reads the prompts that were typed before.
func (x *recaller) remember() tea.Msg {
	const most = 200
	o := x.opt.Prompts
	o.Trouble = func(err error) { x.pump.put(chatview.Told{Text: err.Error()}) }
	h, err := prompts.Open(x.ctx, o)
	if err != nil {
		return historyReady{}
	}
	all, err := h.Recent(x.ctx, most)
	if err != nil {
		return historyReady{history: h}
	}
	m := historyReady{history: h}
	for _, p := range all {
		if n := len(m.all); n == 0 || m.all[n-1] != p.Text {
			m.all = append(m.all, p.Text)
		}
	}
	return m
}

// add keeps a prompt of a session.
func (x *recaller) add(text, session string) {
	if x.history != nil {
		x.history.Add(text, x.lib.Dir, session)
	}
}

// close lets go of the prompts.
func (x *recaller) close() error {
	if x.history == nil {
		return nil
	}
	return x.history.Close()
}

// recall searches, one search at a time, the last one that was wanted next, in
// whatever order they come. None begins before the prompts are there.
func (x *recaller) recall(w chatview.Recall) tea.Cmd {
	if x.state != recallRests {
		if x.next == nil || x.next.Seq < w.Seq {
			x.next = &w
		}
		return nil
	}
	x.state = recallSearches
	h := x.history
	return func() tea.Msg { return searchDone{chatview.Recalled{Seq: w.Seq, All: x.found(h, w.Query)}} }
}

// found are the prompts that a search finds, each once.
func (x *recaller) found(h *prompts.History, query string) (choices []chatview.Choice) {
	if h == nil {
		return nil
	}
	var all []prompts.Prompt
	var err error
	if strings.TrimSpace(query) == "" {
		all, err = h.Recent(x.ctx, mostRecalled)
	} else {
		all, err = h.Search(x.ctx, query, mostRecalled)
	}
	if err != nil {
		return nil // the context ended; other trouble is told by the history
	}
	now := x.lib.Now()
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Text] {
			continue
		}
		seen[p.Text] = true
		help := strings.TrimSpace(theme.Age(p.Created, now) + "  " + p.Agent + "  " + x.tilde(p.CWD))
		choices = append(choices, chatview.Choice{Text: p.Text, Help: help})
	}
	return choices
}

// hasHistory takes the prompts that were typed before, and begins the search that
// waits for them.
func (x *recaller) hasHistory(m historyReady) tea.Cmd {
	x.history = m.history
	return x.rest(chatview.History{All: m.all})
}

// recalled shows what was found, and begins the search that was wanted meanwhile.
func (x *recaller) recalled(m searchDone) tea.Cmd { return x.rest(m.found) }

// rest shows something, and begins the search that waits.
func (x *recaller) rest(shown tea.Msg) tea.Cmd {
	x.state = recallRests
	next := x.next
	x.next = nil
	if next != nil {
		return tea.Batch(x.face.show(shown), x.recall(*next))
	}
	return x.face.show(shown)
}
