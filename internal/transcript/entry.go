package transcript

import (
	"bytes"
	"context"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// A Page is one entry by itself: all that it says, and what else is to be known.
type Page struct {
	Text  string
	Notes []string
}

// Page returns entry i, whose line was read.
func (r *Reader) Page(ctx context.Context, line entry.JSON, i int) Page {
	switch kind := r.list.Kind(i); kind {
	case entry.Message:
		m := Read(r.whole(ctx, member(line, "message"), i))
		if m.Who == Damaged {
			return Page{Plain([]Block{{Kind: Stored, Text: string(line)}}), []string{"the message is damaged"}}
		}
		p := Page{Text: Plain(m.Blocks)}
		if note := m.pageNote(); note != "" {
			p.Notes = []string{note}
		}
		return p
	case entry.Compaction, entry.BranchSummary:
		return Page{Text: Plain([]Block{{Text: textOf(line, "summary")}})}
	case entry.CustomMessage:
		return Page{Text: Plain([]Block{{Text: ContentText(member(line, "content"))}})}
	default:
		pretty := jsontext.Value(bytes.Clone(line))
		if pretty.Indent(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  ")) != nil {
			pretty = jsontext.Value(line)
		}
		return Page{Plain([]Block{{Kind: Stored, Text: string(pretty)}}), []string{GistOf(kind, line).String()}}
	}
}

// pageNote is what a page says of a message, whose speaker stands elsewhere.
func (m Message) pageNote() string {
	switch {
	case m.Who == Assistant:
		return m.Name
	case m.Who == Tool && m.Failed:
		return "failed"
	}
	return Ending(&m.Code, m.Cancelled)
}

// A Line is a message as a preview shows it.
type Line struct{ Who, Text string }

// LineOf returns a message, and whether it says anything. Its text is cut to so many
// bytes.
func LineOf(raw entry.JSON, most int) (Line, bool) {
	m, err := message.Decode(raw)
	if err != nil {
		return Line{}, false
	}
	l := Line{Who: textOf(raw, "role"), Text: message.Text(m)}
	switch m := m.(type) {
	case *message.ToolResult:
		l.Who, _, _ = Gist{kind: entry.Message, m: m}.Row()
	case *message.BashExecution:
		l.Who, l.Text = "shell", "$ "+m.Command+"\n"+m.Output
	case *message.Assistant:
		if l.Text == "" {
			l.Text = Gist{kind: entry.Message, m: m}.String()
		}
	}
	if len(l.Text) > most {
		l.Text = l.Text[:most]
	}
	return l, l.Text != ""
}

// Words returns the texts of an entry in which words are looked for, calls included.
func Words(kind entry.Kind, line entry.JSON) string {
	if kind != entry.Message {
		if summary, ok := jsonedit.Text(line, "summary"); ok {
			return summary
		}
		return GistOf(kind, line).String()
	}
	m, err := message.Decode(member(line, "message"))
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(message.Role(m) + "\n" + message.Text(m))
	if r, ok := m.(*message.ToolResult); ok {
		b.WriteString("\n" + r.ToolName)
	}
	for _, c := range message.ToolCalls(m) {
		b.WriteString("\n" + c.Name)
		for _, text := range (Block{Arguments: c.Arguments}).Args() {
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}
