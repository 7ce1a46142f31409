package spelling

import (
	"github.com/cambium-dev/cambium/internal/rulebook"
)

// piLLM is how pi 0.87.1 sends messages to a model.
func piLLM() rulebook.LLM {
	return rulebook.LLM{Skip: []string{"developer", "pythonExecution", "hookMessage", "fileMention"}}
}

// xcshLLM is how xcsh 17.4.4 does.
func xcshLLM() rulebook.LLM {
	return rulebook.LLM{
		Skip: []string{"system"}, Attribution: true,
		Pruned: rulebook.PrunedText, Summary: rulebook.SummaryTight, Payload: true, Notice: rulebook.NoticeMeta,
	}
}

// cambiumLLM is xcsh's.
func cambiumLLM() rulebook.LLM { return xcshLLM() }

// ompLLM is how omp 18.2.3 does.
func ompLLM() rulebook.LLM {
	return rulebook.LLM{
		Skip: []string{"system"}, Attribution: true,
		Custom: rulebook.CustomDeveloper, Spoken: []string{"skill-prompt"}, Interjected: []string{"collab-prompt"},
		Interrupted: "interrupted-thinking", Files: rulebook.FilesSplit, Pruned: rulebook.PrunedTextFirst,
		Summary: rulebook.SummarySparse, Handoff: "handoff", RewriteMark: true, Payload: true, Blocks: true,
		BashImages: true, Notice: rulebook.NoticeMeta,
	}
}
