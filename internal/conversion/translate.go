package conversion

import (
	"slices"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// A translation is one line on its way from the dialect that wrote it.
type translation struct {
	c        *Conversion
	i        int
	from, to spelling.Dialect
	line     entry.JSON
	opened   bool // images were put into the line
}

// note adds the entry to the report.
func (t *translation) note(reason convert.Reason, changed bool) { t.c.note(t.i, reason, changed) }

func (t *translation) get(key string) entry.JSON {
	v, _ := jsonedit.Get(t.line, key)
	return v
}

func (t *translation) text(key string) string {
	s, _ := jsonedit.Text(t.line, key)
	return s
}

func (t *translation) set(key string, v entry.JSON) { t.line = jsonedit.Set(t.line, key, v) }

func (t *translation) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		v := t.get(key)
		return v != nil && !jsonedit.IsNull(v)
	})
}

// translate spells the line as the target does.
func (t *translation) translate() {
	was := t.line
	t.open()
	kind := entry.KindOf(t.text("type"))
	if !t.inert(kind) {
		t.entry(kind)
	}
	t.shut(was)
}

// inert sets an entry aside that means nothing to its own program and would mean
// something to the target.
func (t *translation) inert(kind entry.Kind) bool {
	means := func(d spelling.Dialect) bool {
		switch kind {
		case entry.SessionInfo:
			return d.NameByEntry
		case entry.ModelChange:
			return d.SplitModel && t.has("provider") || !d.SplitModel && t.has("model")
		case entry.Custom:
			name := t.text("customType")
			edit := d.Replay.EditType != "" && name == d.Replay.EditType
			return edit || d.Replay.NotesType != "" && name == d.Replay.NotesType
		}
		return d.Replay.Acts.Has(kind)
	}
	if kind == entry.Unknown || means(t.from) || !means(t.to) {
		return false
	}
	t.aside()
	t.note(Inert, true)
	return true
}

// aside makes the entry one that no program takes for anything.
func (t *translation) aside() {
	kind := jsonedit.Quoted(t.text("type"))
	var data jsonedit.Object
	data.Add("type", kind)
	if v := t.get("customType"); v != nil {
		data.Add("customType", v)
	}
	if v := t.get("data"); v != nil {
		data.Add("data", v)
	}
	t.set("type", jsonedit.Quoted(entry.Custom.String()))
	t.set("customType", jsonedit.Quoted(Aside))
	t.set("data", data.Value())
}

func (t *translation) entry(kind entry.Kind) {
	switch kind {
	case entry.Message:
		t.message()
	case entry.ModelChange:
		t.model()
	case entry.ThinkingLevelChange:
		t.thinking()
	case entry.ServiceTierChange:
		t.tier()
	case entry.Compaction:
		t.compaction()
	case entry.BranchSummary:
		t.flag()
		t.fromID()
	case entry.CustomMessage:
		t.customMessage()
	case entry.Custom:
		t.custom()
	case entry.ContextEdit:
		t.contextEdit()
	case entry.SessionInfo, entry.TitleChange:
		t.title(kind)
	case entry.Usage, entry.ModelUsage:
		t.usage(kind)
	case entry.ResetBoundary:
		t.reset()
	case entry.TTSRInjection, entry.SessionInit, entry.ModeChange, entry.MCPToolSelection, entry.CredentialPin:
		t.meaning(kind)
	}
}

// knows reports whether a program gives a kind meaning beside the context.
func knows(d spelling.Dialect, kind entry.Kind) bool {
	switch kind {
	case entry.SessionInit:
		return !d.SplitModel
	case entry.CredentialPin:
		return d.Configured
	}
	return d.Replay.Acts.Has(kind)
}

// meaning names an entry that means nothing to the target.
func (t *translation) meaning(kind entry.Kind) {
	if knows(t.from, kind) && !knows(t.to, kind) {
		t.note(Kind, false)
	}
}

// flag renames the mark of what an extension made.
func (t *translation) flag() {
	if t.from.FromHook == t.to.FromHook {
		return
	}
	from, to := "fromExtension", "fromHook"
	if t.from.FromHook {
		from, to = to, from
	}
	v := t.get(from)
	if v == nil {
		return
	}
	t.line = jsonedit.Delete(t.line, from)
	t.set(to, v)
	t.note(Flag, true)
}

// fromID is what a branch_summary names: the leaf that was left, which was the
// entry before it, or its target (D11).
func (t *translation) fromID() {
	if t.from.FromLeaf == t.to.FromLeaf {
		return
	}
	list := t.c.src.List
	target, ok := list.ParentID(t.i)
	if !ok {
		target = "root"
	}
	id := target
	if t.to.FromLeaf {
		if t.text("fromId") != target {
			return // it names something else already
		}
		id = "root"
		if t.i > 0 {
			id, _ = list.ID(t.i - 1)
		}
	}
	if id == "" || t.text("fromId") == id {
		return
	}
	t.set("fromId", jsonedit.Quoted(id))
	t.note(From, true)
}

