package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// Unanswered is the text of the result that stands for one that a call does not
// have, because the turn was interrupted.
const Unanswered = "No result: the call was interrupted before the tool answered."

// Shape says what a protocol takes.
type Shape struct {
	// CallID is the longest id of a call; 0 is 64. Ids that are longer or have
	// other characters than a-z, A-Z, 0-9, "_" and "-" are replaced.
	CallID int
	// AnyID leaves ids as they are, except that they become unique.
	AnyID bool
	// Unsigned keeps reasoning without a signature as reasoning where the model
	// is the one that wrote it. Otherwise it becomes text.
	Unsigned bool
}

// Turns decodes the messages of r for sending: *message.User, *message.Assistant
// and *message.ToolResult, copies that the caller may change.
//
// Every assistant message is followed by exactly one result for each of its
// calls, in the calls' order: results that answer no call of it are left out, a
// call without a result gets an error that says [Unanswered], and what a person
// said in between comes after the results. Ids of calls are unique, fit the
// shape, and are the same in call and result.
//
// Reasoning goes back only to the model that wrote it (same provider, API and
// model); to any other it is text, and what proves or encrypts it is left out.
// Blocks without text or data, and messages without blocks, are left out; the
// content of what remains is always in Blocks. Messages of other roles are
// passed over, but a developer's are sent as a user's.
func Turns(r Request, shape Shape) ([]message.Message, error) {
	t := &turns{model: r.Model, shape: shape, seen: map[string]bool{}}
	for i, raw := range r.Messages {
		m, err := message.Decode(raw)
		if err != nil {
			return nil, fmt.Errorf("send message %d: %w", i, err)
		}
		switch m := m.(type) {
		case *message.User:
			t.user(m.Content, m.Timestamp)
		case *message.Developer:
			t.user(m.Content, m.Timestamp)
		case *message.Assistant:
			t.assistant(m)
		case *message.ToolResult:
			t.result(m)
		}
	}
	t.settle()
	return t.out, nil
}

// turns is the state of [Turns].
type turns struct {
	model model.Model
	shape Shape
	out   []message.Message
	// seen are the ids that were given to calls.
	seen map[string]bool
	// open are the calls of the newest assistant message, later what was said
	// since.
	open  []openCall
	later []message.Message
}

// openCall is a call and its result, nil while there is none.
type openCall struct {
	// id is the call's id as the session has it, call has the one to send.
	id     string
	call   *message.ToolCall
	result *message.ToolResult
}

// settle writes the results of the newest assistant message, and what was said
// since.
func (t *turns) settle() {
	for _, o := range t.open {
		result := o.result
		if result == nil {
			result = &message.ToolResult{
				Content: message.BlockContent(&message.TextBlock{Text: Unanswered}),
				IsError: true, Timestamp: message.Time(t.out[len(t.out)-1]),
			}
		}
		result.ToolCallID, result.ToolName = o.call.ID, o.call.Name
		t.out = append(t.out, result)
	}
	t.out = append(t.out, t.later...)
	t.open, t.later = nil, nil
}

func (t *turns) user(c message.Content, time int64) {
	if blocks := shown(c); len(blocks) > 0 {
		t.later = append(t.later, &message.User{Content: message.BlockContent(blocks...), Timestamp: time})
	}
}

func (t *turns) result(m *message.ToolResult) {
	for i, o := range t.open {
		if o.id == m.ToolCallID && o.result == nil {
			c := message.BlockContent(shown(m.Content)...)
			t.open[i].result = &message.ToolResult{Content: c, IsError: m.IsError, Timestamp: m.Timestamp}
			return
		}
	}
}

func (t *turns) assistant(m *message.Assistant) {
	t.settle()
	own := m.Provider == t.model.Provider && m.API == string(t.model.API) && m.Model == t.model.ID
	a := &message.Assistant{
		API: m.API, Provider: m.Provider, Model: m.Model, ResponseID: m.ResponseID, StopReason: m.StopReason, Timestamp: m.Timestamp,
	}
	if own {
		a.ProviderPayload = m.ProviderPayload
	}
	for _, b := range m.Content {
		if b = t.block(b, own); b != nil {
			a.Content = append(a.Content, b)
		}
	}
	if len(a.Content) > 0 {
		t.out = append(t.out, a)
	}
}

// block returns a block of an assistant as it is sent, nil for one that is not.
func (t *turns) block(b message.Block, own bool) message.Block {
	switch b := b.(type) {
	case *message.TextBlock:
		if strings.TrimSpace(b.Text) == "" {
			return nil
		}
		text := &message.TextBlock{Text: b.Text}
		if own {
			text.TextSignature = b.TextSignature
		}
		return text
	case *message.Thinking:
		return t.thinking(b, own)
	case *message.RedactedThinking:
		if own && b.Data != "" {
			return &message.RedactedThinking{Data: b.Data}
		}
	case *message.ToolCall:
		return t.call(b, own)
	}
	return nil
}

func (t *turns) thinking(b *message.Thinking, own bool) message.Block {
	blank := strings.TrimSpace(b.Thinking) == ""
	switch {
	case own && b.ThinkingSignature != "" && b.Redacted:
		return &message.RedactedThinking{Data: b.ThinkingSignature} // as pi stores it
	case own && b.ThinkingSignature != "", own && t.shape.Unsigned && !blank:
		return &message.Thinking{Thinking: b.Thinking, ThinkingSignature: b.ThinkingSignature, ItemID: b.ItemID}
	case !blank && !b.Redacted:
		return &message.TextBlock{Text: b.Thinking}
	}
	return nil
}

func (t *turns) call(b *message.ToolCall, own bool) message.Block {
	c := &message.ToolCall{Name: b.Name, Arguments: b.Arguments, CustomWireName: b.CustomWireName}
	if own {
		c.ThoughtSignature = b.ThoughtSignature
	}
	if c.Arguments == nil {
		c.Arguments = message.JSON("{}")
	}
	limit := t.shape.CallID
	if limit == 0 {
		limit = 64
	}
	c.ID = b.ID
	if !t.shape.AnyID {
		c.ID = CallID(b.ID, limit)
	}
	for n := 2; t.seen[c.ID]; n++ {
		c.ID = CallID(fmt.Sprintf("%s#%d", b.ID, n), limit)
	}
	t.seen[c.ID] = true
	t.open = append(t.open, openCall{id: b.ID, call: c})
	return c
}

// CallID returns id if it has at most limit characters and none but a-z, A-Z,
// 0-9, "_" and "-"; otherwise an id of that kind that is always the same for id
// and for no other.
func CallID(id string, limit int) string {
	fits := id != "" && len(id) <= limit
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		fits = false
		return '_'
	}, id)
	if fits {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	mark := "_" + hex.EncodeToString(sum[:6])
	return clean[:min(len(clean), limit-len(mark))] + mark
}

// shown returns the blocks of c that say something to a model: text that is not
// blank, and images.
func shown(c message.Content) []message.Block {
	blocks := c.Blocks
	if c.IsText {
		blocks = []message.Block{&message.TextBlock{Text: c.Text}}
	}
	var kept []message.Block
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			if strings.TrimSpace(b.Text) != "" {
				kept = append(kept, &message.TextBlock{Text: b.Text})
			}
		case *message.Image:
			kept = append(kept, b)
		}
	}
	return kept
}
