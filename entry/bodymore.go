package entry

import "github.com/go-json-experiment/json/jsontext"

// SessionInitBody records how a subagent was started. omp, xcsh, cambium; the
// fields after OutputSchema only omp.
type SessionInitBody struct {
	SystemPrompt string
	Task         string
	Tools        []string
	// OutputSchema is a JSON schema, absent when nil.
	OutputSchema jsontext.Value

	Agent             string
	ModelRole         string
	ResolvedModel     string
	ReadOnly          *bool
	OutputSchemaMode  string
	RestrictToolNames *bool
	Spawns            string
	ReadSummarize     *bool
	Advisor           string
	Isolated          *bool
	// CompactionThreshold are the limits of a subagent with its own: an object
	// with thresholdPercent and thresholdTokens, absent when nil (18.3).
	CompactionThreshold jsontext.Value
	Stored
}

// ModeChangeBody enters or leaves a mode. omp, xcsh, cambium.
type ModeChangeBody struct {
	// Mode is "none" outside of any mode.
	Mode string
	// Data is free data of the mode, absent when nil.
	Data jsontext.Value
	Stored
}

// MCPToolSelectionBody lists the tools that are selected from now on. xcsh,
// cambium.
type MCPToolSelectionBody struct {
	SelectedToolNames []string
	Stored
}

// TitleChangeBody records a rename. omp.
type TitleChangeBody struct {
	Title  string
	Source string // "auto" or "user"
	// PreviousTitle and Trigger (what asked for it) are absent when "".
	PreviousTitle string
	Trigger       string
	Stored
}

// ModelUsageBody accounts a call outside the conversation. omp.
type ModelUsageBody struct {
	Purpose    string
	Role       string // absent when ""
	API        string
	Provider   string
	Model      string
	Usage      jsontext.Value
	StopReason string
	// ErrorMessage is absent when "".
	ErrorMessage string
	Stored
}

// CredentialPinBody pins a provider's credential, known by its hash. omp.
type CredentialPinBody struct {
	Provider string
	Hash     string
	Stored
}

// ResetBoundaryBody hides everything older from the model. omp.
type ResetBoundaryBody struct {
	Stored
}

// Verbatim is a body kept as it was given: an entry of an unknown type, or any
// entry whose members are to be written byte for byte.
type Verbatim struct {
	// Name is the type.
	Name string
	// Members is an object with the members in their order, without type, id,
	// parentId and timestamp.
	Members jsontext.Value
	Stored
}

// Kind returns the kind that the type spells, or [Unknown].
func (b *Verbatim) Kind() Kind { return KindOf(b.Name) }

// Type returns the type.
func (b *Verbatim) Type() string { return b.Name }

func (b *Verbatim) bind() []field { return nil }

// Kind returns [Message].
func (*MessageBody) Kind() Kind { return Message }

// Kind returns [ThinkingLevelChange].
func (*ThinkingLevelChangeBody) Kind() Kind { return ThinkingLevelChange }

// Kind returns [ModelChange].
func (*ModelChangeBody) Kind() Kind { return ModelChange }

// Kind returns [ServiceTierChange].
func (*ServiceTierChangeBody) Kind() Kind { return ServiceTierChange }

// Kind returns [Compaction].
func (*CompactionBody) Kind() Kind { return Compaction }

// Kind returns [BranchSummary].
func (*BranchSummaryBody) Kind() Kind { return BranchSummary }

// Kind returns [Custom].
func (*CustomBody) Kind() Kind { return Custom }

// Kind returns [CustomMessage].
func (*CustomMessageBody) Kind() Kind { return CustomMessage }

// Kind returns [Label].
func (*LabelBody) Kind() Kind { return Label }

// Kind returns [SessionInfo].
func (*SessionInfoBody) Kind() Kind { return SessionInfo }

// Kind returns [Usage].
func (*UsageBody) Kind() Kind { return Usage }

// Kind returns [ContextEdit].
func (*ContextEditBody) Kind() Kind { return ContextEdit }

// Kind returns [TTSRInjection].
func (*TTSRInjectionBody) Kind() Kind { return TTSRInjection }

// Kind returns [SessionInit].
func (*SessionInitBody) Kind() Kind { return SessionInit }

// Kind returns [ModeChange].
func (*ModeChangeBody) Kind() Kind { return ModeChange }

// Kind returns [MCPToolSelection].
func (*MCPToolSelectionBody) Kind() Kind { return MCPToolSelection }

// Kind returns [TitleChange].
func (*TitleChangeBody) Kind() Kind { return TitleChange }

// Kind returns [ModelUsage].
func (*ModelUsageBody) Kind() Kind { return ModelUsage }

// Kind returns [CredentialPin].
func (*CredentialPinBody) Kind() Kind { return CredentialPin }

// Kind returns [ResetBoundary].
func (*ResetBoundaryBody) Kind() Kind { return ResetBoundary }

// Type returns the type as a session file spells it.
func (*MessageBody) Type() string { return Message.String() }

// Type returns the type as a session file spells it.
func (*ThinkingLevelChangeBody) Type() string { return ThinkingLevelChange.String() }

// Type returns the type as a session file spells it.
func (*ModelChangeBody) Type() string { return ModelChange.String() }

// Type returns the type as a session file spells it.
func (*ServiceTierChangeBody) Type() string { return ServiceTierChange.String() }

// Type returns the type as a session file spells it.
func (*CompactionBody) Type() string { return Compaction.String() }

// Type returns the type as a session file spells it.
func (*BranchSummaryBody) Type() string { return BranchSummary.String() }

// Type returns the type as a session file spells it.
func (*CustomBody) Type() string { return Custom.String() }

// Type returns the type as a session file spells it.
func (*CustomMessageBody) Type() string { return CustomMessage.String() }

// Type returns the type as a session file spells it.
func (*LabelBody) Type() string { return Label.String() }

// Type returns the type as a session file spells it.
func (*SessionInfoBody) Type() string { return SessionInfo.String() }

// Type returns the type as a session file spells it.
func (*UsageBody) Type() string { return Usage.String() }

// Type returns the type as a session file spells it.
func (*ContextEditBody) Type() string { return ContextEdit.String() }

// Type returns the type as a session file spells it.
func (*TTSRInjectionBody) Type() string { return TTSRInjection.String() }

// Type returns the type as a session file spells it.
func (*SessionInitBody) Type() string { return SessionInit.String() }

// Type returns the type as a session file spells it.
func (*ModeChangeBody) Type() string { return ModeChange.String() }

// Type returns the type as a session file spells it.
func (*MCPToolSelectionBody) Type() string { return MCPToolSelection.String() }

// Type returns the type as a session file spells it.
func (*TitleChangeBody) Type() string { return TitleChange.String() }

// Type returns the type as a session file spells it.
func (*ModelUsageBody) Type() string { return ModelUsage.String() }

// Type returns the type as a session file spells it.
func (*CredentialPinBody) Type() string { return CredentialPin.String() }

// Type returns the type as a session file spells it.
func (*ResetBoundaryBody) Type() string { return ResetBoundary.String() }
