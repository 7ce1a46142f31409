package acp

import (
	"bytes"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/coder/acp-go-sdk"
)

// A piece is what of a message is told by itself: a text as it is stored, or a call.
type piece struct {
	kind  string // of the update, "" for a call
	text  entry.JSON
	block entry.JSON
}

// passed tells what a person, the model or a tool said, its texts as they are stored: decoding
// and encoding each takes most of the time in which a long history is told. m are the
// parts of the message. It reports false, and has told nothing, for a message that has
// to be decoded.
func (h *held) passed(item replay.Item, m parts) bool {
	as := "user_message_chunk"
	switch item.Role {
	case entry.RoleUser:
	case entry.RoleAssistant:
		as = "agent_message_chunk"
	case entry.RoleToolResult:
		return h.passedResult(m, len(item.JSON))
	default:
		return false
	}
	var pieces []piece
	if item.Role == entry.RoleUser && plain(m.content) {
		pieces = []piece{{kind: as, text: m.content}}
	} else if pieces = piecesOf(m.content, item.Role, as); pieces == nil {
		return false
	}
	for _, p := range pieces {
		if len(p.text) > maxText {
			return false
		}
	}
	for _, p := range pieces {
		if p.kind != "" {
			h.pass(p)
		} else if c, ok := message.DecodeBlock(p.block).(*message.ToolCall); ok {
			h.calls(c, false)
		}
	}
	if item.Role == entry.RoleAssistant {
		why, _ := jsonedit.String(m.errorMessage)
		reason, _ := jsonedit.String(m.stopReason)
		h.endedBy(why, message.StopReason(reason))
	}
	return true
}

// piecesOf returns what is told of the blocks of a message, nil where one has to be
// decoded for that.
func piecesOf(content entry.JSON, role entry.Role, as string) []piece {
	all := []piece{}
	if !blocksIn(content, func(b block) bool {
		switch p := (piece{kind: as, text: b.text}); {
		case b.kind == message.TypeToolCall && role == entry.RoleAssistant:
			all = append(all, piece{block: b.raw})
			return true
		case b.kind == message.TypeThinking && role == entry.RoleAssistant:
			p.kind, p.text = "agent_thought_chunk", b.thinking
			if !begun(b.thinking) {
				return false
			}
			fallthrough
		case b.kind == message.TypeText:
			if len(p.text) > len(`""`) {
				all = append(all, p)
			}
			return plain(p.text)
		}
		return false
	}) {
		return nil
	}
	return all
}

// begun reports whether a text begins with a letter, or the like: it is not blank.
func begun(text entry.JSON) bool {
	return len(text) > 1 && text[1] > ' ' && text[1] < 0x7f && text[1] != '\\' && text[1] != '"'
}

// pass tells a piece of text.
func (h *held) pass(p piece) {
	if h.told.message == "" {
		h.told.message = newID()
	}
	b := h.update(p.kind, len(p.text))
	b = append(append(b, `,"content":{"type":"text","text":`...), p.text...)
	b = append(b, `},"messageId":"`+h.told.message+"\"}}}\n"...)
	_ = h.s.lines.queue.take(b)
}

// update is how a message that tells an update of that kind begins, with room for n
// bytes of text.
func (h *held) update(kind string, n int) []byte {
	b := append(make([]byte, 0, n+512), `{"jsonrpc":"2.0","method":"`+acp.ClientMethodSessionUpdate+`","params":{"sessionId":`...)
	b = jsonedit.Quote(b, string(h.id))
	return append(b, `,"update":{"sessionUpdate":"`+kind+`"`...)
}

// passedResult is passed for what a tool said, in n bytes.
func (h *held) passedResult(m parts, n int) bool {
	id, _ := jsonedit.String(m.toolCallID)
	failed, _ := jsonedit.Bool(m.isError)
	c := h.told.calls[id]
	if c == nil || c.ended {
		return true // nobody knows of it, or it has ended before
	}
	b := jsonedit.Quote(append(h.update("tool_call_update", n), `,"toolCallId":`...), string(c.id))
	if failed {
		b = append(b, `,"status":"`+acp.ToolCallStatusFailed+`"`...)
	} else {
		b = append(b, `,"status":"`+acp.ToolCallStatusCompleted+`"`...)
	}
	if c.kind != acp.ToolKindEdit || failed {
		var ok bool
		if b, ok = appendPassed(b, c.kind, m.content); !ok {
			return false
		}
	}
	if m.details != nil && !jsonedit.IsNull(m.details) {
		var ok bool
		if b, ok = appendRaw(b, `,"rawOutput":`, rawJSON(m.details)); !ok {
			return false
		}
	}
	c.ended = true
	_ = h.s.lines.queue.take(append(b, "}}}\n"...))
	return true
}

// appendPassed appends what a tool said as it is stored. It reports false for what has
// to be decoded.
func appendPassed(b []byte, kind acp.ToolKind, content entry.JSON) ([]byte, bool) {
	pieces := piecesOf(content, entry.RoleToolResult, "text")
	if pieces == nil {
		return b, false
	}
	for i, p := range pieces {
		if len(p.text) > maxText {
			return b, false
		}
		text := p.text[1 : len(p.text)-1]
		b = append(append(b, begin(i, `,"content":[`)...), `{"type":"content","content":{"type":"text","text":"`...)
		if kind != acp.ToolKindExecute {
			b = append(b, text...)
		} else {
			for bytes.HasSuffix(text, []byte(`\n`)) && !bytes.HasSuffix(text, []byte(`\\n`)) {
				text = text[:len(text)-len(`\n`)]
			}
			if bytes.Contains(text, []byte("```")) || bytes.HasSuffix(text, []byte(`\\n`)) {
				return b, false
			}
			b = append(append(append(b, "```console\\n"...), text...), "\\n```"...)
		}
		b = append(b, `"}}`...)
	}
	return append(b, end(len(pieces))...), true
}
