package acp

import (
	"context"
	"encoding/json" // the connection's; see methods.go
	"errors"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/coder/acp-go-sdk"
)

// prompt says something in a session and answers when the turn has ended. The turn
// was noted before anything of the prompt was understood, and is forgotten whatever
// is wrong with it.
func (s *server) prompt(ctx context.Context, params json.RawMessage) (any, error) {
	id, _ := jsonedit.Text(entry.JSON(params), "sessionId")
	one, alone := s.turns.begin(acp.SessionId(id))
	defer s.turns.done(one)
	if err := kinds(params); err != nil {
		return nil, err
	}
	return does(func(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
		if string(p.SessionId) != id {
			return acp.PromptResponse{}, badParams("sessionId: it is no text, or there twice")
		}
		return s.answer(ctx, p, one, alone)
	})(ctx, params)
}

// answer is prompt in its turn; alone says that no other runs.
func (s *server) answer(ctx context.Context, p acp.PromptRequest, one *turn, alone bool) (acp.PromptResponse, error) {
	h, err := s.writable(p.SessionId)
	if err == nil && !alone {
		err = coder.ErrBusy
	}
	if err != nil {
		return acp.PromptResponse{}, err
	}
	h.golive(false)
	text, images, err := said(p.Prompt)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	defer context.AfterFunc(ctx, one.stop)() // $/cancel_request
	if c, arguments, ok := commandIn(text); ok && len(images) == 0 {
		stop, err := h.do(one.ctx, c, arguments)
		return acp.PromptResponse{StopReason: stop, UserMessageId: p.MessageId}, err
	}
	h.begins(text)
	out, err := h.coder.Prompt(one.ctx, text, images...)
	r := acp.PromptResponse{StopReason: acp.StopReasonEndTurn, UserMessageId: p.MessageId, Usage: usageOf(out)}
	switch {
	case errors.Is(err, coder.ErrBusy):
		return r, err
	case one.ctx.Err() != nil || err == nil && out.Stop == message.Aborted:
		if err != nil {
			s.o.Log(string(h.id) + ": " + err.Error())
		}
		r.StopReason = acp.StopReasonCancelled
		return r, nil
	case err != nil:
		e := fault(err)
		if todo := h.coder.Advice(err); todo != "" && e.Data == nil {
			e.Data = map[string]any{"hint": todo}
		}
		return r, e
	case out.Stop == message.Length:
		r.StopReason = acp.StopReasonMaxTokens
	case out.Unapproved != "": // no refusal: a client takes back what was said before one
		h.mu.Lock()
		defer h.mu.Unlock()
		h.note("the turn has ended here: " + out.Unapproved + " needs approval, and nobody could be asked")
	}
	return r, nil
}

// begins notes what a new session may be called after.
func (h *held) begins(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.first == "" {
		h.first = text
	}
}

func usageOf(out coder.Outcome) *acp.Usage {
	u := out.Usage
	if u.Messages == 0 {
		return nil
	}
	return &acp.Usage{
		InputTokens: int(u.Input), OutputTokens: int(u.Output), CachedReadTokens: acp.Ptr(int(u.CacheRead)), CachedWriteTokens: acp.Ptr(int(u.CacheWrite)),
		TotalTokens: int(u.Input + u.Output + u.CacheRead + u.CacheWrite),
	}
}

// nothing is the result of a notification.
type nothing struct{}

// cancel stops the turns of a session.
func (s *server) cancel(_ context.Context, p acp.CancelNotification) (nothing, error) {
	s.turns.cancel(p.SessionId)
	return nothing{}, nil
}

// What a person may say to a permission request.
const (
	allowOnce   acp.PermissionOptionId = "allow_once"
	allowAlways acp.PermissionOptionId = "allow_always"
	rejectOnce  acp.PermissionOptionId = "reject_once"
)

// approve is the coder's Options.Approve: it asks the client.
func (h *held) approve(ctx context.Context, a coder.Ask) (coder.Answer, error) {
	h.mu.Lock()
	mode, x := h.mode, shapeOf(a.Dir, a.Tool, a.Arguments, true)
	id := acp.ToolCallId(a.CallID)
	if c := h.told.calls[a.CallID]; c != nil {
		id = c.id
	}
	h.mu.Unlock()
	if mode == modeYes {
		return coder.Yes, nil
	}
	if err := question(a, &x); err != nil {
		return coder.No, err
	}
	p := acp.RequestPermissionRequest{
		SessionId: h.id,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: id, Title: &x.title, Kind: &x.kind, Status: acp.Ptr(acp.ToolCallStatusPending),
			Locations: x.places, Content: x.content, RawInput: x.input,
		},
		Options: []acp.PermissionOption{
			{OptionId: allowOnce, Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: allowAlways, Name: "Allow every call of " + consent.Visible(a.Tool, false) + " in this session and directory", Kind: acp.PermissionOptionKindAllowAlways},
			{OptionId: rejectOnce, Name: "Reject", Kind: acp.PermissionOptionKindRejectOnce},
		},
	}
	r, err := acp.SendRequest[acp.RequestPermissionResponse](h.s.conn, ctx, acp.ClientMethodSessionRequestPermission, p)
	switch {
	case err != nil:
		return coder.No, err
	case r.Outcome.Cancelled != nil:
		h.s.turns.cancel(h.id) // whose notification may still be on its way
		return coder.No, nil
	case r.Outcome.Selected == nil:
		return coder.No, nil
	case r.Outcome.Selected.OptionId == allowOnce:
		return coder.Yes, nil
	case r.Outcome.Selected.OptionId == allowAlways:
		return coder.Always, nil
	}
	return coder.No, nil
}
