package entry

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/splice"
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

// lacks returns the first member that an entry of a kind needs and has not, ""
// when it has all.
func lacks(k Kind, raw jsontext.Value) string {
	for _, key := range needs(k) {
		key, null := strings.CutSuffix(key, "?")
		value, ok := splice.Get(raw, key)
		if !ok || splice.IsNull(value) && !null {
			return key
		}
	}
	if k != ModelChange {
		return ""
	}
	if _, ok := splice.Text(raw, "model"); ok {
		return "" // omp, xcsh
	}
	if _, ok := splice.Text(raw, "provider"); !ok {
		return "model"
	}
	if _, ok := splice.Text(raw, "modelId"); !ok {
		return "modelId"
	}
	return ""
}
