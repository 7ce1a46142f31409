package conversion

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// message translates what was said.
func (t *translation) message() {
	m := t.get("message")
	if jsonedit.Kind(m) != jsontext.KindBeginObject {
		return
	}
	out := t.content(m)
	role, _ := jsonedit.Text(out, "role")
	switch role {
	case message.RoleAssistant:
		out = t.answer(out)
	case message.RoleBashExecution:
		t.executed(out)
	}
	out = t.role(out, role)
	t.set("message", out)
}

// content gives a message without content an empty one, where the target does
// not do so itself.
func (t *translation) content(m entry.JSON) entry.JSON {
	if content, _ := jsonedit.Get(m, "content"); content != nil && !jsonedit.IsNull(content) {
		return m
	}
	empty := entry.JSON("[]")
	switch role, _ := jsonedit.Text(m, "role"); role {
	case message.RoleSystem:
		empty = entry.JSON(`""`)
	case message.RoleUser, message.RoleAssistant, message.RoleToolResult:
	default:
		return m
	}
	switch {
	case t.from.Replay.FillContent == t.to.Replay.FillContent:
		return m
	case t.to.Replay.FillContent:
		t.note(Content, false)
		return m
	}
	t.note(Content, true)
	return jsonedit.Set(m, "content", empty)
}

// answer translates an assistant's message.
func (t *translation) answer(m entry.JSON) entry.JSON {
	// Pi itself writes it always, and ends at an answer without: those of other programs have no
	// costs.
	stranger := slices.Contains(spelling.Foreign, t.from.Name) && !slices.Contains(spelling.Foreign, t.to.Name)
	if t.to.FillUsage || stranger {
		if filled := spelling.FillUsage(m); string(filled) != string(m) {
			m = filled
			t.note(Filled, true)
		}
	}
	stop, _ := jsonedit.Text(m, "stopReason")
	if t.from.SplitModel && (stop == "pending" || stop == "deferred") {
		m = jsonedit.Set(m, "stopReason", jsonedit.Quoted("stop"))
		t.note(Stop, true)
	}
	content, _ := jsonedit.Get(m, "content")
	blocks := jsonedit.Walk(content, jsonedit.Visitor{Enter: func(at *jsonedit.Step, b []byte) ([]byte, jsonedit.Action) {
		if at.Depth == 0 {
			return nil, jsonedit.Into
		}
		return t.block(b), jsonedit.Keep
	}})
	if string(blocks) != string(content) {
		m = jsonedit.Set(m, "content", blocks)
		t.note(Block, true)
	}
	if (t.from.Replay.Prune == nil) != (t.to.Replay.Prune == nil) && (stop == "error" || stop == "aborted") {
		t.note(Pruned, false)
	}
	return m
}

// block translates reasoning that its provider hid: pi marks a thinking block,
// the others have a kind of block for it. nil stands for no change.
func (t *translation) block(b entry.JSON) entry.JSON {
	kind, _ := jsonedit.Text(b, "type")
	redacted, _ := jsonedit.Get(b, "redacted")
	is, _ := jsonedit.Bool(redacted)
	switch {
	case kind == message.TypeThinking && is && t.from.SplitModel:
		data, _ := jsonedit.Get(b, "thinkingSignature")
		if jsonedit.Kind(data) != jsontext.KindString {
			return nil
		}
		b = jsonedit.Set(b, "type", jsonedit.Quoted(message.TypeRedactedThinking))
		return jsonedit.Set(jsonedit.Delete(b, "thinkingSignature", "thinking", "redacted"), "data", data)
	case kind == message.TypeRedactedThinking && t.to.SplitModel:
		data, _ := jsonedit.Get(b, "data")
		if jsonedit.Kind(data) != jsontext.KindString {
			return nil
		}
		b = jsonedit.Set(jsonedit.Delete(b, "data"), "type", jsonedit.Quoted(message.TypeThinking))
		b = jsonedit.Set(b, "thinking", jsonedit.Quoted(""))
		return jsonedit.Set(jsonedit.Set(b, "thinkingSignature", data), "redacted", jsonedit.BoolValue(true))
	case kind == message.TypeFallback || kind == message.TypeServerTool:
		if !t.to.LLM.Blocks && t.from.LLM.Blocks {
			t.note(Field, false)
		}
	}
	return nil
}

// executed names a command whose notice or pictures the target does not know.
func (t *translation) executed(m entry.JSON) {
	has := func(key string) bool {
		v, ok := jsonedit.Get(m, key)
		return ok && !jsonedit.IsNull(v) && jsonedit.Len(v) != 0 || ok && jsonedit.Kind(v) != jsontext.KindBeginArray && !jsonedit.IsNull(v)
	}
	notice := t.from.LLM.Notice != t.to.LLM.Notice
	if notice && (t.from.LLM.Notice == spelling.NoticeMeta && has("meta") || t.from.LLM.Notice != spelling.NoticeMeta && has("fullOutputPath")) ||
		t.from.LLM.BashImages && !t.to.LLM.BashImages && has("images") {
		t.note(Field, false)
	}
}

// role gives a message that the target does not send a role that it does.
func (t *translation) role(m entry.JSON, role string) entry.JSON {
	drops, dropped := slices.Contains(t.to.LLM.Skip, role), slices.Contains(t.from.LLM.Skip, role)
	switch {
	case drops == dropped:
		return m
	case dropped:
		t.note(Shown, false)
		return m
	}
	spoken := t.said(m)
	if spoken == nil {
		return m // its own program does not send it either
	}
	t.note(Role, true)
	name := jsonedit.Quoted(role)
	switch role {
	case message.RoleHook:
		return jsonedit.Set(m, "role", jsonedit.Quoted(message.RoleCustom))
	case message.RoleSystem:
		return jsonedit.Set(m, "role", jsonedit.Quoted(message.RoleDeveloper))
	case message.RoleDeveloper:
		m = jsonedit.Set(m, "display", jsonedit.BoolValue(false))
	default:
		m = jsonedit.Set(jsonedit.Set(m, "content", spoken), "display", jsonedit.BoolValue(true))
	}
	m = jsonedit.Set(m, "role", jsonedit.Quoted(message.RoleCustom))
	return jsonedit.SetAfter(m, "role", "customType", name)
}

// said returns the content that its own program sends a model for a message, nil
// when it sends none.
func (t *translation) said(m entry.JSON) entry.JSON {
	one := func(yield func(entry.JSON, error) bool) { yield(m, nil) }
	var all jsonedit.Array
	for sent := range replay.Convert(one, t.from.LLM, nil) {
		content, _ := jsonedit.Get(sent, "content")
		if jsonedit.Kind(content) == jsontext.KindString {
			var text jsonedit.Object
			content = jsonedit.Compact(new(jsonedit.Array).Add(text.String("type", message.TypeText).Add("text", content).Value()).Value())
		}
		for b := range jsonedit.Elements(content) {
			all.Add(b)
		}
	}
	if all.Empty() {
		return nil
	}
	return all.Value()
}
