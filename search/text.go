package search

import (
	"bytes"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/go-json-experiment/json/jsontext"
)

// A speech is what one entry says: its searchable text and what a filter asks.
type speech struct {
	// text holds the pieces of the entry, each ended by a newline. It is valid
	// until the next read.
	text []byte
	// role is who says it, as a message's role is spelled; for what is no
	// message, the role that it has towards the model, else its kind.
	role string
	// tools are the names of the tools that were called or answered.
	tools []string
	// model is "provider/id" of an answer, or of a choice of model.
	model string
}

// read takes the entry apart. Every text that a person or a model wrote or saw
// is in it: what was said and thought, calls with their arguments, results,
// commands and their output, summaries, names and labels; of extensions' data
// and of unknown kinds every string. Pictures and what a provider signed or
// encrypted are left out.
func (s *speech) read(raw entry.JSON, kind entry.Kind) {
	s.text, s.tools, s.model = s.text[:0], s.tools[:0], ""
	s.role = kind.String()
	switch kind {
	case entry.Message:
		m, _ := jsonedit.Get(raw, "message")
		s.message(m)
	case entry.Compaction:
		s.role = entry.RoleCompactionSummary.String()
		s.members(raw, "summary", "shortSummary", "warning")
	case entry.BranchSummary:
		s.role = entry.RoleBranchSummary.String()
		s.members(raw, "summary")
	case entry.CustomMessage:
		s.role = entry.RoleCustom.String()
		s.members(raw, "customType")
		s.content(raw)
	case entry.Custom:
		s.members(raw, "customType")
		data, _ := jsonedit.Get(raw, "data")
		s.strings(data)
	case entry.Label:
		s.members(raw, "label")
	case entry.SessionInfo:
		s.role = titleRole
		s.members(raw, "name")
	case entry.TitleChange:
		s.role = titleRole
		s.members(raw, "title")
	case entry.SessionInit:
		s.role = entry.RoleSystem.String()
		s.members(raw, "task", "systemPrompt", "agent")
	case entry.Usage:
		s.members(raw, "note")
	case entry.ContextEdit:
		replacement, _ := jsonedit.Get(raw, "replacement")
		s.content(replacement)
	case entry.ModelUsage:
		s.members(raw, "purpose", "errorMessage")
		s.answered(raw)
	case entry.ModelChange:
		if model, ok := jsonedit.Text(raw, "model"); ok {
			s.model = model
		} else if id, ok := jsonedit.Text(raw, "modelId"); ok {
			provider, _ := jsonedit.Text(raw, "provider")
			s.model = provider + "/" + id
		}
	case entry.TTSRInjection:
		rules, _ := jsonedit.Get(raw, "injectedRules")
		s.strings(rules)
	case entry.Unknown:
		s.unknown(raw)
	}
}

// titleRole is the role of names of a session.
const titleRole = "title"

// message reads a message of any role.
func (s *speech) message(m entry.JSON) {
	name, _ := jsonedit.Text(m, "role")
	s.role = name
	switch entry.RoleOf(name) {
	case entry.RoleAssistant:
		s.content(m)
		s.members(m, "errorMessage")
		s.answered(m)
	case entry.RoleToolResult:
		s.tool(m, "toolName")
		s.content(m)
	case entry.RoleBash:
		s.members(m, "command", "output")
	case entry.RolePython:
		s.members(m, "code", "output")
	case entry.RoleFileMention:
		files, _ := jsonedit.Get(m, "files")
		for file := range jsonedit.Elements(files) {
			s.members(file, "path", "content")
		}
	case entry.RoleBranchSummary, entry.RoleCompactionSummary:
		s.members(m, "summary")
		s.content(m)
	case entry.RoleSystem:
		s.content(m)
		sections, _ := jsonedit.Get(m, "sections")
		s.strings(sections)
	case entry.RoleCustom, entry.RoleHook:
		s.members(m, "customType")
		s.content(m)
	case entry.RoleUser, entry.RoleDeveloper:
		s.content(m)
	default:
		s.unknown(m)
	}
}

