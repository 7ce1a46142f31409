package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// A Speaker is who says a message.
type Speaker uint8

// The speakers.
const (
	// Other is a role that is not known, whose name the message has.
	Other Speaker = iota
	// Damaged is said by nobody who can be read.
	Damaged
	User
	Assistant
	Tool
	System
	Developer
	Shell
	Python
	Extension
	Hook
	// Files are files that a person named.
	Files
	// LeftBranch sums up a branch that was left, Before what stood before a
	// compaction, and Summary is that of a compaction itself.
	LeftBranch
	Before
	Summary
)

// A Message is what somebody said, as blocks.
type Message struct {
	Who Speaker
	// Name is the model of an answer, the tool of a result, the type of what an
	// extension or a hook said, or the role of another.
	Name string
	// Failed and Pruned are about the result of a tool.
	Failed, Pruned bool
	// ByAgent says that the agent said it in the user's place.
	ByAgent bool
	// Cancelled says that a command was, and Code how it ended otherwise.
	Cancelled bool
	Code      int64
	Blocks    []Block
	// Diff is what a tool changed in a file, where its program stored that with the
	// result.
	Diff string
	// Outcome is how a tool ended, as far as its program stored that with the result.
	Outcome Outcome
	// Tokens is about how many the model sees of it, where that was estimated.
	Tokens int
}

// An Outcome is how a tool ended.
type Outcome struct {
	// Exit is the exit code of a command, 0 for none.
	Exit int64
	// Took is how many milliseconds the tool ran, 0 where that is not known.
	Took int64
}

// outcomeIn is the outcome that the details of a result say.
func outcomeIn(details entry.JSON) (o Outcome) {
	for key, value := range jsonedit.Members(details) {
		switch key {
		case "exitCode":
			o.Exit, _ = jsonedit.Int(value)
		case "durationMs", "wallTimeMs":
			o.Took, _ = jsonedit.Int(value)
		}
	}
	return o
}

// Read returns a message as it is stored; one that cannot be read is Damaged.
func Read(raw entry.JSON) Message {
	m, err := message.Decode(raw)
	if err != nil {
		return Message{Who: Damaged, Blocks: []Block{{Kind: Stored, Text: string(raw)}}}
	}
	out := Of(m)
	out.Tokens = message.Estimate(m)
	if out.Who == Other {
		out.Blocks = []Block{{Kind: Stored, Text: string(raw)}}
	}
	return out
}

// Of returns a message as blocks, without its tokens. One of another role has none.
func Of(m message.Message) Message {
	switch m := m.(type) {
	case *message.User:
		return Message{Who: User, ByAgent: m.Attribution == "agent", Blocks: contentBlocks(m.Content, Text)}
	case *message.Assistant:
		return Message{Who: Assistant, Name: m.Model, Blocks: answerBlocks(m)}
	case *message.ToolResult:
		return Message{Who: Tool, Name: m.ToolName, Failed: m.IsError, Pruned: m.PrunedAt != 0,
			Blocks: contentBlocks(m.Content, Result), Diff: textOf(m.Details, "diff"), Outcome: outcomeIn(m.Details)}
	case *message.System:
		return Message{Who: System, Blocks: contentBlocks(m.Content, Instruction)}
	case *message.Developer:
		return Message{Who: Developer, Blocks: contentBlocks(m.Content, Instruction)}
	case *message.BashExecution:
		return ran(Shell, m.ExitCode, m.Cancelled, "$ ", m.Command, m.Output)
	case *message.PythonExecution:
		return ran(Python, m.ExitCode, m.Cancelled, "> ", m.Code, m.Output)
	case *message.Custom:
		return Message{Who: Extension, Name: m.CustomType, Blocks: contentBlocks(m.Content, Text)}
	case *message.Hook:
		return Message{Who: Hook, Name: m.CustomType, Blocks: contentBlocks(m.Content, Text)}
	case *message.FileMention:
		out := Message{Who: Files}
		for _, f := range m.Files {
			out.Blocks = append(out.Blocks, Block{Kind: Mention, File: f})
		}
		return out
	case *message.BranchSummary:
		return Message{Who: LeftBranch, Blocks: []Block{{Text: m.Summary}}}
	case *message.CompactionSummary:
		return Message{Who: Before, Blocks: []Block{{Text: m.Summary}}}
	}
	return Message{Name: message.Role(m)}
}

