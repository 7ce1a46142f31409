package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// How long a line may be to be read for a row, and for the pane; and how much of
// a text the pane is given. In bytes.
const (
	treeLine = 4 << 20
	treeFull = 64 << 20
	treeText = 1 << 20
)

// treeGist says on one line what an entry says and who says it.
func treeGist(list *entry.List, i int) treeview.Gist {
	g := treeview.Gist{Entry: i}
	if n := list.At(i).Len; n > treeLine {
		g.Text = "(" + term.Bytes(n) + ")"
		return g
	}
	line, err := list.Load(i)
	if err != nil {
		g.Text, g.Bad = "unreadable: "+err.Error(), true
		return g
	}
	switch kind := list.Kind(i); kind {
	case entry.Message:
		raw, _ := jsonedit.Get(line, "message")
		g.Who, g.Text, g.Bad = treeMessage(raw)
	case entry.Compaction:
		g.Who = "compaction"
		if n, ok := jsonedit.Int(member(line, "tokensBefore")); ok && n > 0 {
			g.Who += " of " + count(int(n)) + " tokens"
		}
		g.Text = summaryOf(line)
	case entry.BranchSummary:
		g.Who, g.Text = "left branch", summaryOf(line)
	default:
		g.Who, g.Text, _ = strings.Cut(gist(kind, line), " ")
	}
	return g
}

func member(line jsontext.Value, key string) jsontext.Value {
	v, _ := jsonedit.Get(line, key)
	return v
}

func summaryOf(line jsontext.Value) string {
	text, _ := jsonedit.Text(line, "summary")
	return oneLine(text)
}

// treeMessage says who says what in a message, and whether it failed.
func treeMessage(raw jsontext.Value) (who, text string, bad bool) {
	m, err := message.Decode(raw)
	if err != nil {
		return "damaged", "message", true
	}
	text = oneLine(message.Text(m))
	switch m := m.(type) {
	case *message.Assistant:
		for _, c := range message.ToolCalls(m) {
			text = strings.TrimSpace(text + " → " + c.Name + " " + argument(c.Arguments))
		}
		if m.ErrorMessage != "" {
			return "assistant", strings.TrimSpace(text + " " + oneLine(m.ErrorMessage)), true
		}
		if m.StopReason == message.Aborted {
			text = strings.TrimSpace(text + " (aborted)")
		}
		return "assistant", first(text, "(nothing said)"), false
	case *message.ToolResult:
		return first(m.ToolName, "tool"), text, m.IsError
	case *message.BashExecution:
		return "shell", oneLine(m.Command), ending(m.ExitCode, m.Cancelled) != ""
	case *message.PythonExecution:
		return "python", oneLine(m.Code), ending(m.ExitCode, m.Cancelled) != ""
	case *message.FileMention:
		return "files", text, false
	case *message.Custom:
		return m.CustomType, text, false
	case *message.Hook:
		return m.CustomType, text, false
	}
	return m.Role(), text, false
}

// argument returns the first text among the arguments of a call, on one line.
func argument(arguments jsontext.Value) string {
	for _, value := range jsonedit.Members(arguments) {
		if text, ok := jsonedit.String(value); ok && text != "" {
			return oneLine(firstLines(text, 1, 120))
		}
	}
	return ""
}

// treeBody returns all that an entry says, for a person: what was cut for its
// length is put back, calls have all their arguments.
func (a *app) treeBody(ctx context.Context, s *session.Session, i int) treeview.Body {
	b := treeview.Body{Entry: i}
	list := s.List()
	if n := list.At(i).Len; n > treeFull {
		b.Text = fmt.Sprintf("It is %s long: `cambium show --full` prints it.", term.Bytes(n))
		return b
	}
	line, err := list.Load(i)
	if err != nil {
		b.Notes = []string{err.Error()}
		return b
	}
	var out bytes.Buffer
	v := &view{a: a, w: &out, s: s, list: list, full: true, cols: 1 << 16}
	if dir := a.lib.Home(s.Dialect().Name).Blobs; dir != "" {
		v.blobs = blob.OpenDir(dir, blob.DirOptions{})
	}
	v.entry(ctx, line, i, &b)
	text := strings.TrimPrefix(strings.ReplaceAll(out.String(), "\n"+indent, "\n"), indent)
	if len(text) > treeText {
		cut := strings.ToValidUTF8(text[:treeText], "")
		b.Clipped = int64(len(text) - len(cut))
		text = cut
	}
	b.Text = text
	return b
}

