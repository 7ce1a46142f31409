package entry

// A Body is what an entry says beyond its id, parent and time. Bodies are the
// types of this package that end in Body, and [Verbatim]; always pointers.
//
// Each has a field Extra beside those that are listed: the members that are not fields of
// its type, and fields whose value has the wrong type, in their order. They are written
// after the fields.
//
// A body that was read from an entry remembers the entry's line: encoded again
// without a change it gives the same bytes, and after a change all other bytes
// stay ([Encode]). A Body is not safe for concurrent use while it is changed.
type Body interface {
	kind() Kind
	// bind lists the fields of the body in the order in which the programs
	// write them.
	bind() []field
	stored() *rest
}

// BodyKind returns the kind of entry that a body is, [Unknown] for a type that no
// dialect here knows.
func BodyKind(b Body) Kind { return b.kind() }

// BodyType returns the type of a body as a session file spells it.
func BodyType(b Body) string {
	if v, ok := b.(*Verbatim); ok {
		return v.Name
	}
	return b.kind().String()
}

// rest is part of every body: what was read with it and is not one of its
// fields. The zero rest is right for a new body.
type rest struct {
	// Extra holds the members that are not fields of the body's type, and
	// fields whose value has the wrong type, in their order. They are written
	// after the fields.
	Extra []Member

	raw JSON // the line it was read from, nil for a new body
}

func (r *rest) stored() *rest { return r }

// A Member is one member of a JSON object.
type Member struct {
	Key   string
	Value JSON
}

// MessageBody holds one message of any role (package message decodes it).
// Written by all programs.
type MessageBody struct {
	Message JSON
	rest
}

// ThinkingLevelChangeBody sets the thinking level. pi writes a string, omp and
// xcsh a string or null.
type ThinkingLevelChangeBody struct {
	// ThinkingLevel is null when nil.
	ThinkingLevel *string
	// Configured is what the user chose, a string ("auto" among them) or null;
	// absent when nil. Always written by omp, by nobody else.
	Configured JSON
	rest
}

// ModelChangeBody sets a model. pi writes Provider and ModelID; omp, xcsh and
// cambium write Model and Role.
type ModelChangeBody struct {
	Provider string // pi
	ModelID  string // pi
	// Model is "provider/id".
	Model string // omp, xcsh, cambium
	// Role is the role the model is for; absent is "default".
	Role string // omp, xcsh, cambium
	// ResolvedModelIsFallback says that Model stands in for the configured
	// one. Always written by omp, by nobody else.
	ResolvedModelIsFallback *bool
	rest
}

// ServiceTierChangeBody sets the service tier. xcsh writes "auto", "default",
// "flex", "scale" or "priority"; omp an object with openai, anthropic and
// google, each optional; both write null to unset it. pi does not know it.
type ServiceTierChangeBody struct {
	// ServiceTier is null when nil.
	ServiceTier JSON
	rest
}

// CompactionBody replaces what is older on its path by a summary. Written by
// all programs, with fields of their own.
type CompactionBody struct {
	Summary string
	// ShortSummary is for lists of sessions. omp, xcsh, cambium.
	ShortSummary string
	// FirstKeptEntryID names the first entry that stays in the context. pi
	// names the compaction itself when nothing is kept.
	FirstKeptEntryID ID
	// TokensBefore is the size of the context before.
	TokensBefore int64
	// TokensAfter is the size afterwards, absent when nil. omp.
	TokensAfter *int64
	// Method is how it was compacted. omp.
	Method string
	// ProviderReplayThroughEntryID is the last entry that the provider's own
	// compacted history covers. omp.
	ProviderReplayThroughEntryID ID
	// Details is free data, such as the files read and modified. All.
	Details JSON
	// Usage is what the summary cost. pi.
	Usage JSON
	// FromHook says that an extension made it. pi.
	FromHook *bool
	// FromExtension says that an extension made it. omp, xcsh, cambium.
	FromExtension *bool
	// PreserveData is free data that outlives the compaction. omp, xcsh,
	// cambium.
	PreserveData JSON
	// Warning is shown with the summary. omp.
	Warning string
	// SystemMessage is the system message in force, a whole message. pi.
	SystemMessage JSON
	rest
}

// BranchSummaryBody tells what an abandoned branch held. Written by all
// programs.
type BranchSummaryBody struct {
	// FromID is the leaf that was left (pi) or the entry that was gone to (the
	// others); "root" for none.
	FromID  ID
	Summary string
	// Details is free data. All.
	Details JSON
	// Usage is what the summary cost. pi.
	Usage JSON
	// FromHook says that an extension made it. pi.
	FromHook *bool
	// FromExtension says that an extension made it. omp, xcsh, cambium.
	FromExtension *bool
	rest
}

// CustomBody is state of an extension, which never reaches the model. Written by
// all programs; its fields stand before the entry's id.
type CustomBody struct {
	// CustomType names the extension and its kind of state.
	CustomType string
	// Data is free data, absent when nil.
	Data JSON
	rest
}

// CustomMessageBody is an extension's message, which reaches the model. Written
// by all programs; its fields stand before the entry's id.
type CustomMessageBody struct {
	CustomType string
	// Content is a string or an array of text and image blocks.
	Content JSON
	// Display is whether a person sees it.
	Display bool
	// Details is free data, absent when nil.
	Details JSON
	// Attribution is "user" or "agent", absent when "". omp, xcsh, cambium.
	Attribution string
	rest
}

// LabelBody names another entry. Written by all programs.
type LabelBody struct {
	TargetID ID
	// Label is the name; when "" it is not written and clears the name.
	Label string
	rest
}

// SessionInfoBody names the session. pi.
type SessionInfoBody struct {
	// Name is the name; "" clears it.
	Name string
	rest
}

// UsageBody accounts tokens spent outside the conversation. pi. Its spelled
// kind is UsageKind, because Kind is a method.
type UsageBody struct {
	UsageKind string // written as kind
	Provider  string
	Model     string
	Usage     JSON
	Note      string // absent when ""
	rest
}

// ContextEditBody removes or replaces what the model sees of an earlier entry.
// pi.
type ContextEditBody struct {
	TargetID ID
	// Replacement is an object with content; null, which removes, when nil.
	Replacement JSON
	rest
}

// TTSRInjectionBody lists rules that were injected. omp, xcsh, cambium.
type TTSRInjectionBody struct {
	InjectedRules []string
	rest
}
