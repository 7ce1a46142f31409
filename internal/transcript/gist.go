package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/spelling"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// A Gist is what an entry says, on one line: in a sentence ([Gist.String]), or in
// two columns ([Gist.Row]).
type Gist struct {
	kind entry.Kind
	line entry.JSON      // of an entry that is no message
	m    message.Message // nil for one that is damaged, and where there is none
	err  error           // why the entry cannot be read
}

// GistOf returns the gist of an entry as it is stored.
func GistOf(kind entry.Kind, line entry.JSON) Gist {
	if kind == entry.Message {
		return MessageGist(member(line, "message"))
	}
	return Gist{kind: kind, line: line}
}

// GistAt returns the gist of entry i of a list.
func GistAt(list *entry.List, i int) Gist {
	line, err := list.Load(i)
	if err != nil {
		return Gist{err: err}
	}
	return GistOf(list.Kind(i), line)
}

// MessageGist returns the gist of a message as it is stored.
func MessageGist(raw entry.JSON) Gist {
	m, err := message.Decode(raw)
	if err != nil {
		m = nil
	}
	return Gist{kind: entry.Message, m: m}
}

// String says what the entry is and says.
func (g Gist) String() string {
	switch {
	case g.err != nil:
		return "unreadable: " + g.err.Error()
	case g.kind != entry.Message:
		return change(g.kind, g.line)
	}
	switch m := g.m.(type) {
	case *message.Assistant:
		return "assistant " + answer(m)
	case *message.ToolResult:
		return "result of " + cmp.Or(m.ToolName, "a tool") + " " + OneLine(message.Text(m))
	case *message.FileMention:
		return message.Role(m) + " " + OneLine(message.Text(m))
	}
	who, text, _ := g.Row()
	return who + " " + text
}

// answer says what a model said or, if that is nothing, what it did.
func answer(m *message.Assistant) string {
	text := OneLine(message.Text(m))
	if calls := message.ToolCalls(m); len(calls) > 0 && text == "" {
		var names []string
		for _, c := range calls {
			names = append(names, c.Name)
		}
		return "→ " + strings.Join(names, ", ")
	}
	if text == "" {
		return cmp.Or(OneLine(m.ErrorMessage), "(nothing said)")
	}
	return text
}

// Row says who says what, and whether it failed or cannot be read.
func (g Gist) Row() (who, text string, bad bool) {
	switch {
	case g.err != nil:
		return "", g.String(), true
	case g.kind == entry.Compaction:
		who = "compaction"
		if n, ok := jsonedit.Int(member(g.line, "tokensBefore")); ok && n > 0 {
			who += " of " + Count(int(n)) + " tokens"
		}
		return who, OneLine(textOf(g.line, "summary")), false
	case g.kind == entry.BranchSummary:
		return "left branch", OneLine(textOf(g.line, "summary")), false
	case g.kind != entry.Message:
		who, text, _ = strings.Cut(change(g.kind, g.line), " ")
		return who, text, false
	case g.m == nil:
		return "damaged", "message", true
	}
	text = OneLine(message.Text(g.m))
	switch m := g.m.(type) {
	case *message.Assistant:
		return answerRow(m, text)
	case *message.ToolResult:
		return cmp.Or(m.ToolName, "tool"), text, m.IsError
	case *message.BashExecution:
		return "shell", OneLine(m.Command), Ending(m.ExitCode, m.Cancelled) != ""
	case *message.PythonExecution:
		return "python", OneLine(m.Code), Ending(m.ExitCode, m.Cancelled) != ""
	case *message.FileMention:
		return "files", text, false
	case *message.Custom:
		return m.CustomType, text, false
	case *message.Hook:
		return m.CustomType, text, false
	}
	return message.Role(g.m), text, false
}

// answerRow says what a model said, and all that it called.
func answerRow(m *message.Assistant, text string) (who, row string, bad bool) {
	for _, c := range message.ToolCalls(m) {
		text = strings.TrimSpace(text + " → " + c.Name + " " + argument(c.Arguments))
	}
	if m.ErrorMessage != "" {
		return "assistant", strings.TrimSpace(text + " " + OneLine(m.ErrorMessage)), true
	}
	if m.StopReason == message.Aborted {
		text = strings.TrimSpace(text + " (aborted)")
	}
	return "assistant", cmp.Or(text, "(nothing said)"), false
}

// argument returns the first text among the arguments of a call, on one line.
func argument(arguments entry.JSON) string {
	for _, value := range jsonedit.Members(arguments) {
		if text, ok := jsonedit.String(value); ok && text != "" {
			return OneLine(FirstLines(text, 1, 120))
		}
	}
	return ""
}

// change says what an entry changes that is no message.
func change(kind entry.Kind, line entry.JSON) string {
	text := func(keys ...string) string {
		v, _ := jsonedit.Path(line, keys...)
		if s, ok := jsonedit.String(v); ok {
			return s
		}
		return string(v)
	}
	switch kind {
	case entry.CustomMessage:
		return text("customType") + " " + OneLine(ContentText(member(line, "content")))
	case entry.BranchSummary:
		return "summary of a left branch: " + OneLine(text("summary"))
	case entry.Compaction:
		return "compaction: " + OneLine(text("summary"))
	case entry.ModelChange:
		if p := text("provider"); p != "" {
			return "model " + p + "/" + text("modelId")
		}
		return strings.TrimSpace("model " + text("model") + " " + text("role"))
	case entry.ThinkingLevelChange:
		return "thinking " + cmp.Or(text("thinkingLevel"), "off")
	case entry.ServiceTierChange:
		return "service tier " + text("serviceTier")
	case entry.ModeChange:
		return "mode " + text("mode")
	case entry.Label:
		if l := text("label"); l != "" {
			return fmt.Sprintf("label %q on %s", OneLine(l), text("targetId"))
		}
		return "label of " + text("targetId") + " taken away"
	case entry.SessionInfo:
		return fmt.Sprintf("named %q", OneLine(text("name")))
	case entry.TitleChange:
		return fmt.Sprintf("named %q", OneLine(text("title")))
	case entry.ContextEdit:
		return "edit of " + text("targetId")
	case entry.ResetBoundary:
		return "reset: the model sees nothing above"
	case entry.SessionInit:
		return "started as a subagent: " + OneLine(text("task"))
	case entry.TTSRInjection:
		return "rules injected " + text("injectedRules")
	case entry.MCPToolSelection:
		return "tools selected " + text("selectedToolNames")
	case entry.Custom:
		switch kind := text("customType"); kind {
		case spelling.EditType:
			return "edit of " + text("data", "targetId")
		case spelling.LeafType:
			return "went on from here, left " + text("data", "from")
		default:
			return "state of " + kind
		}
	}
	return cmp.Or(text("type"), "entry")
}
