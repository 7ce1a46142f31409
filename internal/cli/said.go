package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// large is the length of a message, in bytes, from which on it is worth the time
// to let go of what was read before it is decoded.
const large = 64 << 20

// said writes one message: of entry i, or of none when i is -1. It returns about
// how many tokens the model sees of it.
func (v *view) said(ctx context.Context, raw jsontext.Value, i int, note string) (tokens int) {
	if len(raw) >= large {
		runtime.GC()
	}
	m, err := message.Decode(raw)
	if err == nil {
		tokens = message.Estimate(m)
	}
	if v.full && i >= 0 {
		if whole := v.whole(ctx, raw, i); !bytes.Equal(whole, raw) {
			raw = whole
			m, err = message.Decode(raw)
		}
	}
	if err != nil {
		v.head("damaged", v.palette.Red, note, i, tokens)
		v.folded(string(raw), foldedOutput, v.palette.Dim)
		return tokens
	}
	p := v.palette
	switch m := m.(type) {
	case *message.User:
		v.head("user", both(p.Bold, p.Cyan), join(note, attributed(m.Attribution)), i, tokens)
		v.content(m.Content, 0)
	case *message.Assistant:
		if m.Model != v.model {
			v.model = m.Model
			note = join(note, m.Model)
		}
		v.head("assistant", both(p.Bold, p.Green), note, i, tokens)
		v.answer(m)
	case *message.ToolResult:
		v.result(m, i, tokens, note)
	case *message.System:
		v.head("system", p.Magenta, note, i, tokens)
		v.content(m.Content, foldedSystem)
	case *message.Developer:
		v.head("developer", p.Magenta, note, i, tokens)
		v.content(m.Content, foldedSystem)
	case *message.BashExecution:
		v.head("shell", p.Blue, join(note, ending(m.ExitCode, m.Cancelled)), i, tokens)
		v.ran("$ ", m.Command, m.Output)
	case *message.PythonExecution:
		v.head("python", p.Blue, join(note, ending(m.ExitCode, m.Cancelled)), i, tokens)
		v.ran("> ", m.Code, m.Output)
	case *message.Custom:
		v.head("extension", p.Magenta, join(note, m.CustomType), i, tokens)
		v.content(m.Content, 0)
	case *message.Hook:
		v.head("hook", p.Magenta, join(note, m.CustomType), i, tokens)
		v.content(m.Content, 0)
	case *message.FileMention:
		v.head("files", p.Blue, note, i, tokens)
		for _, f := range m.Files {
			v.text("@"+f.Path+"  "+sizeOf(f), nil)
			if v.full {
				v.text(f.Content, p.Dim)
			}
		}
	case *message.BranchSummary:
		v.head("summary of a left branch", p.Magenta, note, i, tokens)
		v.text(m.Summary, nil)
	case *message.CompactionSummary:
		v.head("summary of what came before", p.Magenta, note, i, tokens)
		v.text(m.Summary, nil)
	default:
		v.head(term.Line(first(m.Role(), "message without a role")), p.Magenta, note, i, tokens)
		v.folded(string(raw), foldedOutput, p.Dim)
	}
	return tokens
}

// answer writes what a model said and asked for.
func (v *view) answer(m *message.Assistant) {
	p := v.palette
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.TextBlock:
			v.text(b.Text, nil)
		case *message.Thinking:
			switch {
			case b.Redacted || strings.TrimSpace(b.Thinking) == "":
				v.text("(reasoning that is not shown)", p.Dim)
			default:
				v.folded(b.Thinking, foldedThinking, both(p.Dim, p.Italic))
			}
		case *message.ToolCall:
			v.call(b.Name, b.Arguments)
		default:
			v.block(b)
		}
	}
	switch {
	case m.ErrorMessage != "":
		v.text("error: "+m.ErrorMessage, p.Red)
	case m.StopReason == message.Aborted, m.StopReason == message.Length, m.StopReason == message.Error:
		v.text("("+string(m.StopReason)+")", p.Red)
	}
}

// call writes the call of a tool: on one line, or with all arguments.
func (v *view) call(name string, arguments jsontext.Value) {
	p := v.palette
	name = term.Line(name)
	if v.full {
		v.text("→ "+name, p.Yellow)
		for key, value := range jsonedit.Members(arguments) {
			text, ok := jsonedit.String(value)
			if !ok {
				text = string(value)
			}
			v.text("    "+key+": "+strings.ReplaceAll(text, "\n", "\n    "), p.Dim)
		}
		return
	}
	var args []string
	for key, value := range jsonedit.Members(arguments) {
		text, ok := jsonedit.String(value)
		if !ok {
			text = string(value)
		}
		args = append(args, key+"="+strconv.Quote(firstLines(text, 1, 4*v.cols)))
	}
	room := v.cols - len(indent)
	left := term.Cut("→ "+name, room)
	rest := ""
	if free := room - term.Width(left) - 2; len(args) > 0 && free > 8 {
		rest = "  " + term.Cut(term.Line(strings.Join(args, " ")), free)
	}
	v.println(indent + p.Yellow(left) + p.Dim(rest))
}

