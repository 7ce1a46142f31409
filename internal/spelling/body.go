package spelling

import (
	"bytes"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// Custom types of entries that Cambium itself writes into any dialect but, for
// edits, pi.
const (
	// EditType is the custom type of an edit of what the model sees of an
	// earlier entry; its data is {targetId, replacement} as in pi's
	// context_edit (D21).
	EditType = "cambium.edit"
	// LeafType is the custom type of an entry that only makes a move of the
	// leaf durable; its data is {from}, the leaf that was left, or null (D22).
	LeafType = "cambium.leaf"
)

// EditBody returns the entry that edits what the model sees of target:
// replacement is an object with content, or nil to remove the message.
func (d Dialect) EditBody(target entry.ID, replacement entry.JSON) entry.Body {
	if d.ContextEdit {
		return &entry.ContextEditBody{TargetID: target, Replacement: replacement}
	}
	if replacement == nil {
		replacement = entry.JSON("null")
	}
	var data jsonedit.Object
	data.String("targetId", target).Add("replacement", replacement)
	return &entry.CustomBody{CustomType: EditType, Data: data.Value()}
}

// LeafBody returns the entry that makes a move of the leaf durable; from is the
// leaf that was left, nil for none.
func LeafBody(from *entry.ID) entry.Body {
	var data jsonedit.Object
	if from == nil {
		data.Null("from")
	} else {
		data.String("from", *from)
	}
	return &entry.CustomBody{CustomType: LeafType, Data: data.Value()}
}

// ModelBody returns the entry that sets the model of a role; a role of "" is the
// default one. pi has no roles: it gets provider and model alone.
func (d Dialect) ModelBody(provider, model, role string) entry.Body {
	if d.SplitModel {
		return &entry.ModelChangeBody{Provider: provider, ModelID: model}
	}
	b := &entry.ModelChangeBody{Model: provider + "/" + model, Role: role}
	if provider == "" {
		b.Model = model
	}
	return b
}

// Complete returns body with what the dialect's program always writes and the
// caller left out; id is the id that the entry gets. A body that lacks nothing is
// returned itself, and body is never changed.
//
// Assistant messages get the usage they lack (omp and xcsh read its numbers and
// those of its cost without looking whether they are there), thinking and model
// changes get omp's further fields, and a compaction of pi that names no entry
// keeps none.
func Complete(d Dialect, id entry.ID, body entry.Body) entry.Body {
	switch b := body.(type) {
	case *entry.MessageBody:
		if d.FillUsage {
			return with(b, func(b *entry.MessageBody) { b.Message = FillUsage(b.Message) })
		}
	case *entry.Verbatim:
		if !d.FillUsage || entry.BodyKind(b) != entry.Message || !mayAnswer(b.Members) {
			return body
		}
		message, _ := jsonedit.Get(b.Members, "message")
		if filled := FillUsage(message); len(filled) != len(message) {
			return with(b, func(b *entry.Verbatim) { b.Members = jsonedit.Set(b.Members, "message", filled) })
		}
	case *entry.ThinkingLevelChangeBody:
		if d.Configured && b.Configured == nil {
			return with(b, func(b *entry.ThinkingLevelChangeBody) { b.Configured = entry.JSON("null") })
		}
	case *entry.ModelChangeBody:
		if d.Configured && b.ResolvedModelIsFallback == nil {
			return with(b, func(b *entry.ModelChangeBody) { b.ResolvedModelIsFallback = new(bool) })
		}
	case *entry.CompactionBody:
		if d.SplitModel && b.FirstKeptEntryID == "" {
			return with(b, func(b *entry.CompactionBody) { b.FirstKeptEntryID = id })
		}
	}
	return body
}

// mayAnswer reports whether a message may be an assistant's: its role is written
// out, or with escapes.
func mayAnswer(members entry.JSON) bool {
	for text := []byte(members); ; {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			return bytes.IndexByte(members, '\\') >= 0
		}
		text = text[quote+1:]
		if named(text, "assistant") {
			return true
		}
	}
}

// with returns a changed copy.
func with[T any](b *T, change func(*T)) *T {
	copied := *b
	change(&copied)
	return &copied
}

// usageKeys are the numbers of a usage; usage.cost has those of costKeys.
func usageKeys() []string {
	return []string{"input", "output", "cacheRead", "cacheWrite", "totalTokens"}
}

func costKeys() []string {
	return []string{"input", "output", "cacheRead", "cacheWrite", "total"}
}

// FillUsage returns an assistant message with every number of its usage and of
// its usage's cost there, 0 where it was missing or null; what is there stays as
// it is. Any other message is returned itself.
func FillUsage(message entry.JSON) entry.JSON {
	if role, _ := jsonedit.Text(message, "role"); role != entry.RoleAssistant.String() {
		return message
	}
	usage := object(message, "usage")
	cost := object(usage, "cost")
	usage = jsonedit.Set(zeros(usage, usageKeys()), "cost", zeros(cost, costKeys()))
	return jsonedit.Set(message, "usage", usage)
}

// object returns a member that is an object, else an empty one.
func object(v entry.JSON, key string) entry.JSON {
	if member, ok := jsonedit.Get(v, key); ok && jsonedit.Kind(member) == jsontext.KindBeginObject {
		return member
	}
	return entry.JSON("{}")
}

func zeros(v entry.JSON, keys []string) entry.JSON {
	missing := func(key string) bool {
		member, ok := jsonedit.Get(v, key)
		return !ok || jsonedit.IsNull(member)
	}
	for _, key := range slices.DeleteFunc(keys, func(key string) bool { return !missing(key) }) {
		v = jsonedit.Set(v, key, entry.JSON("0"))
	}
	return v
}