// Title says who says a message.
func (m Message) Title() string {
	switch m.Who {
	case Damaged:
		return "damaged"
	case User:
		return "user"
	case Assistant:
		return "assistant"
	case Tool:
		if m.Failed {
			return "result: error"
		}
		return "result"
	case System:
		return "system"
	case Developer:
		return "developer"
	case Shell:
		return "shell"
	case Python:
		return "python"
	case Extension:
		return "extension"
	case Hook:
		return "hook"
	case Files:
		return "files"
	case LeftBranch:
		return "summary of a left branch"
	case Before:
		return "summary of what came before"
	case Summary:
		return "summary"
	}
	return cmp.Or(m.Name, "message without a role")
}

// Note says what is to be known of a message besides its text, but for the model of
// an answer.
func (m Message) Note() string {
	switch m.Who {
	case User:
		if m.ByAgent {
			return "by the agent"
		}
	case Tool:
		if m.Pruned {
			return Join("pruned", m.Name)
		}
		return m.Name
	case Extension, Hook:
		return m.Name
	}
	return Ending(&m.Code, m.Cancelled)
}

// answerBlocks are what a model said and asked for, and how that ended.
func answerBlocks(m *message.Assistant) (all []Block) {
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.Thinking:
			if b.Redacted || strings.TrimSpace(b.Thinking) == "" {
				all = append(all, Block{Kind: Withheld})
				continue
			}
			all = append(all, Block{Kind: Thinking, Text: b.Thinking})
		case *message.ToolCall:
			all = append(all, Block{Kind: Call, Name: b.Name, ID: b.ID, Arguments: b.Arguments})
		default:
			all = append(all, blockOf(b, Text))
		}
	}
	switch {
	case m.ErrorMessage != "":
		all = append(all, Block{Kind: Failure, Text: m.ErrorMessage})
	case m.StopReason == message.Aborted, m.StopReason == message.Length, m.StopReason == message.Error:
		all = append(all, Block{Kind: Stop, Text: string(m.StopReason)})
	}
	return all
}

// contentBlocks are texts, of one kind, and pictures.
func contentBlocks(c message.Content, kind Kind) (all []Block) {
	if c.IsText {
		return []Block{{Kind: kind, Text: c.Text}}
	}
	for _, b := range c.Blocks {
		all = append(all, blockOf(b, kind))
	}
	return all
}

// blockOf is one block of a message, of a kind if it is text.
func blockOf(b message.Block, kind Kind) Block {
	switch b := b.(type) {
	case *message.TextBlock:
		return Block{Kind: kind, Text: b.Text}
	case *message.Image:
		return Block{Kind: Picture, Image: b}
	case *message.RedactedThinking:
		return Block{Kind: Encrypted}
	case *message.Fallback:
		return Block{Kind: Fallback}
	}
	return Block{Kind: Piece, Text: cmp.Or(message.Type(b), "block") + " " + string(message.EncodeBlock(b))}
}

// ran is a command that a person ran, and its output.
func ran(who Speaker, code *int64, cancelled bool, prompt, command, output string) Message {
	m := Message{Who: who, Cancelled: cancelled, Blocks: []Block{{Kind: Command, Name: prompt, Text: command}, {Kind: Output, Text: output}}}
	if code != nil {
		m.Code = *code
	}
	return m
}

// Ending says how a command ended, "" when well.
func Ending(code *int64, cancelled bool) string {
	switch {
	case cancelled:
		return "cancelled"
	case code != nil && *code != 0:
		return fmt.Sprintf("exit %d", *code)
	}
	return ""
}
