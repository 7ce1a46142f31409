package entry

// Kind says what an entry is. The zero Kind is [Unknown]: a type no dialect
// here knows, which is kept byte for byte and takes its place in the tree.
type Kind uint8

// The kinds of entry. Session and Title are records of a session file that are
// not entries; they stand here because a line has to be told from them.
const (
	Unknown Kind = iota
	// Session is the session header, line 1 (type "session").
	Session
	// Title is omp's title slot, the 256 bytes before the header.
	Title
	// Message holds one message of any role. All dialects.
	Message
	// ThinkingLevelChange sets the thinking level. All dialects.
	ThinkingLevelChange
	// ModelChange sets a model. All dialects, in two spellings.
	ModelChange
	// ServiceTierChange sets the service tier. omp, xcsh, cambium.
	ServiceTierChange
	// Compaction replaces what is older by a summary. All dialects.
	Compaction
	// BranchSummary tells what an abandoned branch held. All dialects.
	BranchSummary
	// Custom is state of an extension, never shown to the model.
	Custom
	// CustomMessage is an extension's message that reaches the model.
	CustomMessage
	// Label names another entry, or clears its name. All dialects.
	Label
	// SessionInfo names the session. pi.
	SessionInfo
	// Usage accounts tokens spent outside the conversation. pi.
	Usage
	// ContextEdit removes or replaces what the model sees of an entry. pi.
	ContextEdit
	// TTSRInjection lists rules injected once. omp, xcsh, cambium.
	TTSRInjection
	// SessionInit records how a subagent was started. omp, xcsh, cambium.
	SessionInit
	// ModeChange enters or leaves a mode. omp, xcsh, cambium.
	ModeChange
	// MCPToolSelection lists the selected tools. xcsh, cambium.
	MCPToolSelection
	// TitleChange records a rename. omp.
	TitleChange
	// ModelUsage accounts a call outside the conversation. omp.
	ModelUsage
	// CredentialPin pins a provider's credential. omp.
	CredentialPin
	// ResetBoundary hides what is older from the model. omp.
	ResetBoundary

	kinds
)

var kindNames = [kinds]string{
	Unknown:             "",
	Session:             "session",
	Title:               "title",
	Message:             "message",
	ThinkingLevelChange: "thinking_level_change",
	ModelChange:         "model_change",
	ServiceTierChange:   "service_tier_change",
	Compaction:          "compaction",
	BranchSummary:       "branch_summary",
	Custom:              "custom",
	CustomMessage:       "custom_message",
	Label:               "label",
	SessionInfo:         "session_info",
	Usage:               "usage",
	ContextEdit:         "context_edit",
	TTSRInjection:       "ttsr_injection",
	SessionInit:         "session_init",
	ModeChange:          "mode_change",
	MCPToolSelection:    "mcp_tool_selection",
	TitleChange:         "title_change",
	ModelUsage:          "model_usage",
	CredentialPin:       "credential_pin",
	ResetBoundary:       "reset_boundary",
}

// String returns the type as a session file spells it, "" for [Unknown].
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return ""
}

// KindOf returns the kind that a session file spells name, or [Unknown].
func KindOf(name string) Kind { return kindOf(name) }

// kindOf is a switch over literals, which the compiler turns into a search by
// length and bytes, because it runs once for every line of a file.
func kindOf[T string | []byte](name T) Kind {
	switch string(name) {
	case "message":
		return Message
	case "session":
		return Session
	case "title":
		return Title
	case "thinking_level_change":
		return ThinkingLevelChange
	case "model_change":
		return ModelChange
	case "service_tier_change":
		return ServiceTierChange
	case "compaction":
		return Compaction
	case "branch_summary":
		return BranchSummary
	case "custom":
		return Custom
	case "custom_message":
		return CustomMessage
	case "label":
		return Label
	case "session_info":
		return SessionInfo
	case "usage":
		return Usage
	case "context_edit":
		return ContextEdit
	case "ttsr_injection":
		return TTSRInjection
	case "session_init":
		return SessionInit
	case "mode_change":
		return ModeChange
	case "mcp_tool_selection":
		return MCPToolSelection
	case "title_change":
		return TitleChange
	case "model_usage":
		return ModelUsage
	case "credential_pin":
		return CredentialPin
	case "reset_boundary":
		return ResetBoundary
	}
	return Unknown
}
