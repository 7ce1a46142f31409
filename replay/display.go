package replay

import (
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// Shown says as what a person sees an entry.
type Shown uint8

const (
	// ShownRecord is bookkeeping with nothing to read: custom state, usage,
	// unknown kinds, messages without a body.
	ShownRecord Shown = iota
	// ShownMessage is something that was said: a message, a custom message or
	// the summary of another branch.
	ShownMessage
	// ShownSetting changes the model, a level, a mode or the like.
	ShownSetting
	// ShownCut is a compaction: what is older is summed up.
	ShownCut
	// ShownLabel names another entry.
	ShownLabel
	// ShownEdit removes or replaces what the model sees of another entry.
	ShownEdit
)

// An Item is one entry of the branch as a person sees it.
type Item struct {
	// Entry is its position.
	Entry int
	Shown Shown
	Role  entry.Role
	// JSON is the message that was said, as stored where the entry is a
	// message; for other items the entry itself.
	JSON entry.JSON
	// Folded asks for one dim line: the entry says display:false.
	Folded bool
	// InContext reports that the model sees it.
	InContext bool
	// Compacted reports that it stands before the compaction in effect or the
	// last reset and is not kept.
	Compacted bool
	// Calls are an answer's calls, in order.
	Calls []Call
	// CallEntry is, for the result of a call, the position of the answer that
	// made it, else -1.
	CallEntry int
	// Target is, for a label or an edit, the position of its target, else -1.
	Target int
}

// A Call is a call of a tool.
type Call struct {
	ID, Name  string
	Arguments entry.JSON
	// Result is the position of its result on the branch, or -1.
	Result int
}

// Items yields the whole branch from its root, loading one entry at a time. The
// error is that of an entry that cannot be loaded; the items go on after it if
// the caller does.
func (c *Context) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		if err := c.prune(); err != nil {
			yield(Item{Entry: -1, CallEntry: -1, Target: -1}, err)
			return
		}
		c.view().items(yield)
	}
}

// Told is Items for who wants each entry as it was said, and looks into messages
// itself: it loads each entry once, and leaves out what it would have to look into a
// message for, which are Folded, InContext, Calls and CallEntry.
func (c *Context) Told() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		v := &view{Context: c, bare: true, from: c.firstKept()}
		v.items(yield)
	}
}

// view is what showing a branch needs to know beside the entry at hand.
type view struct {
	*Context
	seen    map[int]bool     // positions that give messages
	results map[string][]int // by call, places on the path
	calls   map[string]int   // by call, position of the answer
	from    int              // first place that is not compacted
	bare    bool             // nothing is looked for in messages; see Told
}

func (c *Context) view() *view {
	v := &view{Context: c, seen: map[int]bool{}, results: map[string][]int{}, calls: map[string]int{}, from: c.firstKept()}
	for n := range c.steps() {
		if s := &c.plan[n]; !s.drop {
			v.seen[int(s.at)] = true
		}
	}
	for at, i := range c.path {
		if c.list.Role(i) == entry.RoleToolResult {
			v.results[c.list.Ref(i)] = append(v.results[c.list.Ref(i)], at)
		}
	}
	return v
}

// firstKept is the first place on the path that is not compacted.
func (c *Context) firstKept() int {
	if c.cut >= 0 {
		return c.summary.from
	}
	return c.reset + 1
}

func (v *view) items(yield func(Item, error) bool) {
	for at, i := range v.path {
		if item, err := v.item(at, i); !yield(item, err) {
			return
		}
	}
}

