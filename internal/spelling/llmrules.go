package spelling

// LLM says how messages become what a model is sent: the peculiarities of one
// program's convertToLlm, as a value. The zero LLM sends every known role and
// adds nothing.
type LLM struct {
	// Skip has the roles that are not sent. Roles that no program has never
	// are.
	Skip []string
	// Attribution adds an attribution to what lacks one: "user" to what a
	// person did, "agent" to the rest; extensions' messages keep theirs or stay
	// without.
	Attribution bool
	// Custom is how messages of extensions and hooks are sent.
	Custom CustomForm
	// Spoken has the custom types whose messages, when attributed to the user,
	// are sent as the user's own words; Interjected those which are marked as
	// said while the agent worked besides. Neither holds for hooks.
	Spoken, Interjected []string
	// Interrupted is the custom type of the message after an answer that was
	// cut short; the unfinished reasoning at that answer's end is not sent. ""
	// for none.
	Interrupted string
	// Files is how mentioned files are sent.
	Files FileForm
	// Pruned is how a tool result that was pruned is sent.
	Pruned PrunedForm
	// Summary is how the text of summaries is laid out.
	Summary SummaryForm
	// Handoff is the method of compactions whose summary is a document of
	// hand-over, "" for none.
	Handoff string
	// RewriteMark adds historyRewriteAt, the timestamp, to summaries.
	RewriteMark bool
	// Payload passes a compaction's providerPayload on.
	Payload bool
	// Blocks sends a compaction's blocks in place of the wrapped summary, and
	// its images after it.
	Blocks bool
	// BashImages sends the pictures in a command's output.
	BashImages bool
	// Notice is where it says that output was left out.
	Notice NoticeForm
}

// CustomForm is how messages of extensions are sent.
type CustomForm uint8

// The forms. The zero CustomForm is CustomUser.
const (
	// CustomUser sends them as user messages.
	CustomUser CustomForm = iota
	// CustomDeveloper sends them as developer messages, their pictures in a user
	// message of its own.
	CustomDeveloper
)

// FileForm is how mentioned files are sent.
type FileForm uint8

// The forms. The zero FileForm is FilesReminder.
const (
	// FilesReminder sends all files as one user message, as a reminder, the
	// pictures after it.
	FilesReminder FileForm = iota
	// FilesSplit sends text files as a developer message and pictures as a user
	// message.
	FilesSplit
)

// PrunedForm is how a pruned tool result is sent.
type PrunedForm uint8

// The forms. The zero PrunedForm is PrunedAsStored.
const (
	// PrunedAsStored makes no difference.
	PrunedAsStored PrunedForm = iota
	// PrunedText sends its texts as one block and nothing else.
	PrunedText
	// PrunedTextFirst sends its texts as one block in the place of the first of
	// them, and keeps the other blocks.
	PrunedTextFirst
)

// SummaryForm is how the text of summaries is laid out between its tags.
type SummaryForm uint8

// The forms. The zero SummaryForm is SummaryRaw.
const (
	// SummaryRaw leaves the text alone; of a branch the closing tag follows
	// directly, of a compaction on a line of its own.
	SummaryRaw SummaryForm = iota
	// SummaryTight trims blanks at line ends, packs table rows, keeps one blank
	// line of a run and none around tags and before list items.
	SummaryTight
	// SummarySparse trims blanks at line ends, packs table rows, keeps single
	// blank lines, removes longer runs and blank lines before closing tags.
	SummarySparse
)

// NoticeForm is where a message says that its output is not whole.
type NoticeForm uint8

// The forms. The zero NoticeForm is NoticePath.
const (
	// NoticePath is the fields truncated and fullOutputPath.
	NoticePath NoticeForm = iota
	// NoticeMeta is the object meta.
	NoticeMeta
)
