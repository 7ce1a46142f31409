package provider

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/message"
)

// What an answer may have. Without bounds one that never ends would take all
// memory.
const (
	// MaxAnswer is how many bytes are kept of an answer: many times what the
	// longest of models say.
	MaxAnswer = 32 << 20
	// MaxBlocks is how many blocks it may have.
	MaxBlocks = 1024
	// maxName and maxID are how long the name and the id of a call may be; there
	// are servers that put hundreds of bytes into an id. maxWord is the most of
	// the other words that come with an answer.
	maxName = 256
	maxID   = 2048
	maxWord = 512
)

// What is kept of an answer that never ended: so many blocks, and so much of each.
const (
	firstBlocks = 64
	beginning   = 16 << 10
)

// overhead is what a block takes beside its texts.
const overhead = 256

// weight is about how many bytes b takes, what is added to it not counted.
func weight(b message.Block) int {
	switch b := b.(type) {
	case *message.TextBlock:
		return overhead + len(b.TextSignature)
	case *message.Thinking:
		return overhead + len(b.ThinkingSignature) + len(b.ItemID)
	case *message.RedactedThinking:
		return overhead + len(b.Data)
	case *message.ToolCall:
		return overhead + len(b.ID) + len(b.Name) + len(b.Namespace) + len(b.CustomWireName) + len(b.ThoughtSignature)
	case *message.ServerTool:
		return overhead + len(b.Block)
	}
	return overhead
}

// Endless returns the error for an answer that has more than [MaxAnswer] or
// [MaxBlocks], of which only the beginning is kept then; nil for others.
func (a *Answer) Endless(p Place) *Error {
	what := fmt.Sprintf("more than %d MiB", MaxAnswer>>20)
	switch {
	case len(a.parts) > MaxBlocks:
		what = fmt.Sprintf("more than %d blocks", MaxBlocks)
	case a.size <= MaxAnswer:
		return nil
	}
	for i, part := range a.parts {
		part.gone = i >= firstBlocks || !part.shorten()
	}
	return p.Fault(Malformed, "the answer does not end: it has "+what, nil)
}

// shorten leaves the beginning of a text. It reports false for a block of which
// there is no beginning: calls are whole or nothing, and so are proofs.
func (p *part) shorten() bool {
	var signature *string
	switch b := p.block.(type) {
	case *message.TextBlock:
		signature = &b.TextSignature
	case *message.Thinking:
		signature = &b.ThinkingSignature
		b.ItemID = clip(b.ItemID, maxWord)
	default:
		return false
	}
	if p.text.Len()+len(*signature)+p.proof.Len() <= beginning {
		return true
	}
	text := clip(p.text.String(), beginning)
	p.text = strings.Builder{}
	p.text.WriteString(text)
	p.proof = strings.Builder{}
	*signature = ""
	p.fill()
	return true
}

// clip returns at most the first n bytes of text, with a mark where that is not
// all of it.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// name gives a call an id that no other of the answer has, and an id and a name
// of a bounded length. A name that is cut is that of no tool.
func (a *Answer) name(c *message.ToolCall) {
	c.Name = clip(c.Name, maxName)
	switch {
	case c.ID == "":
		c.ID = "call_" + strings.ToLower(rand.Text())
	case len(c.ID) > maxID:
		c.ID = CallID(c.ID, 64)
	}
	for n, id := 2, c.ID; a.ids[c.ID]; n++ {
		c.ID = CallID(fmt.Sprintf("%s#%d", id, n), 64)
	}
	a.ids[c.ID] = true
}
