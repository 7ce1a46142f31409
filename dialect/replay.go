package dialect

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
)

// actsCommon are the kinds to which every dialect gives meaning.
func actsCommon() replay.Kinds {
	return replay.KindsOf(entry.Message, entry.ThinkingLevelChange, entry.ModelChange,
		entry.Compaction, entry.BranchSummary, entry.CustomMessage)
}

// piRules are those of pi 0.87.1.
func piRules() replay.Rules {
	return replay.Rules{
		Acts:        actsCommon() | replay.KindsOf(entry.ContextEdit),
		Model:       replay.LastModel,
		SingleModel: true,
		FillContent: true,
		Compaction:  replay.CompactionRules{SystemMessage: true},
	}
}

// ompRules are those of omp 18.2.3, and of 18.3 for what only that writes.
func ompRules() replay.Rules {
	return replay.Rules{
		Acts: actsCommon() | replay.KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.ResetBoundary, entry.Custom),
		ConfiguredThinking: true,
		Tier:               replay.TierByFamily,
		Custom: replay.CustomRules{
			Strict: true, DefaultType: "custom-message", Attribution: true,
			Hidden: []string{"prewalk-plan", "vibe-mode-context"},
		},
		Compaction: replay.CompactionRules{
			ShortSummary: true, Outcome: true,
			RemoteHistory: true, RemoteObjects: true, ServerSummary: true, ServerTail: true,
			Archive: true, Rollover: "experimental-context-rollover",
			RequestTypes: []string{"skill-prompt", "collab-prompt"},
		},
		EditType:  EditType,
		NotesType: "experimental_context_notes",
		Prune:     &replay.PruneRules{ContinuedBy: "interrupted-thinking"},
	}
}

// xcshRules are those of xcsh 17.4.4, except that an explicit model is not
// overridden by an answer (published P1).
func xcshRules() replay.Rules {
	return replay.Rules{
		Acts: actsCommon() | replay.KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.MCPToolSelection, entry.Custom),
		Custom:     replay.CustomRules{Attribution: true},
		Compaction: replay.CompactionRules{ShortSummary: true, RemoteHistory: true},
		EditType:   EditType,
	}
}

// cambiumRules are the published ones (P1), for which xcsh stands where the
// text is silent.
func cambiumRules() replay.Rules { return xcshRules() }
