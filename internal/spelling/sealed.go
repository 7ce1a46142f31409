package spelling

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// nativeHistory is the type of a providerPayload that holds a provider's own
// form of the history.
const nativeHistory = "openaiResponsesHistory"

// isSignature reports whether a member of that name holds a signature.
func isSignature(name string) bool {
	return name == "thinkingSignature" || name == "thoughtSignature" || name == "textSignature"
}

// isSealed reports whether a provider checks the object byte for byte when it is
// sent again, so that nothing inside it may be changed (omp 18.2.3).
func isSealed(at *jsonedit.Step, v entry.JSON) bool {
	if at.Depth > deepest {
		return false
	}
	has := func(name string) bool {
		s, ok := jsonedit.Text(v, name)
		return ok && s != ""
	}
	switch typeOf(v) {
	case "thinking":
		return has("thinkingSignature")
	case "text":
		return has("textSignature")
	case "toolCall":
		return has("thoughtSignature")
	case "redactedThinking":
		return has("data")
	case "reasoning":
		return has("encrypted_content")
	case "anthropicServerTool":
		block, _ := jsonedit.Get(v, "block")
		return isServerTool(block)
	case "anthropicCompaction":
		return true
	}
	if key(at) == "anthropicCompaction" {
		_, ok := jsonedit.Text(v, "content")
		return ok
	}
	return false
}

// isServerTool reports whether a block is a call or a result of a tool that the
// provider ran itself and wants to see again.
func isServerTool(block entry.JSON) bool {
	text := func(name string) string {
		s, _ := jsonedit.Text(block, name)
		return s
	}
	switch text("type") {
	case "server_tool_use":
		known := []string{"web_search", "tool_search_tool_regex", "tool_search_tool_bm25"}
		return slices.Contains(known, text("name")) && text("id") != ""
	case "web_search_tool_result", "tool_search_tool_result":
		_, ok := jsonedit.Get(block, "content")
		return ok && text("tool_use_id") != ""
	}
	return false
}

// dropCovered leaves out the thinkingSignature of thinking blocks of an
// assistant message where it is a reasoning item that the message's
// providerPayload holds too: by its encrypted content, or by its id where it has
// none (omp 18.2.3).
func dropCovered(line entry.JSON) entry.JSON {
	message, _ := jsonedit.Get(line, "message")
	role, _ := jsonedit.Text(message, "role")
	kind, _ := jsonedit.Path(message, "providerPayload", "type")
	if name, _ := jsonedit.String(kind); role != entry.RoleAssistant.String() || name != nativeHistory {
		return line
	}
	held := map[string]bool{}
	items, _ := jsonedit.Path(message, "providerPayload", "items")
	for item := range jsonedit.Elements(items) {
		sealed, id := reasoning(item)
		held["sealed "+sealed], held["id "+id] = true, true
	}
	delete(held, "sealed ")
	delete(held, "id ")
	content, _ := jsonedit.Get(message, "content")
	slim := jsonedit.Walk(content, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if at.Depth == 0 {
			return nil, jsonedit.Into
		}
		signature, _ := jsonedit.Text(v, "thinkingSignature")
		if typeOf(v) != "thinking" || signature == "" {
			return nil, jsonedit.Keep
		}
		sealed, id := reasoning(entry.JSON(strings.TrimSpace(signature)))
		if covered := sealed != "" && held["sealed "+sealed] || sealed == "" && id != "" && held["id "+id]; !covered {
			return nil, jsonedit.Keep
		}
		return jsonedit.Delete(v, "thinkingSignature"), jsonedit.Keep
	}})
	if string(slim) == string(content) {
		return line
	}
	return jsonedit.Set(line, "message", jsonedit.Set(message, "content", slim))
}

// reasoning returns the encrypted content and the id of a reasoning item, "" for
// what it lacks and for anything else.
func reasoning(item entry.JSON) (sealed, id string) {
	if typeOf(item) != "reasoning" {
		return "", ""
	}
	sealed, _ = jsonedit.Text(item, "encrypted_content")
	id, _ = jsonedit.Text(item, "id")
	return sealed, id
}