func (v *view) item(at, i int) (Item, error) {
	item := Item{Entry: i, CallEntry: -1, Target: -1, Role: v.list.Role(i), Compacted: at < v.from}
	line, err := v.load(i)
	if err != nil {
		return item, err
	}
	item.JSON = line
	if !v.bare {
		item.InContext = v.seen[i]
		if ed, edited := v.editOf(i); edited && ed.remove {
			item.InContext = false
		}
	}
	switch kind := v.list.Kind(i); kind {
	case entry.Message:
		v.message(&item, at, line)
	case entry.CustomMessage:
		item.Shown, item.Role = ShownMessage, entry.RoleCustom
		item.JSON, item.Folded = v.custom(i, line), isFalse(line, "display")
	case entry.BranchSummary:
		item.Shown, item.Role = ShownMessage, entry.RoleBranchSummary
		if m, err := v.branchMessage(i); err == nil && m != nil {
			item.JSON = m
		} else {
			item.Shown, item.InContext = ShownRecord, false
		}
	case entry.Compaction:
		item.Shown, item.Role = ShownCut, entry.RoleCompactionSummary
	case entry.Label:
		item.Shown, item.Target = ShownLabel, v.list.Find(v.list.Ref(i))
	case entry.ContextEdit:
		item.Shown, item.Target = ShownEdit, v.list.Find(v.list.Ref(i))
	case entry.Custom:
		if ref := v.list.Ref(i); ref != "" && ref == v.rules.EditType {
			item.Shown = ShownEdit
			id, _ := jsonedit.Path(line, "data", "targetId")
			target, _ := jsonedit.String(id)
			item.Target = v.list.Find(target)
		}
	case entry.ThinkingLevelChange, entry.ModelChange, entry.ServiceTierChange, entry.ModeChange,
		entry.MCPToolSelection, entry.TTSRInjection, entry.SessionInfo, entry.TitleChange,
		entry.SessionInit, entry.ResetBoundary:
		item.Shown = ShownSetting
	}
	return item, err
}

// message completes the item of a message entry.
func (v *view) message(item *Item, at int, line entry.JSON) {
	body := v.bodyIn(item.Entry, line)
	if body == nil {
		item.InContext = false
		return
	}
	item.Shown, item.JSON = ShownMessage, body
	if v.bare {
		return
	}
	item.Folded = isFalse(body, "display")
	switch item.Role {
	case entry.RoleAssistant:
		content, _ := jsonedit.Get(body, "content")
		for block := range jsonedit.Elements(content) {
			if kind, _ := jsonedit.Text(block, "type"); kind == "toolCall" {
				item.Calls = append(item.Calls, v.call(block, at, item.Entry))
			}
		}
	case entry.RoleToolResult:
		if from, ok := v.calls[v.list.Ref(item.Entry)]; ok {
			item.CallEntry = from
		}
	}
}

// call reads a call of the answer at place at and finds its result, the first
// after it.
func (v *view) call(block entry.JSON, at, i int) Call {
	c := Call{Result: -1}
	c.ID, _ = jsonedit.Text(block, "id")
	c.Name, _ = jsonedit.Text(block, "name")
	c.Arguments, _ = jsonedit.Get(block, "arguments")
	v.calls[c.ID] = i
	for _, r := range v.results[c.ID] {
		if r > at {
			c.Result = v.path[r]
			break
		}
	}
	return c
}

// custom returns a custom message as a message, the entry itself where the rules
// make none of it.
func (v *view) custom(i int, line entry.JSON) entry.JSON {
	if m, err := v.customMessage(i); err == nil && m != nil {
		return m
	}
	return line
}

func isFalse(obj entry.JSON, key string) bool {
	v, _ := jsonedit.Get(obj, key)
	b, ok := jsonedit.Bool(v)
	return ok && !b
}

// Tokens estimates what the model pays for the message of an item, 0 for what is no
// message.
func (item *Item) Tokens() int {
	switch item.Shown {
	case ShownMessage:
	case ShownCut:
		return (jsonedit.UnitsRaw(member(item.JSON, "summary")) + 3) / 4
	default:
		return 0
	}
	m, err := message.Decode(item.JSON)
	if err != nil { // not an object: nothing that was said
		return 0
	}
	return message.Estimate(m)
}
