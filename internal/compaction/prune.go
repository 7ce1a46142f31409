package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
)

// What stands in the place of a pruned result beside its own notice
// (omp 18.2.3, whose sessions other programs read by them).
const (
	supersededNotice = "[Superseded by a newer read of this file]"
	uselessNotice    = "[Uneventful result elided]"
)

// PruneOptions are what a caller adds to the rules. The zero value adds nothing.
type PruneOptions struct {
	// Now is when the results are pruned, milliseconds since 1970.
	Now int64
	// WarmSuffix leaves results alone after which more than so many tokens
	// follow, since changing them would cost the provider's cache of all that;
	// 0 for no such bound.
	WarmSuffix int
	// Keep reports further results to leave alone, by the tool and the arguments
	// of its call (nil where the call is not on the branch); nil for none.
	Keep func(tool string, arguments entry.JSON) bool
}

// A Pruning is a set of results of tools to be cut to notices.
type Pruning struct {
	// Edits are the results, newest first.
	Edits []Edit
	// Saved is how many tokens that saves, about.
	Saved int
}

// An Edit cuts one result to a notice.
type Edit struct {
	// Entry is the position of the result, ID its id.
	Entry int
	ID    entry.ID
	// Notice is the text that takes the place of the content.
	Notice string
	// Tokens is what the result counted.
	Tokens int

	now int64
}

// Content returns the new content: the notice as a block.
func (e Edit) Content() entry.JSON {
	var block jsonedit.Object
	block.String("type", message.TypeText).String("text", e.Notice)
	return new(jsonedit.Array).Add(block.Value()).Value()
}

// Body returns the entry that makes the edit without touching what is written: a
// context_edit for pi, a custom entry elsewhere.
func (e Edit) Body(name dialect.Name) entry.Body {
	var o jsonedit.Object
	d := spelling.For(name)
	o.Add("content", e.Content())
	if !d.ContextEdit {
		o.Int("prunedAt", e.now)
	}
	return d.EditBody(e.ID, o.Value())
}

// Line returns the line of the result with the notice in place of the content
// and the time in prunedAt, for callers that rewrite entries (published
// rewriteEntries).
func (e Edit) Line(line entry.JSON) entry.JSON {
	msg, ok := jsonedit.Get(line, "message")
	if !ok || jsonedit.Kind(msg) != '{' {
		return line
	}
	msg = jsonedit.Set(jsonedit.Set(msg, "content", e.Content()), "prunedAt", jsonedit.IntValue(e.now))
	return jsonedit.Set(line, "message", msg)
}

// Prune chooses the results of tools on the branch to cut to a notice: those
// older than the newest so many tokens of results, and what the rules cut at any
// age, except what is protected or pruned already. It chooses none when too
// little would be saved. What is compacted away, and what has no id of its own,
// is left alone. The error is that of an entry that cannot be loaded.
func (r Rules) Prune(l *entry.List, path []int, o PruneOptions) (Pruning, error) {
	v, err := r.look(l, path)
	if err != nil {
		return Pruning{}, err
	}
	calls := v.calls()
	stale := v.superseded(calls)
	var p Pruning
	results, after := 0, 0 // tokens of results and of all messages that are newer
	for k := len(v.items) - 1; k >= 0; k-- {
		it := &v.items[k]
		if it.kind != entry.Message || !it.gives {
			continue
		}
		warm := o.WarmSuffix > 0 && after > o.WarmSuffix
		after += it.tokens
		if it.role != entry.RoleToolResult {
			continue
		}
		newer := results
		results += it.tokens
		if warm || !it.named || v.isPruned(it) {
			continue
		}
		c := v.resultOf(it, calls)
		safe := r.Pruning.protects(c) || o.Keep != nil && o.Keep(c.tool, c.arguments)
		if notice := r.Pruning.notice(it, c, newer, safe, stale[k]); notice != "" {
			id, _ := l.ID(it.entry)
			p.Edits = append(p.Edits, Edit{Entry: it.entry, ID: id, Notice: notice, Tokens: it.tokens, now: o.Now})
			p.Saved += saving(it.tokens, notice)
		}
	}
	if p.Saved < r.Pruning.Minimum || len(p.Edits) == 0 {
		return Pruning{}, nil
	}
	return p, nil
}

