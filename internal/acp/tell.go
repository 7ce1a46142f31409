package acp

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/coder/acp-go-sdk"
)

// told is what a client knows of a session.
type told struct {
	calls   map[string]*call // by the call's id in the session, the newest of each
	met     map[string]int   // how often an id was met
	notices []string         // that came before the client knew the session
	cost    float64          // of the session until now, in US dollars
	message string           // the id of the message whose pieces are told, "" before its first
}

// A call is one that a client knows of.
type call struct {
	id     acp.ToolCallId
	kind   acp.ToolKind
	ended  bool
	output strings.Builder // of what runs
	sent   int             // bytes of it that were told
}

func newTold() told { return told{calls: map[string]*call{}, met: map[string]int{}} }

// send tells an update; h.mu is held for pieces of messages, which get the id of
// theirs. Nothing is done about a client that is gone: its turns end.
func (h *held) send(ctx context.Context, u acp.SessionUpdate) {
	h.sign(u)
	if text, ok := encoded(h.id, u); ok {
		_ = h.s.lines.queue.take(text)
		return
	}
	n := acp.SessionNotification{SessionId: h.id, Update: u}
	_ = h.s.conn.SendNotification(context.WithoutCancel(ctx), acp.ClientMethodSessionUpdate, n)
}

// sign gives a piece of a message that has none the message's id, by which a client
// tells it from those beside it.
func (h *held) sign(u acp.SessionUpdate) {
	var id **string
	switch {
	case u.UserMessageChunk != nil:
		id = &u.UserMessageChunk.MessageId
	case u.AgentMessageChunk != nil:
		id = &u.AgentMessageChunk.MessageId
	case u.AgentThoughtChunk != nil:
		id = &u.AgentThoughtChunk.MessageId
	}
	if id == nil || *id != nil {
		return
	}
	if h.told.message == "" {
		h.told.message = newID()
	}
	now := h.told.message
	*id = &now
}

// newID returns a UUID, as the protocol wants the ids of messages.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// golive lets the client be told things, now that it knows the session: what came
// up before, and which commands there are. That is done once, but for sessions that
// are opened again.
func (h *held) golive(again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live && !again {
		return
	}
	h.live = true
	for _, n := range h.told.notices {
		h.note(n)
	}
	h.told.notices = nil
	h.announce()
}

// known lets the client be told things of a session that it has just been told of.
func (s *server) known(id string) {
	go func() { // whoever writes the answer holds up who would tell them
		if h, err := s.have(acp.SessionId(id)); err == nil {
			h.golive(false)
		}
	}()
}

// tell is the coder's Options.Tell.
func (h *held) tell(e coder.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.live {
		if n, ok := e.(coder.Notice); ok {
			h.told.notices = append(h.told.notices, n.Text)
		}
		return
	}
	switch e := e.(type) {
	case coder.MessageStart:
		h.told.message = ""
	case coder.MessageUpdate:
		h.streamed(e.Event)
	case coder.MessageEnd:
		h.appended(e.Message)
	case coder.ToolStart:
		h.status(e.CallID, acp.ToolCallStatusInProgress)
	case coder.ToolUpdate:
		h.output(e.CallID, e.Text)
	case coder.ToolEnd:
		h.result(e.CallID, e.Content, e.Details, e.IsError)
	case coder.Retrying:
		h.broken(nil)
		h.told.message = ""
		h.note(fmt.Sprintf("%s; try %d of %d in %s", e.Err, e.Try+1, e.Tries, e.After.Round(100*time.Millisecond)))
	case coder.CompactionStart:
		h.note("the conversation is summed up, for it has grown too long")
	case coder.CompactionEnd:
		if e.Err != "" {
			h.note("sum up the conversation: " + e.Err)
		}
	case coder.Cleaned:
		h.note(e.String())
	case coder.UnseenTold:
		for _, text := range e.LeftOut() {
			h.note(text)
		}
		if text := e.String(); text != "" {
			h.note(text + "; /context shows them")
		}
	case coder.Notice:
		h.note(e.Text)
	case coder.AgentEnd:
		h.broken(nil)
		h.named()
	}
}

// note tells a person something that nobody said: as a thought, marked.
func (h *held) note(text string) {
	h.send(context.Background(), acp.SessionUpdate{AgentThoughtChunk: &acp.SessionUpdateAgentThoughtChunk{
		Content: acp.TextBlock("(" + text + ")\n"), MessageId: acp.Ptr(newID()), Meta: map[string]any{"cambium": map[string]any{"notice": true}},
	}})
}

// streamed tells a piece of an answer.
func (h *held) streamed(e provider.Event) {
	ctx := context.Background()
	switch e.Kind {
	case provider.TextDelta:
		if e.Delta != "" {
			h.send(ctx, acp.UpdateAgentMessageText(e.Delta))
		}
	case provider.ThinkingDelta:
		if e.Delta != "" {
			h.send(ctx, acp.UpdateAgentThoughtText(e.Delta))
		}
	case provider.CallEnd:
		if c, ok := e.Block.(*message.ToolCall); ok {
			h.calls(c, true)
		}
	}
}

