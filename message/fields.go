package message

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

func (m *User) form(f *form) {
	f.fixed("role", RoleUser)
	f.content("content", &m.Content)
	f.flagIf("synthetic", &m.Synthetic)
	f.flagIf("steering", &m.Steering)
	f.textIf("attribution", &m.Attribution)
	nested(f, "providerPayload", &m.ProviderPayload)
	f.wholeIf("historyRewriteAt", &m.HistoryRewriteAt)
	f.whole("timestamp", &m.Timestamp)
}

func (m *Assistant) form(f *form) {
	f.fixed("role", RoleAssistant)
	f.blocks("content", &m.Content)
	f.text("api", &m.API)
	f.text("provider", &m.Provider)
	f.text("model", &m.Model)
	f.textIf("responseModel", &m.ResponseModel)
	f.textIf("responseId", &m.ResponseID)
	f.textIf("upstreamProvider", &m.UpstreamProvider)
	f.textIf("upstreamModel", &m.UpstreamModel)
	f.textIf("providerThinkingLevel", &m.ProviderThinkingLevel)
	f.value("diagnostics", &m.Diagnostics)
	if !f.filling && m.Usage == nil && m.raw == nil {
		f.put("usage", encode(&Usage{}))
	}
	nested(f, "usage", &m.Usage)
	f.text("stopReason", (*string)(&m.StopReason))
	f.value("stopDetails", &m.StopDetails)
	f.value("deferred", &m.Deferred)
	f.textIf("errorMessage", &m.ErrorMessage)
	f.textIf("rawStopReason", &m.RawStopReason)
	f.value("endTurn", &m.EndTurn)
	nested(f, "providerPayload", &m.ProviderPayload)
	f.value("contextSnapshot", &m.ContextSnapshot)
	f.value("retryRecovery", &m.RetryRecovery)
	f.whole("timestamp", &m.Timestamp)
	f.numberIf("duration", &m.Duration)
	f.numberIf("ttft", &m.TTFT)
}

func (m *ToolResult) form(f *form) {
	f.fixed("role", RoleToolResult)
	f.text("toolCallId", &m.ToolCallID)
	f.text("toolName", &m.ToolName)
	f.content("content", &m.Content)
	f.value("details", &m.Details)
	nested(f, "usage", &m.Usage)
	f.flag("isError", &m.IsError)
	f.wholeIf("prunedAt", &m.PrunedAt)
	f.textIf("attribution", &m.Attribution)
	f.value("providerMetadata", &m.ProviderMetadata)
	f.whole("timestamp", &m.Timestamp)
}

func (m *System) form(f *form) {
	f.fixed("role", RoleSystem)
	f.content("content", &m.Content)
	f.sections("sections", &m.Sections)
	f.values("toolsAdded", &m.ToolsAdded)
	f.values("toolsRemoved", &m.ToolsRemoved)
	f.whole("timestamp", &m.Timestamp)
}

func (m *Developer) form(f *form) {
	f.fixed("role", RoleDeveloper)
	f.content("content", &m.Content)
	f.textIf("attribution", &m.Attribution)
	nested(f, "providerPayload", &m.ProviderPayload)
	f.whole("timestamp", &m.Timestamp)
}

func (m *BashExecution) form(f *form) {
	f.fixed("role", RoleBashExecution)
	f.text("command", &m.Command)
	f.text("output", &m.Output)
	f.wholeOr("exitCode", &m.ExitCode)
	f.flag("cancelled", &m.Cancelled)
	f.flag("truncated", &m.Truncated)
	f.textIf("fullOutputPath", &m.FullOutputPath)
	f.value("meta", &m.Meta)
	f.blocksIf("images", &m.Images)
	f.whole("timestamp", &m.Timestamp)
	f.flagIf("excludeFromContext", &m.ExcludeFromContext)
}

