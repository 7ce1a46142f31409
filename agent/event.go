package agent

import (
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
)

// A Reason says why a session begins or is switched to.
type Reason string

// The published reasons. ForStartup is that of session_start alone.
const (
	ForStartup Reason = "startup"
	ForResume  Reason = "resume"
	ForNew     Reason = "new"
	ForFork    Reason = "fork"
)

// An Event is what a hook is told. The types of this package are all there are.
type Event interface {
	name() string
}

// Name returns the published name of an event.
func Name(e Event) string { return e.name() }

// A SessionStart tells that the agent has its first session, before its
// messages are there.
type SessionStart struct {
	Reason Reason
}

// A SessionBeforeSwitch asks whether the agent may go to another session. A
// Reply that cancels keeps it where it is.
type SessionBeforeSwitch struct {
	Reason Reason
	// TargetSessionFile is the absolute path of the session that is gone to, ""
	// for one that is still to be made.
	TargetSessionFile string
}

// A SessionSwitch tells that the agent has another session.
type SessionSwitch struct {
	Reason Reason
	// PreviousSessionFile is the path of the one before, "" in memory.
	PreviousSessionFile string
}

// A SessionBeforeBranch asks whether a user message may be branched from.
type SessionBeforeBranch struct {
	EntryID entry.ID
}

// A SessionBranch tells that the agent has a session that holds what came before
// a user message.
type SessionBranch struct {
	PreviousSessionFile string
}

// A TreePreparation is a move within the tree that is about to be made.
type TreePreparation struct {
	TargetID entry.ID
	// OldLeafID is the leaf that is left, CommonAncestorID the last entry that
	// both paths share; nil for none.
	OldLeafID, CommonAncestorID *entry.ID
	// EntriesToSummarize is what is left behind, oldest first.
	EntriesToSummarize []entry.Entry
	UserWantsSummary   bool
	// CustomInstructions are the user's, for the summary.
	CustomInstructions string
}

// A SessionBeforeTree asks whether the leaf may move. A Reply may bring the
// summary; it counts only if the user wants one.
type SessionBeforeTree struct {
	Preparation TreePreparation
}

// A SessionTree tells that the leaf moved.
type SessionTree struct {
	// NewLeafID and OldLeafID are nil for none.
	NewLeafID, OldLeafID *entry.ID
	// SummaryEntry is the id of the branch_summary, "" for none.
	SummaryEntry entry.ID
	// FromExtension says that a hook brought the summary.
	FromExtension bool
}

// A SessionBeforeCompact asks whether the session may be compacted. A Reply may
// bring the compaction.
type SessionBeforeCompact struct {
	Preparation        compact.Preparation
	BranchEntries      []entry.Entry
	CustomInstructions string
}

// A SessionCompacting asks what else the model that sums up is to know.
type SessionCompacting struct {
	SessionID string
	Messages  []entry.JSON
}

// A SessionCompact tells that the session was compacted.
type SessionCompact struct {
	// CompactionEntry is the entry's id.
	CompactionEntry entry.ID
	FromExtension   bool
}

// A SessionShutdown tells that the agent ends.
type SessionShutdown struct{}

func (SessionStart) name() string { return "session_start" }

func (SessionBeforeSwitch) name() string { return "session_before_switch" }

func (SessionSwitch) name() string { return "session_switch" }

func (SessionBeforeBranch) name() string { return "session_before_branch" }

func (SessionBranch) name() string { return "session_branch" }

func (SessionBeforeTree) name() string { return "session_before_tree" }

func (SessionTree) name() string { return "session_tree" }

func (SessionBeforeCompact) name() string { return "session_before_compact" }

func (SessionCompacting) name() string { return "session.compacting" }

func (SessionCompact) name() string { return "session_compact" }

func (SessionShutdown) name() string { return "session_shutdown" }

// A Reply is what a hook answers. The zero Reply answers nothing.
type Reply struct {
	// Cancel stops what is about to happen. It counts for events that ask.
	Cancel bool
	// SkipConversationRestore leaves the driver's messages as they are
	// (session_before_branch).
	SkipConversationRestore bool
	// Summary is a text in place of the model's (session_before_tree, and
	// session_before_compact, there with what to keep in Compaction).
	Summary *compact.Result
	// Compaction is the entry to append (session_before_compact).
	Compaction *entry.CompactionBody
	// Context are further lines for who sums up, Prompt replaces what it is
	// asked, PreserveData goes into the entry (session.compacting).
	Context      []string
	Prompt       string
	PreserveData entry.JSON
}

// empty reports whether nothing was answered.
func (r Reply) empty() bool {
	return !r.Cancel && !r.SkipConversationRestore && r.Summary == nil && r.Compaction == nil &&
		r.Context == nil && r.Prompt == "" && r.PreserveData == nil
}

// asks reports whether an event may be cancelled.
func asks(e Event) bool {
	switch e.(type) {
	case SessionBeforeSwitch, SessionBeforeBranch, SessionBeforeTree, SessionBeforeCompact:
		return true
	}
	return false
}
