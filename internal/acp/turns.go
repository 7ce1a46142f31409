package acp

import (
	"context"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/coder/acp-go-sdk"
)

// turns are the prompts that came and have not ended. They are known from the
// moment at which they are read, so that a cancellation right behind one is not
// lost.
type turns struct {
	mu   sync.Mutex
	over bool                      // guarded by mu; no turn begins any more
	all  map[acp.SessionId][]*turn // guarded by mu
}

// A turn is one of them.
type turn struct {
	id    acp.SessionId
	ctx   context.Context
	stop  context.CancelFunc
	begun bool
}

// arrived notes a call before the connection has it.
func (s *server) arrived(name string, params entry.JSON) {
	if name == acp.AgentMethodSessionPrompt {
		id, _ := jsonedit.Text(params, "sessionId")
		s.turns.expect(acp.SessionId(id))
	}
}

// noticed heeds a notification, and reports whether it is for the connection. A
// cancellation is done at once: it stops what was read before it, whatever waits.
// Calls are none without an id.
func (s *server) noticed(name string, params entry.JSON) bool {
	if name == acp.AgentMethodSessionCancel {
		id, _ := jsonedit.Text(params, "sessionId")
		s.turns.cancel(acp.SessionId(id))
	}
	return name == "$/cancel_request"
}

// expect notes a prompt.
func (t *turns) expect(id acp.SessionId) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(id)
}

// add notes a prompt; t.mu is held.
func (t *turns) add(id acp.SessionId) *turn {
	one := &turn{id: id}
	one.ctx, one.stop = context.WithCancel(context.Background())
	if t.over {
		one.stop()
	}
	if t.all == nil {
		t.all = map[acp.SessionId][]*turn{}
	}
	t.all[id] = append(t.all[id], one)
	return one
}

// begin returns the first prompt of a session that was noted and has not begun,
// and whether no other has. The caller ends it.
func (t *turns) begin(id acp.SessionId) (one *turn, alone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	alone = true
	for _, x := range t.all[id] {
		switch {
		case x.begun:
			alone = false
		case one == nil:
			one = x
		}
	}
	if one == nil { // nobody noted it
		one = t.add(id)
	}
	one.begun = true
	return one, alone
}

// done forgets a turn.
func (t *turns) done(one *turn) {
	one.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	left := t.all[one.id][:0]
	for _, x := range t.all[one.id] {
		if x != one {
			left = append(left, x)
		}
	}
	if t.all[one.id] = left; len(left) == 0 {
		delete(t.all, one.id)
	}
}

// under reports whether a turn of a session is under way.
func (t *turns) under(id acp.SessionId) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all[id]) > 0
}

// cancel stops the turns of a session.
func (t *turns) cancel(id acp.SessionId) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.all[id] {
		one.stop()
	}
}

// end stops all turns, and those to come.
func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for _, all := range t.all {
		for _, one := range all {
			one.stop()
		}
	}
}
