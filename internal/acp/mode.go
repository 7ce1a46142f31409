package acp

import (
	"context"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// The modes: whether a person is asked before a tool changes something, or nothing
// is changed. A session remembers that it is in plan mode, where its program keeps
// modes; the others are this client's.
const (
	modeAsk  acp.SessionModeId = "ask"
	modeYes  acp.SessionModeId = "yes"
	modePlan acp.SessionModeId = "plan"
)

func modeList() []acp.SessionMode {
	return []acp.SessionMode{
		{Id: modeAsk, Name: "Ask", Description: acp.Ptr("Ask before a command is run or a file changed")},
		{Id: modeYes, Name: "Do not ask", Description: acp.Ptr("Run commands and change files of the directory unasked")},
		{Id: modePlan, Name: "Plan", Description: acp.Ptr("Change nothing: look, and say what would be done")},
	}
}

// inPlan is what a model is told of calls in plan mode.
const inPlan = "Not run: the session is in plan mode, in which nothing is changed. Say what you would do."

// refuse is the coder's Options.Refuse. In plan mode a tool that is said to change
// nothing is asked about, each time: nobody but its server says so.
func (h *held) refuse(a coder.Ask) (why string, anew bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mode == modePlan && !a.ReadsOnly {
		return inPlan, false
	}
	return "", h.mode == modePlan
}

// enter enters a mode that a client wants. The session notes plan mode.
func (h *held) enter(ctx context.Context, mode acp.SessionModeId) error {
	if mode != modeAsk && mode != modeYes && mode != modePlan {
		return badParams("there is no mode %q; there are %s, %s and %s", mode, modeAsk, modeYes, modePlan)
	}
	s := h.session()
	if s == nil {
		return session.ErrClosed
	}
	h.mu.Lock()
	was := h.mode
	h.mu.Unlock()
	if (was == modePlan) != (mode == modePlan) && spelling.For(s.Dialect()).Replay.Acts.Has(entry.ModeChange) {
		name := "none"
		if mode == modePlan {
			name = "plan"
		}
		if _, err := s.Append(context.WithoutCancel(ctx), &entry.ModeChangeBody{Mode: name}); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mode = mode
	return nil
}

// enterMode is the agent's Options.EnterMode: the session was gone to in a mode.
func (h *held) enterMode(_ context.Context, m agent.Mode) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.mode
	switch {
	case m.Name == "plan":
		h.mode = modePlan
	case was == modePlan:
		h.mode = modeAsk
	}
	if h.live && h.mode != was {
		h.send(context.Background(), acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: h.mode}})
	}
	return nil
}
