package message

// StopReason says why an assistant message ended.
type StopReason string

// The stop reasons. Pending and Deferred are pi's only.
const (
	Stop     StopReason = "stop"
	Length   StopReason = "length"
	ToolUse  StopReason = "toolUse"
	Error    StopReason = "error"
	Aborted  StopReason = "aborted"
	Pending  StopReason = "pending"
	Deferred StopReason = "deferred"
)

// User is what a person asked.
type User struct {
	Content Content
	// Attribution is "user" or "agent": who really wrote it (xcsh, omp).
	Attribution string
	// Synthetic says that the program wrote it (xcsh, omp).
	Synthetic bool
	// Steering says that it was sent while the agent worked (omp).
	Steering        bool
	ProviderPayload *ProviderPayload // xcsh, omp
	// HistoryRewriteAt is when history before it was rewritten (omp).
	HistoryRewriteAt int64
	Timestamp        int64
	decoded
}

// Assistant is what a model answered.
type Assistant struct {
	Content              []Block
	API, Provider, Model string
	Usage                *Usage
	StopReason           StopReason
	ErrorMessage         string
	ResponseID           string
	// ResponseModel is the model that really answered (pi).
	ResponseModel string
	// RawStopReason is the provider's own word (pi).
	RawStopReason string
	// ProviderThinkingLevel is the effort that was asked for (pi).
	ProviderThinkingLevel string
	// Deferred is the handle of an answer still to come (pi).
	Deferred JSON
	// Diagnostics is an array of what went wrong on the way (pi).
	Diagnostics JSON
	// EndTurn is the provider's word that the turn is over, a boolean (pi).
	EndTurn         JSON
	ProviderPayload *ProviderPayload // xcsh, omp
	// Duration and TTFT (to the first token) are milliseconds (xcsh, omp).
	Duration, TTFT float64
	// ContextSnapshot is what the context measured (omp).
	ContextSnapshot JSON
	// RetryRecovery marks an answer that a retry replaced (omp).
	RetryRecovery JSON
	// UpstreamProvider and UpstreamModel are behind a router (omp).
	UpstreamProvider, UpstreamModel string
	// StopDetails is the provider's account of the stop (omp).
	StopDetails JSON
	Timestamp   int64
	decoded
}

// ToolResult is what a tool answered.
type ToolResult struct {
	ToolCallID string
	ToolName   string
	Content    Content
	// Details is the tool's own, not shown to the model.
	Details JSON
	// Usage is what the tool itself spent on models (pi).
	Usage   *Usage
	IsError bool
	// PrunedAt is when the content was cut to a notice, milliseconds; 0 for
	// never (xcsh, omp).
	PrunedAt         int64
	Attribution      string // xcsh, omp
	ProviderMetadata JSON   // omp
	Timestamp        int64
	decoded
}

// Section is a named part of a system prompt.
type Section struct {
	Name string
	Text string
	// Removed says that the section is taken away from here on (null).
	Removed bool
}

// System is a system prompt or an addition to it (pi; omp and xcsh keep it and
// do not send it).
type System struct {
	Content Content
	// Sections are replaced by name by those of later system messages.
	Sections []Section
	// ToolsAdded are definitions, ToolsRemoved references.
	ToolsAdded, ToolsRemoved []JSON
	Timestamp                int64
	decoded
}

// Developer is an instruction by the program (xcsh, omp; pi does not send it).
type Developer struct {
	Content         Content
	Attribution     string
	ProviderPayload *ProviderPayload
	Timestamp       int64
	decoded
}

// BashExecution is a command that the person ran with "!".
type BashExecution struct {
	Command, Output string
	// ExitCode is nil when there is none.
	ExitCode             *int64
	Cancelled, Truncated bool
	// FullOutputPath is the file with the whole output (pi).
	FullOutputPath string
	// Meta says what was left out of the output (xcsh, omp).
	Meta JSON
	// Images are pictures in the output (omp).
	Images []Block
	// ExcludeFromContext says that the model does not see it ("!!").
	ExcludeFromContext bool
	Timestamp          int64
	decoded
}

// PythonExecution is Python code that the person ran (xcsh, omp; pi does not
// send it).
type PythonExecution struct {
	Code, Output string
	// ExitCode is nil when there is none.
	ExitCode             *int64
	Cancelled, Truncated bool
	// Meta says what was left out of the output.
	Meta               JSON
	ExcludeFromContext bool
	Timestamp          int64
	decoded
}

// Custom is a message that an extension put in.
type Custom struct {
	CustomType string
	Content    Content
	// Display says that the person sees it.
	Display bool
	// Details is the extension's own, not shown to the model.
	Details JSON
	// Attribution is "user" or "agent" (xcsh, omp).
	Attribution string
	Timestamp   int64
	decoded
}

// Hook is Custom under the name it had before version 3 of the format; xcsh and
// omp still send it, pi does not.
type Hook Custom

// FileMention is files that the person named with "@" (xcsh, omp; pi does not
// send it).
type FileMention struct {
	Files     []*File
	Timestamp int64
	decoded
}

// File is one file of a FileMention.
type File struct {
	Path, Content       string
	LineCount, ByteSize int64
	// SkippedReason says why the content is missing.
	SkippedReason string
	// Image is the file when it is a picture.
	Image *Image
	decoded
}

// BranchSummary is what a left branch was about. It is made from an entry of
// type branch_summary and normally not stored as a message.
type BranchSummary struct {
	Summary   string
	FromID    string
	Timestamp int64
	decoded
}

// CompactionSummary is what was compacted. It is made from an entry of type
// compaction and normally not stored as a message.
type CompactionSummary struct {
	Summary string
	// ShortSummary is for people (xcsh, omp).
	ShortSummary    string
	TokensBefore    float64
	TokensAfter     float64          // omp
	Method          string           // omp
	ProviderPayload *ProviderPayload // xcsh, omp
	// Blocks replace the wrapped summary towards the model (omp).
	Blocks    []Block
	Warning   string // omp
	Timestamp int64
	decoded
}

// Unknown is a message with a role that no program has, or no object at all; all
// of its members but role and timestamp are Extra.
type Unknown struct {
	// Name is the role as written, "" when it is not a string.
	Name      string
	Timestamp int64
	decoded
}
