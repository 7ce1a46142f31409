package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/message"
	"github.com/coder/acp-go-sdk"
)

// prompt says something in a session and answers when the turn has ended.
func (s *server) prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	one, alone := s.turns.begin(p.SessionId)
	defer s.turns.done(one)
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
	case out.Unapproved != "":
		r.StopReason = acp.StopReasonRefusal
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

// said makes a user's message of a prompt: what is linked is named where it
// stands, what is embedded follows at the end.
func said(blocks []acp.ContentBlock) (string, []*message.Image, error) {
	var words, below strings.Builder
	var images []*message.Image
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			words.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			words.WriteString(named(b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			words.WriteString(named(r.Uri))
			below.WriteString("\n\n<file path=\"" + named(r.Uri) + "\">\n" + strings.TrimRight(r.Text, "\n") + "\n</file>")
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			words.WriteString(named(b.Resource.Resource.BlobResourceContents.Uri))
		case b.Image != nil:
			i, err := picture(b.Image)
			if err != nil {
				return "", nil, err
			}
			images = append(images, i)
		default:
			return "", nil, badParams("prompt: this agent takes text, links, files and pictures")
		}
	}
	text := strings.TrimRight(strings.ToValidUTF8(words.String(), "\uFFFD"), "\r\n") + strings.ToValidUTF8(below.String(), "\uFFFD")
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return "", nil, badParams("prompt: there is nothing to say")
	}
	return text, images, nil
}

// named is what is behind a URI: the path of a file, else the URI.
func named(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Path != "" {
		return filepath.FromSlash(u.Path)
	}
	return uri
}

// picture reads a picture of a prompt.
func picture(b *acp.ContentBlockImage) (*message.Image, error) {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, b.MimeType) {
		return nil, badParams("prompt: a picture of type %q is none that models take: png, jpeg, gif or webp", b.MimeType)
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	switch {
	case err != nil || len(data) == 0:
		return nil, badParams("prompt: a picture is not base64")
	case len(b.Data) > maxImage:
		return nil, badParams("prompt: a picture is larger than %d bytes", maxImage)
	}
	return &message.Image{Data: b.Data, MimeType: b.MimeType}, nil
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
	p := acp.RequestPermissionRequest{
		SessionId: h.id,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: id, Title: &x.title, Kind: &x.kind, Status: acp.Ptr(acp.ToolCallStatusPending),
			Locations: x.places, Content: x.content, RawInput: x.input,
		},
		Options: []acp.PermissionOption{
			{OptionId: allowOnce, Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: allowAlways, Name: "Allow " + a.Tool + " until the session is closed", Kind: acp.PermissionOptionKindAllowAlways},
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