// calls tells that the model calls a tool.
func (h *held) calls(m *message.ToolCall, fresh bool) {
	x := shapeOf(h.dir(), m.Name, m.Arguments, fresh)
	h.told.met[m.ID]++
	c := &call{id: acp.ToolCallId(m.ID), kind: x.kind}
	if n := h.told.met[m.ID]; n > 1 || m.ID == "" { // the client wants ids of their own
		c.id = acp.ToolCallId(fmt.Sprintf("%s#%d", m.ID, n))
	}
	h.told.calls[m.ID] = c
	h.send(context.Background(), acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: c.id, Title: x.title, Kind: x.kind, Status: acp.ToolCallStatusPending,
		Locations: x.places, Content: x.content, RawInput: x.input,
	}})
}

// dir is the directory in which tools work, "" when the session was closed.
func (h *held) dir() string {
	if h.coder != nil {
		return h.coder.Agent().Dir()
	}
	if s := h.session(); s != nil {
		return s.CWD()
	}
	return ""
}

func (h *held) status(id string, to acp.ToolCallStatus) {
	if c := h.told.calls[id]; c != nil && !c.ended {
		h.send(context.Background(), acp.UpdateToolCall(c.id, acp.WithUpdateStatus(to)))
	}
}

// Bounds of the output of a command that runs: so much of its end is told, and at
// first everything as it comes, then only pieces of that size.
const (
	maxRunning = 16 << 10
	atOnce     = 4 << 10
)

// output tells what a tool has put out until now: a client replaces what it shows.
func (h *held) output(id, piece string) {
	c := h.told.calls[id]
	if c == nil || c.ended {
		return
	}
	c.output.WriteString(piece)
	n := c.output.Len()
	if n > atOnce && n-c.sent < atOnce {
		return
	}
	c.sent = n
	end := c.output.String()
	if n > maxRunning {
		end = strings.ToValidUTF8(end[n-maxRunning:], "")
		c.output.Reset()
		c.output.WriteString(end)
		c.sent = c.output.Len()
	}
	h.send(context.Background(), acp.UpdateToolCall(c.id, acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock(fenced(end)))})))
}

// result tells how a call ended. What an edit replaced stays shown.
func (h *held) result(id string, content []message.Block, details entry.JSON, failed bool) {
	c := h.told.calls[id]
	if c == nil || c.ended {
		return
	}
	c.ended = true
	to := acp.ToolCallStatusCompleted
	if failed {
		to = acp.ToolCallStatusFailed
	}
	opts := []acp.ToolCallUpdateOpt{acp.WithUpdateStatus(to)}
	if c.kind != acp.ToolKindEdit || failed {
		opts = append(opts, acp.WithUpdateContent(h.outcome(c.kind, content)))
	}
	if raw := rawJSON(details); raw != nil {
		opts = append(opts, acp.WithUpdateRawOutput(raw))
	}
	h.send(context.Background(), acp.UpdateToolCall(c.id, opts...))
}

// broken tells that calls which did not end never will: all but those to keep.
func (h *held) broken(keep map[string]bool) {
	for id, c := range h.told.calls {
		if !c.ended && !keep[id] {
			h.status(id, acp.ToolCallStatusFailed)
			c.ended = true
		}
	}
}

// appended tells what is known once a message stands in the session: the calls of
// an answer, what it took, and why a call was not run.
func (h *held) appended(raw entry.JSON) {
	m, err := message.Decode(raw)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case *message.Assistant:
		keep := map[string]bool{}
		for _, c := range message.ToolCalls(m) {
			keep[c.ID] = true
			if known := h.told.calls[c.ID]; known == nil || known.ended {
				h.calls(c, true)
			}
		}
		h.broken(keep)
		h.took(m)
	case *message.ToolResult:
		h.result(m.ToolCallID, m.Content.Blocks, m.Details, m.IsError)
		if todos, ok := jsonedit.Get(m.Details, "todos"); ok {
			h.planned(todosOf(todos))
		}
	}
}

// took tells how full the model's window is, and what the session has cost.
func (h *held) took(m *message.Assistant) {
	u := m.Usage
	if u == nil {
		return
	}
	if u.Cost != nil {
		h.told.cost += u.Cost.Total
	}
	used := u.Input + u.CacheRead + u.CacheWrite + u.Output
	for _, known := range h.s.o.Models.All() {
		if known.Provider != m.Provider || known.ID != m.Model || known.Window == 0 || used <= 0 {
			continue
		}
		h.send(context.Background(), acp.SessionUpdate{UsageUpdate: &acp.SessionUsageUpdate{
			Size: known.Window, Used: int(used), Cost: &acp.Cost{Amount: h.told.cost, Currency: "USD"},
		}})
		return
	}
}

// named tells what the session is called, and when it last changed.
func (h *held) named() {
	s := h.session()
	if s == nil {
		return
	}
	x := &acp.SessionSessionInfoUpdate{}
	now := time.Now
	if h.s.o.Session.Now != nil {
		now = h.s.o.Session.Now
	}
	x.UpdatedAt = acp.Ptr(jsonedit.FormatTime(now().UnixMilli()))
	if title, _ := s.Title(); title != "" || h.first != "" {
		x.Title = acp.Ptr(catalog.ShortName(title, h.first, s.ID(), s.Path()))
	}
	h.send(context.Background(), acp.SessionUpdate{SessionInfoUpdate: x})
}
