package acp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// replay tells all that was said on the session's branch, from its root, what was
// compacted since included, and the todos as a plan. Extensions' messages that
// are not to be displayed are left out.
func (h *held) replay(ctx context.Context) error {
	s := h.session()
	if s == nil {
		return session.ErrClosed
	}
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.told
	h.told = newTold()
	h.told.notices, h.told.cost = was.notices, was.cost
	unread := 0
	for item, err := range c.Told() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			unread++
			continue
		}
		h.recall(item)
	}
	if !h.s.turns.under(h.id) {
		h.broken(nil)
	}
	if unread > 0 {
		h.note(fmt.Sprintf("%d entries of the session cannot be read", unread))
	}
	if d := s.Damage(); d.Any() {
		h.note("the session is damaged: " + d.String())
	}
	if h.coder == nil {
		h.note("the session can only be read: " + h.why)
		return nil
	}
	if len(h.todos) > 0 {
		h.send(ctx, acp.UpdatePlan(planOf(h.todos)...))
	}
	return nil
}

// recall tells one entry.
func (h *held) recall(item replay.Item) {
	h.told.message = ""
	if item.Shown == replay.ShownCut {
		if t, _ := jsonedit.Text(item.JSON, "summary"); t != "" {
			h.note("what is above was summed up for the model: " + clip(t))
		}
		return
	}
	if item.Shown != replay.ShownMessage || item.Folded {
		return
	}
	if m := partsOf(item.JSON); !m.folded() && !h.passed(item, m) {
		h.decoded(item)
	}
}

// decoded tells what was said, whatever it is.
func (h *held) decoded(item replay.Item) {
	ctx := context.Background()
	m, err := message.Decode(item.JSON)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case *message.User:
		h.content(m.Content, acp.UpdateUserMessage)
	case *message.Assistant:
		h.answered(m)
	case *message.ToolResult:
		h.result(m.ToolCallID, blocksOf(m.Content), m.Details, m.IsError)
	case *message.BashExecution:
		h.ran(fmt.Sprintf("command-%d", item.Entry), "! "+m.Command, m.Output, m.Cancelled || m.ExitCode != nil && *m.ExitCode != 0)
	case *message.PythonExecution:
		h.ran(fmt.Sprintf("command-%d", item.Entry), "$ "+m.Code, m.Output, m.Cancelled || m.ExitCode != nil && *m.ExitCode != 0)
	case *message.Custom:
		if m.Display {
			h.content(m.Content, acp.UpdateAgentMessage)
		}
	case *message.Hook:
		if m.Display {
			h.content(m.Content, acp.UpdateAgentMessage)
		}
	case *message.FileMention:
		for _, f := range m.Files {
			h.send(ctx, acp.UpdateUserMessage(acp.ResourceLinkBlock(f.Path, h.uri(f.Path))))
		}
	case *message.BranchSummary:
		h.note("summary of a branch that was left: " + clip(m.Summary))
	case *message.CompactionSummary:
		h.note("summary of what came before: " + clip(m.Summary))
	}
}

// answered tells an answer.
func (h *held) answered(m *message.Assistant) {
	ctx := context.Background()
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.TextBlock:
			if b.Text != "" {
				h.send(ctx, acp.UpdateAgentMessageText(clip(b.Text)))
			}
		case *message.Thinking:
			if strings.TrimSpace(b.Thinking) != "" {
				h.send(ctx, acp.UpdateAgentThoughtText(clip(b.Thinking)))
			}
		case *message.Image:
			h.send(ctx, acp.UpdateAgentMessage(h.picture(b)))
		case *message.ToolCall:
			h.calls(b, false)
		}
	}
	h.endedBy(m.ErrorMessage, m.StopReason)
}

// endedBy tells why an answer ended early, if it did.
func (h *held) endedBy(why string, reason message.StopReason) {
	switch {
	case why != "":
		h.note(why)
	case reason == message.Aborted, reason == message.Error, reason == message.Length:
		h.note("the answer ended early: " + string(reason))
	}
}

// content tells what is in a message.
func (h *held) content(c message.Content, as func(acp.ContentBlock) acp.SessionUpdate) {
	for _, b := range blocksOf(c) {
		switch b := b.(type) {
		case *message.TextBlock:
			if b.Text != "" {
				h.send(context.Background(), as(acp.TextBlock(clip(b.Text))))
			}
		case *message.Image:
			h.send(context.Background(), as(h.picture(b)))
		}
	}
}

// uri is the URI of a file, which may be named as seen from the directory.
func (h *held) uri(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.dir(), path)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String()
}

// ran tells a command that a person ran.
func (h *held) ran(id, title, output string, failed bool) {
	to := acp.ToolCallStatusCompleted
	if failed {
		to = acp.ToolCallStatusFailed
	}
	h.send(context.Background(), acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: acp.ToolCallId(id), Title: headline(title),
		Kind: acp.ToolKindExecute, Status: to,
		Content: []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(fenced(clip(output))))},
	}})
}

// blocksOf returns content as blocks.
func blocksOf(c message.Content) []message.Block {
	if c.IsText {
		return []message.Block{&message.TextBlock{Text: c.Text}}
	}
	return c.Blocks
}

// picture is a picture for a client, with its bytes out of the store; a text in
// its place when they are not there, or too many.
func (h *held) picture(b *message.Image) acp.ContentBlock {
	data := b.Data
	if strings.HasPrefix(data, "blob:") {
		data = ""
		if s := h.session(); s != nil {
			if all, err := s.Blob(context.Background(), b.Data); err == nil {
				data = base64.StdEncoding.EncodeToString(all)
			}
		}
	}
	switch {
	case data == "":
		return acp.TextBlock("(a picture that is not in the store)")
	case len(data) > maxImage:
		return acp.TextBlock(fmt.Sprintf("(a picture of %d bytes)", len(data)/4*3))
	}
	return acp.ImageBlock(data, first(b.MimeType, "image/png"))
}
