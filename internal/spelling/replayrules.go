package spelling

import (
	"github.com/cambium-dev/cambium/entry"
)

// Kinds is a set of kinds of entry.
type Kinds uint32

// KindsOf returns the set of the given kinds.
func KindsOf(kinds ...entry.Kind) Kinds {
	var set Kinds
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether k is in the set.
func (s Kinds) Has(k entry.Kind) bool { return s&(1<<k) != 0 }

// Rules say how one dialect rebuilds what the model sees. The zero Rules act on
// no entry. A field that is not set means that the dialect has no such thing.
type Rules struct {
	// Acts are the kinds that change the context or its state. Entries of
	// other kinds only take their place in the tree.
	Acts Kinds
	// Model says which of model changes and answers names the model.
	Model ModelRule
	// SingleModel gives the state one model instead of a map of roles
	// (pi 0.87.1).
	SingleModel bool
	// ConfiguredThinking keeps what was chosen beside the level in effect
	// (omp 18.2.3).
	ConfiguredThinking bool
	// Tier says how a service tier is read.
	Tier TierRule
	// FillContent replaces the null or missing content of a message by an
	// empty one (pi 0.87.1).
	FillContent bool
	// Custom says how a custom_message becomes a message.
	Custom CustomRules
	// Compaction says what a compaction becomes.
	Compaction CompactionRules
	// EditType is the custom type of entries that edit an earlier entry; ""
	// when edits are context_edit entries only.
	EditType string
	// NotesType is the custom type of the notebook that is put before all
	// messages (omp 18.2.3).
	NotesType string
	// Prune removes calls without a result and turns that failed
	// (omp 18.2.3); nil keeps them.
	Prune *PruneRules
}

// ModelRule says what names the model.
type ModelRule uint8

const (
	// ExplicitModel: a model change for the role wins; an answer's model is
	// the default only while none was made (published P1, omp 18.2.3).
	ExplicitModel ModelRule = iota
	// LastModel: the last of either (pi 0.87.1).
	LastModel
)

// TierRule says how a service tier is read.
type TierRule uint8

const (
	// TierAsStored gives the last value, none for null (xcsh 17.4.4).
	TierAsStored TierRule = iota
	// TierByFamily gives an object with a tier for each family of models and
	// reads the single words of older sessions into it (omp 18.2.3).
	TierByFamily
)

// CustomRules say how a custom_message entry becomes a message.
type CustomRules struct {
	// Strict skips entries whose content is neither text nor an array, and
	// gives display and customType their defaults where they have a wrong
	// type (omp 18.2.3). Otherwise missing content counts as empty and the
	// rest is taken as stored.
	Strict bool
	// DefaultType is the custom type of an entry without one, if Strict.
	DefaultType string
	// Attribution passes on who spoke: "user", else "agent" if Strict, as
	// stored otherwise.
	Attribution bool
	// Hidden are custom types that the model does not see.
	Hidden []string
}

// CompactionRules say what a compaction becomes.
type CompactionRules struct {
	// SystemMessage puts the compaction's systemMessage before the summary
	// and drops system messages from what is kept (pi 0.87.1).
	SystemMessage bool
	// ShortSummary passes shortSummary on (omp 18.2.3, xcsh 17.4.4).
	ShortSummary bool
	// Outcome passes tokensAfter, method and warning on (omp 18.2.3).
	Outcome bool
	// RemoteHistory gives the summary the provider's own history of
	// preserveData.openaiRemoteCompaction, in place of the kept entries
	// (omp 18.2.3, xcsh 17.4.4).
	RemoteHistory bool
	// RemoteObjects requires every item of that history to be an object, and
	// emits what follows providerReplayThroughEntryId (omp 18.2.3).
	RemoteObjects bool
	// ServerSummary passes preserveData.anthropicCompaction on and dates the
	// summary before the first kept entry (omp 18.2.3).
	ServerSummary bool
	// ServerTail keeps what follows providerReplayThroughEntryId beside such a
	// summary when firstKeptEntryId is empty. The summary then has its own time,
	// and the earlier one as historyRewriteAt (omp 18.3).
	ServerTail bool
	// Archive rebuilds the blocks of preserveData.snapcompact (omp 18.2.3).
	Archive bool
	// Rollover is the details.kind of a compaction after which the last
	// request of the user comes again; "" for none (omp 18.2.3).
	Rollover string
	// RequestTypes are the custom types that count as a request when they are
	// attributed to the user, for Rollover.
	RequestTypes []string
}

// PruneRules remove from the messages what a provider would refuse: calls
// without a result, answers that ended in an error or were stopped, with their
// results, answers that are the record of a retry, and errors without content.
type PruneRules struct {
	// ContinuedBy is the custom type of a message that, right after an answer
	// that failed, keeps it.
	ContinuedBy string
}
