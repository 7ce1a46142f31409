package spelling

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/rulebook"
)

// actsCommon are the kinds to which every dialect gives meaning.
func actsCommon() rulebook.Kinds {
	return rulebook.KindsOf(entry.Message, entry.ThinkingLevelChange, entry.ModelChange,
		entry.Compaction, entry.BranchSummary, entry.CustomMessage)
}

// piRules are those of pi 0.87.1.
func piRules() rulebook.Rules {
	return rulebook.Rules{
		Acts:        actsCommon() | rulebook.KindsOf(entry.ContextEdit),
		Model:       rulebook.LastModel,
		SingleModel: true,
		FillContent: true,
		Compaction:  rulebook.CompactionRules{SystemMessage: true},
	}
}

// ompRules are those of omp 18.2.3, and of 18.3 for what only that writes.
func ompRules() rulebook.Rules {
	return rulebook.Rules{
		Acts: actsCommon() | rulebook.KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.ResetBoundary, entry.Custom),
		ConfiguredThinking: true,
		Tier:               rulebook.TierByFamily,
		Custom: rulebook.CustomRules{
			Strict: true, DefaultType: "custom-message", Attribution: true,
			Hidden: []string{"prewalk-plan", "vibe-mode-context"},
		},
		Compaction: rulebook.CompactionRules{
			ShortSummary: true, Outcome: true,
			RemoteHistory: true, RemoteObjects: true, ServerSummary: true, ServerTail: true,
			Archive: true, Rollover: "experimental-context-rollover",
			RequestTypes: []string{"skill-prompt", "collab-prompt"},
		},
		EditType:  EditType,
		NotesType: "experimental_context_notes",
		Prune:     &rulebook.PruneRules{ContinuedBy: "interrupted-thinking"},
	}
}

// xcshRules are those of xcsh 17.4.4, except that an explicit model is not
// overridden by an answer (published P1).
func xcshRules() rulebook.Rules {
	return rulebook.Rules{
		Acts: actsCommon() | rulebook.KindsOf(entry.ServiceTierChange, entry.TTSRInjection,
			entry.ModeChange, entry.MCPToolSelection, entry.Custom),
		Custom:     rulebook.CustomRules{Attribution: true},
		Compaction: rulebook.CompactionRules{ShortSummary: true, RemoteHistory: true},
		EditType:   EditType,
	}
}

// cambiumRules are the published ones (P1), for which xcsh stands where the
// text is silent.
func cambiumRules() rulebook.Rules { return xcshRules() }