// result writes what a tool answered.
func (v *view) result(m *message.ToolResult, i, tokens int, note string) {
	style, who := v.palette.Yellow, "result"
	if m.IsError {
		style, who = v.palette.Red, "result: error"
	}
	if m.PrunedAt != 0 {
		note = join(note, "pruned")
	}
	v.head(who, style, join(note, m.ToolName), i, tokens)
	v.content(m.Content, foldedOutput)
}

// ran writes a command that the person ran, and its output.
func (v *view) ran(prompt, command, output string) {
	v.text(prompt+strings.ReplaceAll(command, "\n", "\n"+strings.Repeat(" ", len(prompt))), v.palette.Bold)
	if strings.TrimSpace(output) != "" {
		v.folded(output, foldedOutput, v.palette.Dim)
	}
}

// content writes text and pictures; of each text at most fold lines, unless fold
// is 0.
func (v *view) content(c message.Content, fold int) {
	text := func(s string) {
		if fold > 0 {
			v.folded(s, fold, v.palette.Dim)
			return
		}
		v.text(s, nil)
	}
	if c.IsText {
		text(c.Text)
		return
	}
	for _, b := range c.Blocks {
		if t, ok := b.(*message.TextBlock); ok {
			text(t.Text)
			continue
		}
		v.block(b)
	}
}

// block writes a block that is no text.
func (v *view) block(b message.Block) {
	switch b := b.(type) {
	case *message.Image:
		v.text(v.picture(b), v.palette.Dim)
	case *message.RedactedThinking:
		v.text("(reasoning that the provider encrypted)", v.palette.Dim)
	case *message.Fallback:
		v.text("(another model took over)", v.palette.Dim)
	default:
		v.folded(first(b.Type(), "block")+" "+string(message.EncodeBlock(b)), 1, v.palette.Dim)
	}
}

// picture describes an image: its type and size and, in full, where it is.
func (v *view) picture(b *message.Image) string {
	kind := first(b.MimeType, "image")
	if dialect.IsRef(b.Data) {
		return "[" + kind + ", missing from the blob store: " + b.Data + "]"
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return fmt.Sprintf("[%s, %s of text that is not base64]", kind, term.Bytes(int64(len(b.Data))))
	}
	text := fmt.Sprintf("[%s, %s]", kind, term.Bytes(int64(len(data))))
	if v.full && v.blobs != nil {
		file := filepath.Join(v.blobs.Path(), blob.RefOf(data).Hash())
		if v.a.lib.Env.Exists(file) {
			text += " " + file
		}
	}
	return text
}

// whole puts back into a message what was cut for its length when it was stored.
func (v *view) whole(ctx context.Context, raw jsontext.Value, i int) jsontext.Value {
	line, err := v.s.Stored(i)
	if err != nil || v.blobs == nil {
		return raw
	}
	for _, c := range dialect.Cuts(line) {
		ref, ok := blob.ParseRef(c.Ref)
		if !ok {
			continue
		}
		text, err := v.blobs.Read(ctx, ref)
		if err != nil {
			v.a.note(v.s.Path(), fmt.Sprintf("read the whole text of line %d: %v", v.list.At(i).Line, err))
			continue
		}
		path := c.Path
		if len(path) > 0 && path[0] == "message" {
			path = path[1:]
		}
		raw = replaceAt(raw, path, jsonedit.Quoted(string(text)))
	}
	return raw
}

// replaceAt returns v with another value where path leads, v where it leads
// nowhere.
func replaceAt(v jsontext.Value, path []string, value jsontext.Value) jsontext.Value {
	if len(path) == 0 {
		return value
	}
	if jsonedit.Kind(v) == jsontext.KindBeginObject {
		if member, ok := jsonedit.Get(v, path[0]); ok {
			return jsonedit.Set(v, path[0], replaceAt(member, path[1:], value))
		}
		return v
	}
	at, err := strconv.Atoi(path[0])
	if err != nil || jsonedit.Kind(v) != jsontext.KindBeginArray {
		return v
	}
	var out jsonedit.Array
	n := 0
	for e := range jsonedit.Elements(v) {
		if n == at {
			e = replaceAt(e, path[1:], value)
		}
		out.Add(e)
		n++
	}
	return out.Value()
}

// ending says how a command ended, "" when well.
func ending(code *int64, cancelled bool) string {
	switch {
	case cancelled:
		return "cancelled"
	case code != nil && *code != 0:
		return fmt.Sprintf("exit %d", *code)
	}
	return ""
}

func sizeOf(f *message.File) string {
	switch {
	case f.SkippedReason != "":
		return "(" + f.SkippedReason + ")"
	case f.Image != nil:
		return "(picture)"
	case f.LineCount > 0:
		return "(" + plural(int(f.LineCount), "line") + ")"
	}
	return ""
}

func attributed(who string) string {
	if who == "agent" {
		return "by the agent"
	}
	return ""
}

// both applies two styles.
func both(a, b func(string) string) func(string) string {
	return func(s string) string { return a(b(s)) }
}

// join returns the parts that are not empty, with commas.
func join(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// first returns the first string that is not empty.
func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
