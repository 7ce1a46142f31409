// Package compact has the words in which programs speak of a compaction: the settings, what
// a model is asked, the summary that comes back, and what is prepared before.
//
// What is summed up and what stays is decided when package agent compacts a session, by
// the rules of the session's dialect. To prune is to replace old results of tools by a
// notice. Numbers of tokens are estimates unless a provider counted them.
package compact

import (
	"errors"

	"github.com/cambium-dev/cambium/entry"
)

var (
	// ErrCompacted says that nothing was said since the last compaction: the
	// branch ends with one. Go on without.
	ErrCompacted = errors.New("already compacted")
	// ErrNothing says that all of the branch would be kept, because it is short
	// or has nowhere to be cut. Go on without, or keep less.
	ErrNothing = errors.New("nothing to compact")
)

// Settings are what a user chooses. The zero Settings are the defaults.
type Settings struct {
	// Disabled turns compaction by itself off; it can still be asked for.
	Disabled bool
	// Reserve is how many tokens of the window are kept free for the next
	// request and answer; 0 is 16,384, less is none.
	Reserve int
	// KeepRecent is about how many tokens of the newest conversation stay; 0 is
	// 20,000, less is as little as can be.
	KeepRecent int
	// ThresholdTokens is the fill of the window above which to compact; 0 or
	// less is unset. It wins over ThresholdPercent.
	ThresholdTokens int
	// ThresholdPercent is the same in percent of the window, 1 to 99; 0 or less
	// is unset. Unset, the reserve decides.
	ThresholdPercent float64
}

// A Fill is how many tokens a context takes.
type Fill struct {
	// Tokens is all of it.
	Tokens int
	// Counted is the part that a provider counted, Estimated the rest.
	Counted, Estimated int
	// Entry is the position of the answer that says what was counted, or -1.
	Entry int
}

// A Request is what a model is asked so that it writes a summary.
type Request struct {
	// System is the system prompt, Prompt the only message, from the user.
	System, Prompt string
	// MaxTokens is the most that the answer may take.
	MaxTokens int
	// Part says which of the requests for one summary it is, from 1, and Parts how
	// many there will be, about: how many depends on how long the answers are. 0 is
	// not known.
	Part, Parts int
}

// A Result is a summary that a model, an extension or a person made. Fields that
// the dialect does not write are passed over.
type Result struct {
	// Summary is the text, as Join gives it.
	Summary string
	// ShortSummary is a line for lists. omp, xcsh, cambium.
	ShortSummary string
	// FirstKeptEntryID is where an extension wants to keep from; "" is as
	// prepared.
	FirstKeptEntryID entry.ID
	// Details is free data; nil tells the files, as the programs do.
	Details entry.JSON
	// FromExtension says whether an extension made it; nil does not say.
	FromExtension *bool
	// PreserveData is free data of an extension. omp, xcsh, cambium.
	PreserveData entry.JSON
	// Usage is what the summary cost. pi.
	Usage entry.JSON
	// Method is how it was made and Warning what there is to say. omp.
	Method, Warning string
	// Time is when it was made, milliseconds since 1970: the timestamp of the
	// system message that is repeated. pi.
	Time int64
}

// A Preparation is what a compaction will do. Hooks may look at it; nothing is written
// before its Body is appended. It is not safe for concurrent use.
type Preparation interface {
	// Conversation returns what is summed up as text.
	Conversation() string
	// JSON returns the preparation as hooks of the programs know it: firstKeptEntryId,
	// messagesToSummarize, turnPrefixMessages, isSplitTurn, tokensBefore,
	// previousSummary where there is one, fileOps and settings.
	JSON() entry.JSON
	// TokensAfter estimates how many tokens the context takes with that summary.
	TokensAfter(summary string) int
	// Body returns the entry to append: a compaction in the dialect's spelling.
	Body(r Result) *entry.CompactionBody
}

// An Abandoned branch is what is left when the leaf moves, prepared to be summed up. It is
// not safe for concurrent use.
type Abandoned interface {
	// Conversation returns what is summed up as text, "" when nothing was said.
	Conversation() string
	// Join returns the summary as it is to be stored: with the files that were read and
	// changed at its end.
	Join(summary string) string
}