// notice returns what a result is cut to, "" when it stays.
func (r PruneRules) notice(it *item, c toolCall, newer int, safe, stale bool) string {
	if stale && !safe {
		return supersededNotice
	}
	if r.useless && !safe && isUseless(it.msg.JSON) && saving(it.tokens, uselessNotice) > 0 {
		return uselessNotice
	}
	if safe || newer < r.Protect || it.tokens < r.Floor {
		return ""
	}
	return fmt.Sprintf("[Output truncated - %d tokens]", it.tokens)
}

// saving returns how many tokens a notice saves.
func saving(tokens int, notice string) int { return max(tokens-(len(notice)+3)/4, 0) }

// isUseless reports whether its tool marked a result as saying nothing.
func isUseless(msg entry.JSON) bool {
	flag := func(key string) bool {
		v, _ := jsonedit.Get(msg, key)
		b, _ := jsonedit.Bool(v)
		return b
	}
	return flag("useless") && !flag("isError")
}

// isPruned reports whether a result was pruned before, in its entry or by an
// edit.
func (v *view) isPruned(it *item) bool {
	if it.msg.Changed {
		return true
	}
	_, pruned := jsonedit.Get(it.msg.JSON, "prunedAt")
	return pruned
}

// A toolCall is the call behind a result.
type toolCall struct {
	tool      string // as the result names it
	name      string // as the call names it, "" where there is none
	arguments entry.JSON
}

// calls returns the calls of the view by id, the last of each.
func (v *view) calls() map[string]toolCall {
	calls := map[string]toolCall{}
	for k := range v.items {
		if it := &v.items[k]; it.gives && it.kind == entry.Message && it.role == entry.RoleAssistant {
			content, _ := jsonedit.Get(it.msg.JSON, "content")
			if jsonedit.Kind(content) != '[' {
				continue
			}
			for block := range jsonedit.Elements(content) {
				if kind, _ := jsonedit.Text(block, "type"); kind != message.TypeToolCall {
					continue
				}
				id, _ := jsonedit.Text(block, "id")
				name, _ := jsonedit.Text(block, "name")
				arguments, _ := jsonedit.Get(block, "arguments")
				calls[id] = toolCall{name: name, arguments: arguments}
			}
		}
	}
	return calls
}

func (v *view) resultOf(it *item, calls map[string]toolCall) toolCall {
	id, _ := jsonedit.Text(it.msg.JSON, "toolCallId")
	c := calls[id]
	c.tool, _ = jsonedit.Text(it.msg.JSON, "toolName")
	return c
}

// protects reports whether the results of a call are never pruned.
func (r PruneRules) protects(c toolCall) bool {
	if slices.Contains(r.Tools, c.tool) {
		return true
	}
	path, _ := jsonedit.Text(c.arguments, "path")
	if c.tool != "read" || c.name != "read" || path == "" {
		return false
	}
	return slices.ContainsFunc(r.reads, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// superseded returns the numbers of the results of a read whose file was read
// again later, whole or the same lines (omp 18.2.3).
func (v *view) superseded(calls map[string]toolCall) map[int]bool {
	if !v.rules.Pruning.superseded {
		return nil
	}
	stale, seen := map[int]bool{}, map[[2]string]bool{}
	for k := len(v.items) - 1; k >= 0; k-- {
		it := &v.items[k]
		if !it.gives || it.kind != entry.Message || it.role != entry.RoleToolResult || v.isPruned(it) {
			continue
		}
		c := v.resultOf(it, calls)
		path, _ := jsonedit.Text(c.arguments, "path")
		if c.name != "read" || path == "" || strings.Contains(path, "://") || v.rules.Pruning.protects(c) {
			continue
		}
		base, selector := splitSelector(path)
		stale[k] = seen[[2]string{base, selector}] || seen[[2]string{base, ""}]
		seen[[2]string{base, selector}] = true
	}
	return stale
}
