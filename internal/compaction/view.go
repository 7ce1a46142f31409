package compaction

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// A view is a branch as compaction sees it: every entry that is not compacted
// away, with the message it gives.
type view struct {
	rules Rules
	list  *entry.List
	path  []int
	ctx   *replay.Context
	items []item
}

// An item is one entry of a view.
type item struct {
	entry, place int // position, and place on the path
	kind         entry.Kind
	gives        bool // gives a message
	role         entry.Role
	msg          replay.Message
	tokens       int
	// named reports that the id leads to this entry: the kept part may begin
	// here.
	named bool
}

// look loads what is not compacted away of the branch.
func (r Rules) look(l *entry.List, path []int) (*view, error) {
	ctx, err := replay.Build(l, path, r.replay)
	if err != nil {
		return nil, err
	}
	v := &view{rules: r, list: l, path: path, ctx: ctx}
	cut := ctx.Cut()
	before := cut >= 0 // stands before the compaction in effect
	for at := ctx.From(); at < len(path); at++ {
		i := path[at]
		if i == cut {
			before = false
			continue
		}
		it := item{entry: i, place: at, kind: l.Kind(i)}
		if it.kind != entry.Compaction {
			if it.msg, it.gives, err = ctx.Alone(i); err != nil {
				return nil, err
			}
		}
		if it.gives {
			it.role = it.msg.Role
			if r.System && before && it.role == entry.RoleSystem {
				continue
			}
			it.tokens = r.Count.Estimate(it.msg.JSON)
		}
		v.items = append(v.items, it)
	}
	v.name()
	return v, nil
}

// name finds out which items can be named: those with an id that no entry
// before them on the path has.
func (v *view) name() {
	seen := map[string]bool{}
	for _, i := range v.path[:min(v.ctx.From(), len(v.path))] {
		if v.list.Twin(i) >= 0 || v.twinAfter(i) {
			id, _ := v.list.ID(i)
			seen[id] = true
		}
	}
	if cut := v.ctx.Cut(); cut >= 0 {
		id, _ := v.list.ID(cut)
		seen[id] = true
	}
	for k := range v.items {
		id, ok := v.list.ID(v.items[k].entry)
		v.items[k].named = ok && id != "" && !seen[id]
		seen[id] = true
	}
}

// twinAfter reports whether a later entry has the id of entry i.
func (v *view) twinAfter(i int) bool {
	id, ok := v.list.ID(i)
	return ok && v.list.Find(id) != i
}

// previous returns the summary of the compaction in effect, its line and its
// position, -1 for none.
func (v *view) previous() (text string, line entry.JSON, at int, err error) {
	at = v.ctx.Cut()
	summary, _ := v.ctx.Summary()
	if summary == nil {
		return "", nil, -1, nil
	}
	text, _ = jsonedit.Text(summary, "summary")
	line, err = v.list.Load(at)
	return text, line, at, err
}

// spoken returns the messages of items without system messages where those are
// carried over apart.
func (v *view) spoken(items []item) []replay.Message {
	var msgs []replay.Message
	for k := range items {
		if items[k].gives && !(v.rules.System && items[k].role == entry.RoleSystem) {
			msgs = append(msgs, items[k].msg)
		}
	}
	return msgs
}
