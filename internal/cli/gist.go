package cli

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// gistBytes is how much of a text is looked at for one line of it.
const gistBytes = 600

// gist says on one line what entry i is and says.
func (v *view) gist(i int) string {
	line, err := v.list.Load(i)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return term.Line(gist(v.list.Kind(i), line))
}

// gist says on one line what an entry says; the text is not safe yet.
func gist(kind entry.Kind, line jsontext.Value) string {
	text := func(keys ...string) string {
		v, _ := jsonedit.Path(line, keys...)
		if s, ok := jsonedit.String(v); ok {
			return s
		}
		return string(v)
	}
	switch kind {
	case entry.Message:
		raw, _ := jsonedit.Get(line, "message")
		return messageGist(raw)
	case entry.CustomMessage:
		content, _ := jsonedit.Get(line, "content")
		return text("customType") + " " + oneLine(work.ContentText(content))
	case entry.BranchSummary:
		return "summary of a left branch: " + oneLine(text("summary"))
	case entry.Compaction:
		return "compaction: " + oneLine(text("summary"))
	case entry.ModelChange:
		if p := text("provider"); p != "" {
			return "model " + p + "/" + text("modelId")
		}
		return strings.TrimSpace("model " + text("model") + " " + text("role"))
	case entry.ThinkingLevelChange:
		return "thinking " + first(text("thinkingLevel"), "off")
	case entry.ServiceTierChange:
		return "service tier " + text("serviceTier")
	case entry.ModeChange:
		return "mode " + text("mode")
	case entry.Label:
		if l := text("label"); l != "" {
			return fmt.Sprintf("label %q on %s", oneLine(l), text("targetId"))
		}
		return "label of " + text("targetId") + " taken away"
	case entry.SessionInfo:
		return fmt.Sprintf("named %q", oneLine(text("name")))
	case entry.TitleChange:
		return fmt.Sprintf("named %q", oneLine(text("title")))
	case entry.ContextEdit:
		return "edit of " + text("targetId")
	case entry.ResetBoundary:
		return "reset: the model sees nothing above"
	case entry.SessionInit:
		return "started as a subagent: " + oneLine(text("task"))
	case entry.TTSRInjection:
		return "rules injected " + text("injectedRules")
	case entry.MCPToolSelection:
		return "tools selected " + text("selectedToolNames")
	case entry.Custom:
		switch kind := text("customType"); kind {
		case dialect.EditType:
			return "edit of " + text("data", "targetId")
		case dialect.LeafType:
			return "went on from here, left " + text("data", "from")
		default:
			return "state of " + kind
		}
	}
	return first(text("type"), "entry")
}

// messageGist says on one line who said what.
func messageGist(raw jsontext.Value) string {
	m, err := message.Decode(raw)
	if err != nil {
		return "damaged message"
	}
	text := oneLine(message.Text(m))
	if calls := message.ToolCalls(m); len(calls) > 0 && text == "" {
		var names []string
		for _, c := range calls {
			names = append(names, c.Name)
		}
		text = "→ " + strings.Join(names, ", ")
	}
	switch m := m.(type) {
	case *message.ToolResult:
		return "result of " + first(m.ToolName, "a tool") + " " + text
	case *message.BashExecution:
		return "shell " + oneLine(m.Command)
	case *message.PythonExecution:
		return "python " + oneLine(m.Code)
	case *message.Custom:
		return m.CustomType + " " + text
	case *message.Hook:
		return m.CustomType + " " + text
	case *message.Assistant:
		if text == "" {
			text = first(oneLine(m.ErrorMessage), "(nothing said)")
		}
	}
	return m.Role() + " " + text
}

// oneLine returns the beginning of a text with each run of blanks as one.
func oneLine(s string) string {
	return strings.Join(strings.Fields(firstLines(s, 8, gistBytes)), " ")
}

// entryID returns the id of the entry that a person means by arg: an id, the
// beginning of one (at least 4 characters), or a label.
func entryID(s *session.Session, arg string) (entry.ID, error) {
	id, err := work.EntryID(s, arg)
	return id, told(err)
}

// manyEntries says which entries there are to choose from.
func manyEntries(e *work.ManyEntries) problem {
	p := problem{exit: exitAmbiguous, path: e.Path, text: e.Error(), err: e, todo: "give the whole id"}
	for _, c := range e.First {
		p.candidates = append(p.candidates, c.ID)
		p.hints = append(p.hints, c.ID+"  "+shortGist(c.Kind, c.Line))
	}
	return p
}

// shortGist says on one line what an entry says, "" for one that cannot be read.
func shortGist(kind entry.Kind, line jsontext.Value) string {
	if line == nil {
		return ""
	}
	return term.Cut(term.Line(gist(kind, line)), 60)
}

// gistOf says on one line what the entry with that id says.
func gistOf(s *session.Session, id entry.ID) string {
	i := s.List().Find(id)
	if i < 0 {
		return ""
	}
	line, err := s.List().Load(i)
	if err != nil {
		return ""
	}
	return shortGist(s.List().Kind(i), line)
}