// entry writes the text of an entry, without a head, and notes what else is to
// be known of it.
func (v *view) entry(ctx context.Context, line jsontext.Value, i int, b *treeview.Body) {
	switch kind := v.list.Kind(i); kind {
	case entry.Message:
		raw, _ := jsonedit.Get(line, "message")
		m, err := message.Decode(v.whole(ctx, raw, i))
		if err != nil {
			b.Notes = append(b.Notes, "the message is damaged")
			v.text(string(line), nil)
			return
		}
		v.message(m, b)
	case entry.Compaction, entry.BranchSummary:
		summary, _ := jsonedit.Text(line, "summary")
		v.text(summary, nil)
	case entry.CustomMessage:
		content, _ := jsonedit.Get(line, "content")
		v.text(work.ContentText(content), nil)
	default:
		b.Notes = append(b.Notes, gist(kind, line))
		pretty := jsontext.Value(bytes.Clone(line))
		if pretty.Indent(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  ")) != nil {
			pretty = line
		}
		v.text(string(pretty), nil)
	}
}

// message writes what a message says.
func (v *view) message(m message.Message, b *treeview.Body) {
	note := func(parts ...string) {
		if text := join(parts...); text != "" {
			b.Notes = append(b.Notes, text)
		}
	}
	switch m := m.(type) {
	case *message.User:
		v.content(m.Content, 0)
	case *message.Assistant:
		note(m.Model)
		v.answer(m)
	case *message.ToolResult:
		if m.IsError {
			note("failed")
		}
		v.content(m.Content, 0)
	case *message.System:
		v.content(m.Content, 0)
	case *message.Developer:
		v.content(m.Content, 0)
	case *message.BashExecution:
		note(ending(m.ExitCode, m.Cancelled))
		v.ran("$ ", m.Command, m.Output)
	case *message.PythonExecution:
		note(ending(m.ExitCode, m.Cancelled))
		v.ran("> ", m.Code, m.Output)
	case *message.Custom:
		v.content(m.Content, 0)
	case *message.Hook:
		v.content(m.Content, 0)
	default:
		v.text(first(message.Text(m), string(message.Encode(m))), nil)
	}
}

// treeMatch reports whether every word, in lower case, is found in what an entry
// says, calls included, or in names, which are its id and its label.
func treeMatch(list *entry.List, i int, line []byte, names string, words []string) bool {
	var lower []byte
	for _, w := range words {
		if strings.Contains(names, w) || !plainWord(w) {
			continue
		}
		if lower == nil {
			lower = lowered(line)
		}
		if !bytes.Contains(lower, []byte(w)) {
			return false
		}
	}
	text := names + "\n" + strings.ToLower(treeWords(list, i, line))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// plainWord reports whether a word is spelt in JSON as it is.
func plainWord(w string) bool {
	for _, c := range []byte(w) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// lowered returns b with the capitals of ASCII as small letters.
func lowered(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if c-'A' < 26 {
			c |= 0x20
		}
		out[i] = c
	}
	return out
}

// treeWords returns the text of an entry that is searched.
func treeWords(list *entry.List, i int, line []byte) string {
	kind := list.Kind(i)
	if kind != entry.Message {
		if summary, ok := jsonedit.Text(line, "summary"); ok {
			return summary
		}
		return gist(kind, line)
	}
	raw, _ := jsonedit.Get(line, "message")
	m, err := message.Decode(raw)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(m.Role() + "\n" + message.Text(m))
	if r, ok := m.(*message.ToolResult); ok {
		b.WriteString("\n" + r.ToolName)
	}
	for _, c := range message.ToolCalls(m) {
		b.WriteString("\n" + c.Name)
		for _, value := range jsonedit.Members(c.Arguments) {
			text, ok := jsonedit.String(value)
			if !ok {
				text = string(value)
			}
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}
