package chatview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	said "github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/message"
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
func PartsOf(raw message.JSON) []Part {
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
	switch from := said.Of(m); from.Who {
	case said.User:
		return contentParts(from.Blocks, Prompt)
	case said.Assistant:
		return answerParts(from.Blocks)
	case said.Tool:
		return resultParts(m.(*message.ToolResult), from.Blocks)
	case said.Shell, said.Python:
		return ranParts(from)
	case said.System, said.Developer:
		return headed(from.Title(), contentParts(from.Blocks, Output))
	case said.Extension, said.Hook:
		return headed(from.Name, contentParts(from.Blocks, Markdown))
	case said.Files:
		return contentParts(from.Blocks, Note)
	case said.LeftBranch:
		return summaryParts("summary of a branch that was left", from.Blocks[0].Text)
	case said.Before:
		return summaryParts(from.Title(), from.Blocks[0].Text)
	}
	return []Part{{Style: Note, Text: "a message that cannot be shown"}}
}

// headed are parts with who says them above.
func headed(who string, parts []Part) []Part {
	return append([]Part{{Style: Note, Text: who}}, parts...)
}

// contentParts lays blocks out: texts in a style, pictures and files by name.
func contentParts(blocks []said.Block, style Style) []Part {
	var all []Part
	for _, b := range blocks {
		all = append(all, blockPart(b, style))
	}
	return all
}

func blockPart(b said.Block, style Style) Part {
	switch b.Kind {
	case said.Text, said.Instruction, said.Result:
		return Part{Style: style, Text: b.Text}
	case said.Picture:
		return Part{Style: Note, Text: pictureName(b.Image)}
	case said.Mention:
		return Part{Style: Note, Text: "@" + b.File.Path}
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
func answerParts(blocks []said.Block) []Part {
	var all []Part
	for _, b := range blocks {
		switch b.Kind {
		case said.Text:
			if strings.TrimSpace(b.Text) != "" {
				all = append(all, Part{Style: Markdown, Text: b.Text})
			}
		case said.Thinking:
			all = append(all, Part{Style: Thinking, Text: b.Text})
		case said.Call:
			p := CallPart(b.Name, b.Arguments)
			p.id = b.ID
			all = append(all, p)
		case said.Failure:
			all = append(all, Part{Style: Bad, Text: b.Text})
		case said.Stop:
			if text := stopText(b.Text); text != "" {
				all = append(all, Part{Style: Bad, Text: text})
			}
		case said.Withheld, said.Encrypted:
		default:
			all = append(all, blockPart(b, Markdown))
		}
	}
	return all
}

// stopText says why an answer ended early, "" where there is nothing to say.
func stopText(reason string) string {
	switch message.StopReason(reason) {
	case message.Aborted:
		return "stopped"
	case message.Length:
		return "cut off at the limit of tokens"
	}
	return ""
}

// CallPart is the call of a tool; one that changes a file has its change.
func CallPart(name string, arguments message.JSON) Part {
	p := Part{Style: Call, Head: name}
	p.Text, p.diff = argumentsIn(arguments)
	return p
}

// argumentsIn are a call's arguments in short: what says most stands alone, and a
// change of a file is a diff.
func argumentsIn(arguments message.JSON) (text, diff string) {
	diff = said.ChangeIn(arguments)
	var all []string
	for key, value := range jsonedit.Members(arguments) {
		if diff != "" && said.OfChange(key) {
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
func resultParts(m *message.ToolResult, blocks []said.Block) []Part {
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
	for _, p := range contentParts(blocks, style) {
		p.Head, p.id = m.ToolName, m.ToolCallID
		all = append(all, p)
	}
	if len(all) == 0 {
		all = []Part{{Style: Output, Head: m.ToolName, id: m.ToolCallID}}
	}
	return all
}

// ranParts is a person's own command.
func ranParts(m said.Message) []Part {
	all := []Part{{Style: Prompt, Text: m.Blocks[0].Name + m.Blocks[0].Text}, {Style: Output, Text: m.Blocks[1].Text}}
	switch {
	case m.Cancelled:
		all = append(all, Part{Style: Bad, Text: "stopped"})
	case m.Code != 0:
		all = append(all, Part{Style: Bad, Text: fmt.Sprintf("exit code %d", m.Code)})
	}
	return all
}
