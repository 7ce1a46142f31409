package acp

import (
	"encoding/json" // what clients get of arguments; see methods.go
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/message"
	"github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what a client is told of one call.
const (
	maxText  = 256 << 10 // UTF-16 units of a text
	maxTitle = 120       // of a title
	maxOld   = 1 << 20   // bytes of a file that is to be replaced
	maxImage = 6 << 20   // bytes of a picture, as base64
)

// A shape is a call as a client shows it.
type shape struct {
	title   string
	kind    acp.ToolKind
	places  []acp.ToolCallLocation
	content []acp.ToolCallContent // differences
	input   any
}

// shapeOf gives a call of any of the agents a shape. With fresh set the call is
// yet to be run, so that what a file holds now is what it held before.
func shapeOf(dir, name string, args entry.JSON, fresh bool) shape {
	s := shape{kind: kindOf(name), input: whole(args)}
	path := text(args, "path", "file_path", "filePath", "file")
	full := path
	if path != "" && !filepath.IsAbs(path) {
		full = filepath.Join(dir, path)
	}
	if path != "" {
		s.places = []acp.ToolCallLocation{{Path: full}}
		if n, ok := number(args, "offset", "line"); ok && n > 0 {
			s.places[0].Line = &n
		}
	}
	switch s.kind {
	case acp.ToolKindExecute:
		s.title = text(args, "command", "code", "cmd")
	case acp.ToolKindEdit:
		if path != "" {
			s.content = differences(dir, full, args, fresh)
		}
	}
	if s.title == "" {
		s.title = strings.TrimSpace(name + " " + first(text(args, "pattern", "query", "url"), path))
	}
	if s.title = headline(s.title); s.title == "" {
		s.title = "tool"
	}
	return s
}

// headline is a text as a title: on one line, each character seen, and marked where
// it is cut. What a person is asked about has all of it in its content.
func headline(text string) string {
	text = consent.Visible(strings.TrimSpace(text), false)
	if cut := jsonedit.CutText(text, maxTitle); cut != text {
		return cut + "…"
	}
	return text
}

// question is what a person is asked about as the content of a request: all that
// the question shows, as a block of code, and what it changes of a file.
func question(a coder.Ask, x *shape) error {
	rows, err := a.Show(consent.Screen{})
	if err != nil {
		return err
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.Text
	}
	if a.Leads != "" {
		x.places = []acp.ToolCallLocation{{Path: a.Leads}}
		for _, c := range x.content {
			c.Diff.Path = a.Leads
		}
	}
	x.content = append([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock(fenced(strings.Join(lines, "\n"))))}, x.content...)
	return nil
}

// kindOf returns what kind of tool one is, by the names that the agents have.
func kindOf(name string) acp.ToolKind {
	switch strings.ToLower(name) {
	case "read", "view", "notebook_read":
		return acp.ToolKindRead
	case "grep", "find", "ls", "glob", "search", "ast_grep", "lsp":
		return acp.ToolKindSearch
	case "bash", "python", "shell", "eval", "ssh", "exec":
		return acp.ToolKindExecute
	case "edit", "write", "multiedit", "multi_edit", "notebook", "ast_edit", "patch", "apply_patch":
		return acp.ToolKindEdit
	case "fetch", "web_search", "webfetch", "websearch", "browser":
		return acp.ToolKindFetch
	case "todo", "todo_write", "think", "task", "ask":
		return acp.ToolKindThink
	}
	return acp.ToolKindOther
}

// differences are what an edit replaces, or what a file is written with.
func differences(dir, path string, args entry.JSON, fresh bool) []acp.ToolCallContent {
	if content, ok := texts(args, "content"); ok {
		if old, there := before(dir, path); fresh && there {
			return []acp.ToolCallContent{acp.ToolDiffContent(path, clip(content), old)}
		}
		return []acp.ToolCallContent{acp.ToolDiffContent(path, clip(content))}
	}
	var all []acp.ToolCallContent
	one := func(v entry.JSON) {
		from, ok := texts(v, "oldText", "old_text", "old_string", "oldString")
		to, also := texts(v, "newText", "new_text", "new_string", "newString")
		if ok && also {
			all = append(all, acp.ToolDiffContent(path, clip(to), clip(from)))
		}
	}
	list, _ := jsonedit.Get(args, "edits")
	if inner, ok := jsonedit.String(list); ok && jsontext.Value(inner).IsValid() { // some models write it so
		list = entry.JSON(inner)
	}
	if jsonedit.Kind(list) == '[' {
		for e := range jsonedit.Elements(list) {
			one(e)
		}
	}
	one(args)
	return all
}

// before returns what a file of the directory holds, if that is a text. No link is
// followed.
func before(dir, path string) (string, bool) {
	fsys := vfs.Under(vfs.OS(), dir)
	info, err := fsys.Stat(path)
	if err != nil || !info.Regular() || info.Size > maxOld {
		return "", false
	}
	data, err := vfs.ReadFile(fsys, path, maxOld)
	return string(data), err == nil && utf8.Valid(data)
}

// outcome is the content of a result: what a command put out as a block of code.
func (h *held) outcome(kind acp.ToolKind, content []message.Block) []acp.ToolCallContent {
	var all []acp.ToolCallContent
	for _, b := range content {
		switch b := b.(type) {
		case *message.TextBlock:
			if b.Text == "" {
				continue
			}
			t := clip(b.Text)
			if kind == acp.ToolKindExecute {
				t = fenced(t)
			}
			all = append(all, acp.ToolContent(acp.TextBlock(t)))
		case *message.Image:
			all = append(all, acp.ToolContent(h.picture(b)))
		}
	}
	return all
}

// fenced is a text as a block of code in markdown.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "console\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// clip is a text that is not too long to be told.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return jsonedit.CutText(text, maxText) + "\n(cut here; the session has all of it)"
}

// rawJSON is a value for a client, nil for none and for one that is too long.
func rawJSON(v entry.JSON) any {
	if len(v) > maxText {
		return nil
	}
	return whole(v)
}

// whole is a value for a client, however long it is; nil for none.
func whole(v entry.JSON) any {
	if len(v) == 0 || !json.Valid(v) {
		return nil
	}
	return json.RawMessage(v)
}

// texts returns the first of some members that is a string.
func texts(v entry.JSON, keys ...string) (string, bool) {
	for _, key := range keys {
		if t, ok := jsonedit.Text(v, key); ok {
			return t, true
		}
	}
	return "", false
}

// text is texts with "" for none.
func text(v entry.JSON, keys ...string) string {
	t, _ := texts(v, keys...)
	return t
}

func number(v entry.JSON, keys ...string) (int, bool) {
	for _, key := range keys {
		if x, ok := jsonedit.Get(v, key); ok {
			if n, ok := jsonedit.Int(x); ok && n < 1<<31 {
				return int(n), true
			}
		}
	}
	return 0, false
}

// first is the first of some texts that is not empty.
func first(all ...string) string {
	for _, t := range all {
		if t != "" {
			return t
		}
	}
	return ""
}