func (m *PythonExecution) form(f *form) {
	f.fixed("role", RolePythonExecution)
	f.text("code", &m.Code)
	f.text("output", &m.Output)
	f.wholeOr("exitCode", &m.ExitCode)
	f.flag("cancelled", &m.Cancelled)
	f.flag("truncated", &m.Truncated)
	f.value("meta", &m.Meta)
	f.whole("timestamp", &m.Timestamp)
	f.flagIf("excludeFromContext", &m.ExcludeFromContext)
}

func (m *Custom) form(f *form) { m.formAs(f, RoleCustom) }

func (m *Hook) form(f *form) { (*Custom)(m).formAs(f, RoleHook) }

func (m *Custom) formAs(f *form, role string) {
	f.fixed("role", role)
	f.text("customType", &m.CustomType)
	f.content("content", &m.Content)
	f.flag("display", &m.Display)
	f.value("details", &m.Details)
	f.textIf("attribution", &m.Attribution)
	f.whole("timestamp", &m.Timestamp)
}

func (m *FileMention) form(f *form) {
	f.fixed("role", RoleFileMention)
	f.files("files", &m.Files)
	f.whole("timestamp", &m.Timestamp)
}

func (m *File) form(f *form) {
	f.text("path", &m.Path)
	f.text("content", &m.Content)
	f.wholeIf("lineCount", &m.LineCount)
	f.wholeIf("byteSize", &m.ByteSize)
	f.textIf("skippedReason", &m.SkippedReason)
	nested(f, "image", &m.Image)
}

func (m *BranchSummary) form(f *form) {
	f.fixed("role", RoleBranchSummary)
	f.text("summary", &m.Summary)
	f.text("fromId", &m.FromID)
	f.whole("timestamp", &m.Timestamp)
}

func (m *CompactionSummary) form(f *form) {
	f.fixed("role", RoleCompactionSummary)
	f.text("summary", &m.Summary)
	f.textIf("shortSummary", &m.ShortSummary)
	f.number("tokensBefore", &m.TokensBefore)
	f.numberIf("tokensAfter", &m.TokensAfter)
	f.textIf("method", &m.Method)
	nested(f, "providerPayload", &m.ProviderPayload)
	f.blocksIf("blocks", &m.Blocks)
	f.textIf("warning", &m.Warning)
	f.whole("timestamp", &m.Timestamp)
}

func (m *Unknown) form(f *form) {
	f.textIf("role", &m.Name)
	f.wholeIf("timestamp", &m.Timestamp)
}

// sections is an object of strings and nulls, left out when nil. One with
// another value in it is left to the extra members.
func (f *form) sections(key string, p *[]Section) {
	if !f.filling {
		if *p == nil {
			return
		}
		var o jsonedit.Object
		for _, s := range *p {
			if s.Removed {
				o.Null(s.Name)
			} else {
				o.String(s.Name, s.Text)
			}
		}
		f.put(key, o.Value())
		return
	}
	all := []Section{}
	for _, m := range f.in {
		if m.Key != key {
			continue
		}
		all = all[:0] // the last of the name counts
		for name, v := range jsonedit.Members(m.Value) {
			s := Section{Name: name, Removed: jsonedit.IsNull(v)}
			var ok bool
			if s.Text, ok = jsonedit.String(v); !ok && !s.Removed {
				return
			}
			all = append(all, s)
		}
	}
	if _, ok := f.take(key, jsontext.KindBeginObject); ok {
		*p = all
	}
}

// files is a list of objects, always written. One with something else in it is
// left to the extra members.
func (f *form) files(key string, p *[]*File) {
	if !f.filling {
		var a jsonedit.Array
		for _, file := range *p {
			if file != nil {
				a.Add(encode(file))
			}
		}
		f.put(key, a.Value())
		return
	}
	all := []*File{}
	for _, m := range f.in {
		if m.Key != key {
			continue
		}
		all = all[:0] // the last of the name counts
		for v := range jsonedit.Elements(m.Value) {
			if jsonedit.Kind(v) != jsontext.KindBeginObject {
				return
			}
			file := new(File)
			fill(file, v)
			all = append(all, file)
		}
	}
	if _, ok := f.take(key, jsontext.KindBeginArray); ok {
		*p = all
	}
}
