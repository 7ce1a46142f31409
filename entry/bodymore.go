package entry

// SessionInitBody records how a subagent was started. omp, xcsh, cambium; the
// fields after OutputSchema only omp.
type SessionInitBody struct {
	SystemPrompt string
	Task         string
	Tools        []string
	// OutputSchema is a JSON schema, absent when nil.
	OutputSchema JSON

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
	CompactionThreshold JSON
	rest
}

// ModeChangeBody enters or leaves a mode. omp, xcsh, cambium.
type ModeChangeBody struct {
	// Mode is "none" outside of any mode.
	Mode string
	// Data is free data of the mode, absent when nil.
	Data JSON
	rest
}

// MCPToolSelectionBody lists the tools that are selected from now on. xcsh,
// cambium.
type MCPToolSelectionBody struct {
	SelectedToolNames []string
	rest
}

// TitleChangeBody records a rename. omp.
type TitleChangeBody struct {
	Title  string
	Source string // "auto" or "user"
	// PreviousTitle and Trigger (what asked for it) are absent when "".
	PreviousTitle string
	Trigger       string
	rest
}

// ModelUsageBody accounts a call outside the conversation. omp.
type ModelUsageBody struct {
	Purpose    string
	Role       string // absent when ""
	API        string
	Provider   string
	Model      string
	Usage      JSON
	StopReason string
	// ErrorMessage is absent when "".
	ErrorMessage string
	rest
}

// CredentialPinBody pins a provider's credential, known by its hash. omp.
type CredentialPinBody struct {
	Provider string
	Hash     string
	rest
}

// ResetBoundaryBody hides everything older from the model. omp.
type ResetBoundaryBody struct {
	rest
}

// Verbatim is a body kept as it was given: an entry of an unknown type, or any
// entry whose members are to be written byte for byte.
type Verbatim struct {
	// Name is the type.
	Name string
	// Members is an object with the members in their order, without type, id,
	// parentId and timestamp.
	Members JSON
	rest
}

func (b *Verbatim) kind() Kind { return KindOf(b.Name) }

func (b *Verbatim) bind() []field { return nil }

func (*MessageBody) kind() Kind             { return Message }
func (*ThinkingLevelChangeBody) kind() Kind { return ThinkingLevelChange }
func (*ModelChangeBody) kind() Kind         { return ModelChange }
func (*ServiceTierChangeBody) kind() Kind   { return ServiceTierChange }
func (*CompactionBody) kind() Kind          { return Compaction }
func (*BranchSummaryBody) kind() Kind       { return BranchSummary }
func (*CustomBody) kind() Kind              { return Custom }
func (*CustomMessageBody) kind() Kind       { return CustomMessage }
func (*LabelBody) kind() Kind               { return Label }
func (*SessionInfoBody) kind() Kind         { return SessionInfo }
func (*UsageBody) kind() Kind               { return Usage }
func (*ContextEditBody) kind() Kind         { return ContextEdit }
func (*TTSRInjectionBody) kind() Kind       { return TTSRInjection }
func (*SessionInitBody) kind() Kind         { return SessionInit }
func (*ModeChangeBody) kind() Kind          { return ModeChange }
func (*MCPToolSelectionBody) kind() Kind    { return MCPToolSelection }
func (*TitleChangeBody) kind() Kind         { return TitleChange }
func (*ModelUsageBody) kind() Kind          { return ModelUsage }
func (*CredentialPinBody) kind() Kind       { return CredentialPin }
func (*ResetBoundaryBody) kind() Kind       { return ResetBoundary }
