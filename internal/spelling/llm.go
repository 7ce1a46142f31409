package spelling

import ()

// piLLM is how pi 0.87.1 sends messages to a model.
func piLLM() LLM {
	return LLM{Skip: []string{"developer", "pythonExecution", "hookMessage", "fileMention"}}
}

// xcshLLM is how xcsh 17.4.4 does.
func xcshLLM() LLM {
	return LLM{
		Skip: []string{"system"}, Attribution: true,
		Pruned: PrunedText, Summary: SummaryTight, Payload: true, Notice: NoticeMeta,
	}
}

// cambiumLLM is xcsh's.
func cambiumLLM() LLM { return xcshLLM() }

// ompLLM is how omp 18.2.3 does.
func ompLLM() LLM {
	return LLM{
		Skip: []string{"system"}, Attribution: true,
		Custom: CustomDeveloper, Spoken: []string{"skill-prompt"}, Interjected: []string{"collab-prompt"},
		Interrupted: "interrupted-thinking", Files: FilesSplit, Pruned: PrunedTextFirst,
		Summary: SummarySparse, Handoff: "handoff", RewriteMark: true, Payload: true, Blocks: true,
		BashImages: true, Notice: NoticeMeta,
	}
}
