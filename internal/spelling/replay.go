package spelling

import (
	"github.com/cambium-dev/cambium/entry"
)

// actsCommon are the kinds to which every dialect gives meaning.
func actsCommon() Kinds {
	return KindsOf(entry.Message, entry.ThinkingLevelChange, entry.ModelChange,
		entry.Compaction, entry.BranchSummary, entry.CustomMessage)
}

// piRules are those of pi 0.87.1.
func piRules() Rules {
	return Rules{
		Acts:        actsCommon() | KindsOf(entry.ContextEdit),
		Model:       LastModel,
		SingleModel: true,
		FillContent: true,
		Compaction:  CompactionRules{SystemMessage: true},
	}
}

// ompRules are those of omp 18.2.3, and of 18.3 for what only that writes.
func ompRules() Rules {
	return Rules{
		Acts: actsCommon() | KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.ResetBoundary, entry.Custom),
		ConfiguredThinking: true,
		Tier:               TierByFamily,
		Custom: CustomRules{
			Strict: true, DefaultType: "custom-message", Attribution: true,
			Hidden: []string{"prewalk-plan", "vibe-mode-context"},
		},
		Compaction: CompactionRules{
			ShortSummary: true, Outcome: true,
			RemoteHistory: true, RemoteObjects: true, ServerSummary: true, ServerTail: true,
			Archive: true, Rollover: "experimental-context-rollover",
			RequestTypes: []string{"skill-prompt", "collab-prompt"},
		},
		EditType:  EditType,
		NotesType: "experimental_context_notes",
		Prune:     &PruneRules{ContinuedBy: "interrupted-thinking"},
	}
}

// xcshRules are those of xcsh 17.4.4, except that an explicit model is not
// overridden by an answer (published P1).
func xcshRules() Rules {
	return Rules{
		Acts: actsCommon() | KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.MCPToolSelection, entry.Custom),
		Custom:     CustomRules{Attribution: true},
		Compaction: CompactionRules{ShortSummary: true, RemoteHistory: true},
		EditType:   EditType,
	}
}

// cambiumRules are the published ones (P1), for which xcsh stands where the
// text is silent.
func cambiumRules() Rules { return xcshRules() }
