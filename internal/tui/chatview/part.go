package chatview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// A Style is how a part of a row is laid out.
type Style uint8

// The styles.
const (
	// Markdown is an answer.
	Markdown Style = iota
	// Prompt is what a person said.
	Prompt
	// Thinking is reasoning; it is folded.
	Thinking
	// Call is a call of a tool, one line; folded, its arguments are cut.
	Call
	// Output is what a tool put out; it is folded.
	Output
	// Diff is a change of a file; it is folded, with the number of lines.
	Diff
	// Note is said by nobody: a setting, a picture's name, a summary's head.
	Note
	// Bad is what went wrong.
	Bad
)

// A Part is a piece of a row. Its text is as it was stored: it is made safe when
// it is laid out.
type Part struct {
	Style Style
	// Text is what is shown; for a Call its arguments in short.
	Text string
	// Head is what stands before it: the name of the tool of a Call or Output.
	Head string

	id     string           // of a Call, and of what came of it
	label  string           // which call it came of, where there were several
	diff   string           // of a Call that changes a file
	stream *markdown.Stream // of a text that grows
}

// PartsOf returns what is shown of a message as it is stored; nothing of one of an
// extension that says display:false. Nobody else's can be hidden.
func PartsOf(raw jsontext.Value) []Part {
	m, err := message.Decode(raw)
	if err != nil {
		return []Part{{Style: Bad, Text: "a message that is damaged"}}
	}
	switch m.(type) {
	case *message.Custom, *message.Hook:
		if shown, ok := jsonedit.Get(raw, "display"); ok && string(shown) == "false" {
			return nil
		}
	}
	return Parts(m)
}

// Parts returns what is shown of a message.
func Parts(m message.Message) []Part {
	switch m := m.(type) {
	case *message.User:
		return contentParts(m.Content, Prompt)
	case *message.Assistant:
		return answerParts(m)
	case *message.ToolResult:
		return resultParts(m)
	case *message.BashExecution:
		return ranParts("$ ", m.Command, m.Output, m.ExitCode, m.Cancelled)
	case *message.PythonExecution:
		return ranParts("> ", m.Code, m.Output, m.ExitCode, m.Cancelled)
	case *message.System:
		return append([]Part{{Style: Note, Text: "system"}}, contentParts(m.Content, Output)...)
	case *message.Developer:
		return append([]Part{{Style: Note, Text: "developer"}}, contentParts(m.Content, Output)...)
	case *message.Custom:
		return ofExtension(m.CustomType, m.Content)
	case *message.Hook:
		return ofExtension(m.CustomType, m.Content)
	case *message.FileMention:
		var all []Part
		for _, f := range m.Files {
			all = append(all, Part{Style: Note, Text: "@" + f.Path})
		}
		return all
	case *message.BranchSummary:
		return summaryParts("summary of a branch that was left", m.Summary)
	case *message.CompactionSummary:
		return summaryParts("summary of what came before", m.Summary)
	}
	return []Part{{Style: Note, Text: "a message that cannot be shown"}}
}

// ofExtension is what an extension said.
func ofExtension(name string, content message.Content) []Part {
	return append([]Part{{Style: Note, Text: name}}, contentParts(content, Markdown)...)
}

// contentParts lays a content out: texts in a style, pictures by name.
func contentParts(c message.Content, style Style) []Part {
	if c.IsText {
		return []Part{{Style: style, Text: c.Text}}
	}
	var all []Part
	for _, b := range c.Blocks {
		all = append(all, blockPart(b, style))
	}
	return all
}

func blockPart(b message.Block, style Style) Part {
	switch b := b.(type) {
	case *message.TextBlock:
		return Part{Style: style, Text: b.Text}
	case *message.Image:
		return Part{Style: Note, Text: pictureName(b)}
	}
	return Part{Style: Note, Text: "something that cannot be shown"}
}

// pictureName says what a picture is.
func pictureName(i *message.Image) string {
	kind := i.MimeType
	if kind == "" {
		kind = "of an unknown type"
	}
	if strings.HasPrefix(i.Data, "blob:") {
		return "[picture " + kind + "]"
	}
	return fmt.Sprintf("[picture %s, %s]", kind, term.Bytes(int64(len(i.Data))*3/4))
}

// answerParts is an answer: its texts, reasoning and calls, and how it ended.
func answerParts(m *message.Assistant) []Part {
	var all []Part
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.TextBlock:
			if strings.TrimSpace(b.Text) != "" {
				all = append(all, Part{Style: Markdown, Text: b.Text})
			}
		case *message.Thinking:
			if !b.Redacted && strings.TrimSpace(b.Thinking) != "" {
				all = append(all, Part{Style: Thinking, Text: b.Thinking})
			}
		case *message.ToolCall:
			p := CallPart(b.Name, b.Arguments)
			p.id = b.ID
			all = append(all, p)
		case *message.RedactedThinking:
		default:
			all = append(all, blockPart(b, Markdown))
		}
	}
	switch {
	case m.ErrorMessage != "":
		all = append(all, Part{Style: Bad, Text: m.ErrorMessage})
	case m.StopReason == message.Aborted:
		all = append(all, Part{Style: Bad, Text: "stopped"})
	case m.StopReason == message.Length:
		all = append(all, Part{Style: Bad, Text: "cut off at the limit of tokens"})
	}
	return all
}

// CallPart is the call of a tool; one that changes a file has its change.
func CallPart(name string, arguments jsontext.Value) Part {
	p := Part{Style: Call, Head: name}
	p.Text, p.diff = argumentsIn(arguments)
	return p
}

// argumentsIn are a call's arguments in short: what says most stands alone, and a
// change of a file is a diff.
func argumentsIn(arguments jsontext.Value) (text, diff string) {
	diff = changeIn(arguments)
	var all []string
	for key, value := range jsonedit.Members(arguments) {
		if diff != "" && ofChange(key) {
			continue
		}
		text, ok := jsonedit.String(value)
		if !ok {
			text = string(value)
		}
		switch key {
		case "command", "path", "pattern", "file_path":
			all = append(all, text)
		default:
			all = append(all, key+"="+text)
		}
	}
	return strings.Join(all, "  "), diff
}

// resultParts is what a tool put out: a diff, if it changed a file.
func resultParts(m *message.ToolResult) []Part {
	if diff, ok := jsonedit.Path(m.Details, "diff"); ok && !m.IsError {
		if text, ok := jsonedit.String(diff); ok && text != "" {
			return []Part{{Style: Diff, Head: m.ToolName, Text: text, id: m.ToolCallID}}
		}
	}
	style := Output
	if m.IsError {
		style = Bad
	}
	var all []Part
	for _, p := range contentParts(m.Content, style) {
		p.Head, p.id = m.ToolName, m.ToolCallID
		all = append(all, p)
	}
	if len(all) == 0 {
		all = []Part{{Style: Output, Head: m.ToolName, id: m.ToolCallID}}
	}
	return all
}

// ranParts is a person's own command.
func ranParts(sign, command, output string, code *int64, cancelled bool) []Part {
	all := []Part{{Style: Prompt, Text: sign + command}, {Style: Output, Text: output}}
	switch {
	case cancelled:
		all = append(all, Part{Style: Bad, Text: "stopped"})
	case code != nil && *code != 0:
		all = append(all, Part{Style: Bad, Text: fmt.Sprintf("exit code %d", *code)})
	}
	return all
}
