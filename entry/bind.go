package entry

import (
	"slices"
	"strconv"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// A field ties a member of the line to a field of a body. One list of them
// serves reading and writing.
type field struct {
	key string
	at  any // *string, **string, *bool, **bool, *int64, **int64, *[]string, *JSON
	// must says that the member is written even when it is empty: as "",
	// false, 0, [], or null for a pointer or free data.
	must bool
}

func (b *MessageBody) bind() []field {
	return []field{{"message", &b.Message, true}}
}

func (b *ThinkingLevelChangeBody) bind() []field {
	return []field{{"thinkingLevel", &b.ThinkingLevel, true}, {"configured", &b.Configured, false}}
}

func (b *ModelChangeBody) bind() []field {
	return []field{
		{"provider", &b.Provider, false}, {"modelId", &b.ModelID, false},
		{"model", &b.Model, false}, {"role", &b.Role, false},
		{"resolvedModelIsFallback", &b.ResolvedModelIsFallback, false},
	}
}

func (b *ServiceTierChangeBody) bind() []field {
	return []field{{"serviceTier", &b.ServiceTier, true}}
}

func (b *CompactionBody) bind() []field {
	return []field{
		{"summary", &b.Summary, true}, {"shortSummary", &b.ShortSummary, false},
		{"firstKeptEntryId", &b.FirstKeptEntryID, true},
		{"tokensBefore", &b.TokensBefore, true}, {"tokensAfter", &b.TokensAfter, false},
		{"method", &b.Method, false},
		{"providerReplayThroughEntryId", &b.ProviderReplayThroughEntryID, false},
		{"details", &b.Details, false}, {"usage", &b.Usage, false},
		{"fromHook", &b.FromHook, false}, {"fromExtension", &b.FromExtension, false},
		{"preserveData", &b.PreserveData, false}, {"warning", &b.Warning, false},
		{"systemMessage", &b.SystemMessage, false},
	}
}

func (b *BranchSummaryBody) bind() []field {
	return []field{
		{"fromId", &b.FromID, true}, {"summary", &b.Summary, true},
		{"details", &b.Details, false}, {"usage", &b.Usage, false},
		{"fromHook", &b.FromHook, false}, {"fromExtension", &b.FromExtension, false},
	}
}

func (b *CustomBody) bind() []field {
	return []field{{"customType", &b.CustomType, true}, {"data", &b.Data, false}}
}

func (b *CustomMessageBody) bind() []field {
	return []field{
		{"customType", &b.CustomType, true}, {"content", &b.Content, false},
		{"display", &b.Display, true}, {"details", &b.Details, false},
		{"attribution", &b.Attribution, false},
	}
}

func (b *LabelBody) bind() []field {
	return []field{{"targetId", &b.TargetID, true}, {"label", &b.Label, false}}
}

func (b *SessionInfoBody) bind() []field {
	return []field{{"name", &b.Name, true}}
}

func (b *UsageBody) bind() []field {
	return []field{
		{"kind", &b.UsageKind, true}, {"provider", &b.Provider, true}, {"model", &b.Model, true},
		{"usage", &b.Usage, false}, {"note", &b.Note, false},
	}
}

func (b *ContextEditBody) bind() []field {
	return []field{{"targetId", &b.TargetID, true}, {"replacement", &b.Replacement, true}}
}

func (b *TTSRInjectionBody) bind() []field {
	return []field{{"injectedRules", &b.InjectedRules, true}}
}

func (b *SessionInitBody) bind() []field {
	return []field{
		{"systemPrompt", &b.SystemPrompt, true}, {"task", &b.Task, true}, {"tools", &b.Tools, true},
		{"agent", &b.Agent, false}, {"modelRole", &b.ModelRole, false},
		{"resolvedModel", &b.ResolvedModel, false}, {"readOnly", &b.ReadOnly, false},
		{"outputSchema", &b.OutputSchema, false}, {"outputSchemaMode", &b.OutputSchemaMode, false},
		{"restrictToolNames", &b.RestrictToolNames, false}, {"spawns", &b.Spawns, false},
		{"readSummarize", &b.ReadSummarize, false}, {"advisor", &b.Advisor, false},
		{"isolated", &b.Isolated, false},
		{"compactionThreshold", &b.CompactionThreshold, false},
	}
}

func (b *ModeChangeBody) bind() []field {
	return []field{{"mode", &b.Mode, true}, {"data", &b.Data, false}}
}

func (b *MCPToolSelectionBody) bind() []field {
	return []field{{"selectedToolNames", &b.SelectedToolNames, true}}
}

func (b *TitleChangeBody) bind() []field {
	return []field{
		{"title", &b.Title, true}, {"source", &b.Source, false},
		{"previousTitle", &b.PreviousTitle, false}, {"trigger", &b.Trigger, false},
	}
}

func (b *ModelUsageBody) bind() []field {
	return []field{
		{"purpose", &b.Purpose, true}, {"role", &b.Role, false}, {"api", &b.API, true},
		{"provider", &b.Provider, true}, {"model", &b.Model, true}, {"usage", &b.Usage, false},
		{"stopReason", &b.StopReason, true}, {"errorMessage", &b.ErrorMessage, false},
	}
}

func (b *CredentialPinBody) bind() []field {
	return []field{{"provider", &b.Provider, true}, {"hash", &b.Hash, true}}
}

func (b *ResetBoundaryBody) bind() []field { return nil }

// read sets the field from a raw value and reports whether the value has the
// field's type.
func (f field) read(v JSON) bool {
	switch at := f.at.(type) {
	case *JSON:
		if !f.must || !jsonedit.IsNull(v) {
			*at = slices.Clip(v)
		}
		return true
	case *string:
		s, ok := jsonedit.String(v)
		if ok {
			*at = s
		}
		return ok
	case **string:
		s, ok := jsonedit.String(v)
		if ok {
			*at = &s
		}
		return ok || jsonedit.IsNull(v)
	case *bool:
		b, ok := jsonedit.Bool(v)
		if ok {
			*at = b
		}
		return ok
	case **bool:
		b, ok := jsonedit.Bool(v)
		if ok {
			*at = &b
		}
		return ok
	case *int64:
		n, ok := whole(v)
		if ok {
			*at = n
		}
		return ok
	case **int64:
		n, ok := whole(v)
		if ok {
			*at = &n
		}
		return ok
	case *[]string:
		all, ok := allTexts(v)
		if ok {
			*at = all
		}
		return ok
	}
	panic("entry: field of unknown type: " + f.key)
}

// value returns the field as raw JSON, nil when it is not written.
func (f field) value() JSON {
	switch at := f.at.(type) {
	case *JSON:
		return orNull(*at, f.must)
	case *string:
		if *at != "" || f.must {
			return jsonedit.Quoted(*at)
		}
	case **string:
		if *at != nil {
			return jsonedit.Quoted(**at)
		}
		return orNull(nil, f.must)
	case *bool:
		return jsonedit.BoolValue(*at)
	case **bool:
		if *at != nil {
			return jsonedit.BoolValue(**at)
		}
	case *int64:
		return jsonedit.IntValue(*at)
	case **int64:
		if *at != nil {
			return jsonedit.IntValue(**at)
		}
	case *[]string:
		return jsonedit.Strings(*at...)
	}
	return nil
}

func orNull(v JSON, must bool) JSON {
	if v == nil && must {
		return JSON("null")
	}
	return v
}

// whole reads an integer that is written as one; a fraction or a number beyond
// 64 bits is left to Extra, so that none of it is lost.
func whole(v JSON) (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// allTexts reads an array that holds nothing but strings.
func allTexts(v JSON) ([]string, bool) {
	if jsonedit.Kind(v) != jsontext.KindBeginArray {
		return nil, false
	}
	var all []string
	for e := range jsonedit.Elements(v) {
		s, ok := jsonedit.String(e)
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}