// compaction names what the target makes less of.
func (t *translation) compaction() {
	t.flag()
	a, b := t.from.Replay.Compaction, t.to.Replay.Compaction
	if t.has("systemMessage") && a.SystemMessage != b.SystemMessage {
		if b.SystemMessage {
			t.line = jsonedit.Delete(t.line, "systemMessage")
			t.note(Inert, true)
		} else {
			t.note(System, false)
		}
	}
	if a.ShortSummary != b.ShortSummary && t.has("shortSummary") ||
		a.Outcome != b.Outcome && t.has("tokensAfter", "method", "warning") {
		t.note(Field, false)
	}
	kept := t.get("preserveData")
	holds := func(key string) bool { v, ok := jsonedit.Get(kept, key); return ok && !jsonedit.IsNull(v) }
	remote := (a.RemoteHistory != b.RemoteHistory || a.RemoteObjects != b.RemoteObjects) && holds("openaiRemoteCompaction")
	server := a.ServerSummary != b.ServerSummary && holds("anthropicCompaction")
	tail := a.ServerTail && !b.ServerTail && holds("anthropicCompaction") && t.keepTail()
	archive := a.Archive != b.Archive && holds("snapcompact")
	kind, _ := jsonedit.Path(t.get("details"), "kind")
	name, _ := jsonedit.String(kind)
	rollover := a.Rollover != b.Rollover && name != "" && (name == a.Rollover || name == b.Rollover)
	if remote || server || archive || rollover {
		t.note(Preserved, tail)
	}
}

// keepTail names the first entry that a compaction keeps by what comes before it, and
// reports whether there is one.
func (t *translation) keepTail() bool {
	through, after := replay.Keeps(t.line)
	if !after {
		return false
	}
	list := t.c.src.List
	for i := t.i; i >= 0; {
		parent, ok := list.ParentID(i)
		if id, named := list.ID(i); ok && named && parent == through && i != t.i {
			t.set("firstKeptEntryId", jsonedit.Quoted(id))
			return true
		}
		if !ok {
			return false
		}
		i, _ = list.Around(parent, i)
	}
	return false
}

// reset makes a compaction that keeps nothing of what hides everything older.
func (t *translation) reset() {
	if t.to.Replay.Acts.Has(entry.ResetBoundary) || !t.from.Replay.Acts.Has(entry.ResetBoundary) {
		return
	}
	id, _ := t.c.src.List.ID(t.i)
	t.set("type", jsonedit.Quoted(entry.Compaction.String()))
	t.set("summary", jsonedit.Quoted("The conversation so far was cleared."))
	t.set("firstKeptEntryId", jsonedit.Quoted(id))
	t.set("tokensBefore", jsonedit.IntValue(0))
	t.note(Reset, true)
}

// custom turns an edit into pi's.
func (t *translation) custom() {
	name := t.text("customType")
	switch {
	case name == "":
	case name == t.from.Replay.NotesType && name != t.to.Replay.NotesType:
		t.note(Kind, false)
	case name == t.from.Replay.EditType && t.to.ContextEdit:
		data := t.get("data")
		target, _ := jsonedit.Get(data, "targetId")
		with, _ := jsonedit.Get(data, "replacement")
		if jsonedit.Kind(target) != jsontext.KindString || with == nil {
			t.aside()
			t.note(Edit, true)
			return
		}
		t.line = jsonedit.Delete(t.line, "customType", "data")
		t.set("type", jsonedit.Quoted(entry.ContextEdit.String()))
		t.set("targetId", target)
		t.set("replacement", with)
		t.note(Edit, true)
	}
}

// contextEdit turns pi's edit into Cambium's.
func (t *translation) contextEdit() {
	if t.to.ContextEdit || !t.from.ContextEdit {
		return
	}
	var data jsonedit.Object
	data.Add("targetId", t.get("targetId")).Add("replacement", t.get("replacement"))
	t.line = jsonedit.Delete(t.line, "targetId", "replacement")
	t.set("type", jsonedit.Quoted(entry.Custom.String()))
	t.set("customType", jsonedit.Quoted(spelling.EditType))
	t.set("data", data.Value())
	t.note(Edit, true)
}

// customMessage is an extension's message.
func (t *translation) customMessage() {
	a, b := t.from.Replay.Custom, t.to.Replay.Custom
	name := t.text("customType")
	switch {
	case slices.Contains(a.Hidden, name) && !slices.Contains(b.Hidden, name):
		t.aside()
		t.note(Hidden, true)
		return
	case slices.Contains(b.Hidden, name) && !slices.Contains(a.Hidden, name):
		t.note(Swallowed, false)
	}
	content := t.get("content")
	if kind := jsonedit.Kind(content); kind != jsontext.KindString && kind != jsontext.KindBeginArray {
		t.unsaid(a, b, content)
		return
	}
	if by := t.get("attribution"); by != nil && (a.Attribution != b.Attribution || a.Strict != b.Strict && !plainAttribution(by)) {
		t.note(Attribution, false)
	}
	display, _ := jsonedit.Get(t.line, "display")
	if _, ok := jsonedit.Bool(display); a.Strict != b.Strict && (!ok || name == "") {
		t.note(Field, false)
	}
}

// unsaid treats a custom_message without content: omp leaves it out, the others
// pass it on as an empty one.
func (t *translation) unsaid(a, b spelling.CustomRules, content entry.JSON) {
	switch {
	case a.Strict == b.Strict:
	case a.Strict:
		t.aside()
		t.note(Hidden, true)
	case content == nil || jsonedit.IsNull(content):
		t.set("content", entry.JSON("[]"))
		t.note(Content, true)
	default:
		t.note(Swallowed, false)
	}
}

func plainAttribution(v entry.JSON) bool {
	text, _ := jsonedit.String(v)
	return text == "user" || text == "agent"
}