// answered notes which model answered.
func (s *speech) answered(m entry.JSON) {
	id, _ := jsonedit.Text(m, "model")
	provider, _ := jsonedit.Text(m, "provider")
	if id != "" || provider != "" {
		s.model = provider + "/" + id
	}
}

// tool notes the tool that a member names.
func (s *speech) tool(obj entry.JSON, key string) {
	if name, ok := jsonedit.Text(obj, key); ok && name != "" {
		s.tools = append(s.tools, name)
	}
}

// content reads the member content: a string, or blocks.
func (s *speech) content(obj entry.JSON) {
	content, ok := jsonedit.Get(obj, "content")
	if !ok || s.add(content) {
		return
	}
	for block := range jsonedit.Elements(content) {
		s.block(block)
	}
}

func (s *speech) block(block entry.JSON) {
	kind, _ := jsonedit.Text(block, "type")
	switch kind {
	case "text":
		s.members(block, "text")
	case "thinking":
		s.members(block, "thinking")
	case "toolCall":
		s.tool(block, "name")
		s.members(block, "name", "intent")
		arguments, _ := jsonedit.Get(block, "arguments")
		s.strings(arguments)
	case "anthropicServerTool":
		served, _ := jsonedit.Get(block, "block")
		s.tool(served, "name")
		s.strings(served)
	case "image", "redactedThinking", "fallback":
	default:
		s.unknown(block)
	}
}

// members adds the members of obj that are strings, in the order of keys.
func (s *speech) members(obj entry.JSON, keys ...string) {
	for _, key := range keys {
		if v, ok := jsonedit.Get(obj, key); ok {
			s.add(v)
		}
	}
}

// add adds a string, and reports whether v is one.
func (s *speech) add(v entry.JSON) bool {
	if len(v) < 2 || v[0] != '"' {
		return false
	}
	if len(v) > 2 {
		s.text = append(jsonl.Unquote(s.text, v), '\n')
	}
	return true
}

// envelope are the members of an entry that say nothing.
func envelope(key string) bool {
	switch key {
	case "type", "id", "parentId", "timestamp", "role", "toolCallId", "targetId":
		return true
	}
	return false
}

// unknown adds every string of an object that nobody here knows.
func (s *speech) unknown(obj entry.JSON) {
	for key, v := range jsonedit.Members(obj) {
		if !envelope(key) {
			s.named(key, v)
		}
	}
}

// named adds every string below a member, unless it is data for machines.
func (s *speech) named(key string, v entry.JSON) {
	switch key {
	case "data", "signature", "textSignature", "thinkingSignature", "thoughtSignature", "encrypted_content":
		if len(v) > 0 && v[0] == '"' {
			return
		}
	}
	s.strings(v)
}

// strings adds every string in v, at any depth, after the name that it has.
func (s *speech) strings(v entry.JSON) {
	if len(v) == 0 {
		return
	}
	if s.plain(v) {
		return
	}
	jsonedit.Walk(v, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		switch jsonedit.Kind(v) {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if kind, _ := at.Text("type"); kind == "image" {
				return nil, jsonedit.Keep
			}
			return nil, jsonedit.Into
		case jsontext.KindNull:
			return nil, jsonedit.Keep
		}
		if isData(v) {
			return nil, jsonedit.Keep
		}
		if at.Key != "" {
			s.text = append(append(s.text, at.Key...), ": "...)
		}
		if !s.add(v) {
			s.text = append(append(s.text, v...), '\n')
		}
		return nil, jsonedit.Keep
	}})
}

// plain adds v if it is a string of its own.
func (s *speech) plain(v entry.JSON) bool {
	return isData(v) || s.add(v)
}

// minBinary is how long a string must be, in bytes, to be taken for data.
const minBinary = 1024

// isData reports whether a string is data in base64, a picture most likely: long
// and without anything that text has.
func isData(v entry.JSON) bool {
	if len(v) < minBinary || v[0] != '"' {
		return false
	}
	body := v[1 : len(v)-1]
	if at := bytes.Index(body[:64], []byte(";base64,")); at >= 0 {
		body = body[at+len(";base64,"):]
	}
	for _, c := range body {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/', c == '=', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
