package entry

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/go-json-experiment/json/jsontext"
)

// needs returns the members without which an entry of a kind says nothing to
// any program (pi 0.87.1, omp 18.2.3, xcsh). One that ends in "?" may be null.
func needs(k Kind) []string {
	switch k {
	case ThinkingLevelChange:
		return []string{"thinkingLevel?"}
	case ServiceTierChange:
		return []string{"serviceTier?"}
	case Compaction:
		return []string{"summary", "firstKeptEntryId", "tokensBefore"}
	case BranchSummary:
		return []string{"fromId", "summary"}
	case Custom:
		return []string{"customType"}
	case CustomMessage:
		return []string{"customType", "content", "display"}
	case Label:
		return []string{"targetId"}
	case SessionInfo:
		return []string{"name"}
	case Usage:
		return []string{"kind", "provider", "model", "usage"}
	case ContextEdit:
		return []string{"targetId", "replacement?"}
	case TTSRInjection:
		return []string{"injectedRules"}
	case SessionInit:
		return []string{"systemPrompt", "task", "tools"}
	case ModeChange:
		return []string{"mode"}
	case MCPToolSelection:
		return []string{"selectedToolNames"}
	case TitleChange:
		return []string{"title", "source"}
	case ModelUsage:
		return []string{"purpose", "provider", "model", "usage"}
	case CredentialPin:
		return []string{"provider", "hash"}
	}
	return nil
}

// UsableBody is [Usable] for the line that [Encode] made of b.
func UsableBody(b Body, line JSON) error {
	if m, ok := b.(*MessageBody); ok && m.raw == nil && len(m.Extra) == 0 { // the usual case, without reading the line
		if role, ok := jsonedit.Text(m.Message, "role"); ok && role != "" {
			return nil
		}
	}
	return Usable(line)
}

// Usable reports as a [*BodyError] what makes an entry one that says nothing to any
// program: a type that is a record of the file, a message that is no object or has no
// role, or a member that is not there. line is one JSON object with a type.
func Usable(line JSON) error {
	if isMessage(line) {
		return nil
	}
	name, _ := jsonedit.Text(line, "type")
	kind := KindOf(name)
	bad := func(member, reason string) error { return &BodyError{Type: name, Member: member, Reason: reason} }
	switch kind {
	case Session, Title:
		return bad("type", fmt.Sprintf("type %q", name))
	case Message:
		message, _ := jsonedit.Get(line, "message")
		if jsonedit.Kind(message) != jsontext.KindBeginObject {
			return bad("message", "message is not an object")
		}
		if _, ok := jsonedit.Text(message, "role"); !ok {
			return bad("message.role", "message has no string as role")
		}
	}
	if name == "" {
		return bad("type", "type is empty")
	}
	if lack := lacks(kind, line); lack != "" {
		return bad(lack, fmt.Sprintf("%s has no %s", name, lack))
	}
	return nil
}

// messageNeeds are what a message entry needs.
var messageNeeds = jsonl.Query{Keys: []string{"type", "message"}, Inside: 1, Inner: []string{"role"}}

// isMessage reports, in one look at the line, whether it is a usable message, as most
// entries are. What it does not know it calls none.
func isMessage(line JSON) bool {
	var found [3]jsonl.Span
	if messageNeeds.Scan(line, found[:]) != nil {
		return false
	}
	message, role := found[1].In(line), found[2].In(line)
	return string(found[0].In(line)) == `"message"` && len(message) > 0 && message[0] == '{' && len(role) > 0 && role[0] == '"'
}

// lacks returns the first member that an entry of a kind needs and has not, ""
// when it has all.
func lacks(k Kind, raw JSON) string {
	for _, key := range needs(k) {
		key, null := strings.CutSuffix(key, "?")
		value, ok := jsonedit.Get(raw, key)
		if !ok || jsonedit.IsNull(value) && !null {
			return key
		}
	}
	if k != ModelChange {
		return ""
	}
	if _, ok := jsonedit.Text(raw, "model"); ok {
		return "" // omp, xcsh
	}
	if _, ok := jsonedit.Text(raw, "provider"); !ok {
		return "model"
	}
	if _, ok := jsonedit.Text(raw, "modelId"); !ok {
		return "modelId"
	}
	return ""
}
