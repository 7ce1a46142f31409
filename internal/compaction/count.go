package compaction

import (
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// frameTokens is what a picture of an archived conversation counts (omp 18.2.3).
const frameTokens = 5024

// Estimate returns about how many tokens the message takes; 0 for what is no
// message and for roles that do not count.
func (c Counting) Estimate(msg entry.JSON) int {
	name, _ := jsonedit.Text(msg, "role")
	role := entry.RoleOf(name)
	if !c.roles.has(role) {
		return 0
	}
	m, err := message.Decode(msg)
	if err != nil { // not an object
		return 0
	}
	t := tally{Counting: c, pictures: c.images.has(role)}
	t.message(m)
	return t.tokens + (t.units+3)/4
}

// tally adds up one message.
type tally struct {
	Counting
	pictures      bool // pictures count
	tokens, units int
}

func (t *tally) text(s string) {
	if t.bytes {
		t.tokens += (length(s) + 3) / 4
		return
	}
	t.units += jsonedit.Units(s)
}

// length returns the length of s in UTF-8, ill-formed parts replaced.
func length(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += utf8.RuneLen(r)
	}
	return n
}

// json counts JSON as a program would print it.
func (t *tally) json(v entry.JSON) {
	if v == nil {
		v = entry.JSON("null")
	}
	n := printed(v, t.bytes)
	if t.bytes {
		t.tokens += (n + 3) / 4
		return
	}
	t.units += n
}

func (t *tally) picture(tokens int) {
	switch {
	case !t.pictures && tokens == t.image:
	case t.bytes:
		t.tokens += tokens
	default:
		t.units += tokens
	}
}

func (t *tally) message(m message.Message) {
	switch m := m.(type) {
	case *message.User:
		t.content(m.Content)
	case *message.Developer:
		t.content(m.Content)
	case *message.ToolResult:
		t.content(m.Content)
	case *message.Custom:
		t.content(m.Content)
	case *message.Hook:
		t.content(m.Content)
	case *message.Assistant:
		for _, b := range m.Content {
			t.block(b)
		}
	case *message.System:
		t.content(m.Content)
		for _, s := range m.Sections {
			t.text(s.Text)
		}
		if m.ToolsAdded != nil {
			t.json(jsonedit.List(m.ToolsAdded))
		}
	case *message.BashExecution:
		t.text(m.Command)
		t.text(m.Output)
	case *message.BranchSummary:
		t.text(m.Summary)
	case *message.CompactionSummary:
		t.text(m.Summary)
		t.archive(m.Blocks)
	}
}

func (t *tally) content(c message.Content) {
	t.text(c.Text)
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			t.text(b.Text)
		case *message.Image:
			t.picture(t.image)
		}
	}
}

// block counts a block of an answer.
func (t *tally) block(b message.Block) {
	switch b := b.(type) {
	case *message.TextBlock:
		t.text(b.Text)
	case *message.Thinking:
		t.text(b.Thinking)
		if t.sealed {
			t.text(b.ThinkingSignature)
		}
	case *message.ToolCall:
		t.text(b.Name)
		t.json(b.Arguments)
	case *message.RedactedThinking:
		if t.sealed {
			t.text(b.Data)
		}
	case *message.ServerTool:
		if t.sealed {
			t.json(b.Block)
		}
	}
}

// archive counts the blocks of a summary that holds the conversation as pictures.
func (t *tally) archive(blocks []message.Block) {
	if !t.bytes {
		return
	}
	for _, b := range blocks {
		if text, ok := b.(*message.TextBlock); ok {
			t.text(text.Text)
			continue
		}
		t.tokens += frameTokens
	}
}
