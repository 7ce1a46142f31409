package dialect

import "github.com/cambium-dev/cambium/replay"

// piLLM is how pi 0.87.1 sends messages to a model.
func piLLM() replay.LLM {
	return replay.LLM{Skip: []string{"developer", "pythonExecution", "hookMessage", "fileMention"}}
}

// xcshLLM is how xcsh 17.4.4 does.
func xcshLLM() replay.LLM {
	return replay.LLM{
		Skip: []string{"system"}, Attribution: true,
		Pruned: replay.PrunedText, Summary: replay.SummaryTight, Payload: true, Notice: replay.NoticeMeta,
	}
}

// cambiumLLM is xcsh's.
func cambiumLLM() replay.LLM { return xcshLLM() }

// ompLLM is how omp 18.2.3 does.
func ompLLM() replay.LLM {
	return replay.LLM{
		Skip: []string{"system"}, Attribution: true,
		Custom: replay.CustomDeveloper, Spoken: []string{"skill-prompt"}, Interjected: []string{"collab-prompt"},
		Interrupted: "interrupted-thinking", Files: replay.FilesSplit, Pruned: replay.PrunedTextFirst,
		Summary: replay.SummarySparse, Handoff: "handoff", RewriteMark: true, Payload: true, Blocks: true,
		BashImages: true, Notice: replay.NoticeMeta,
	}
}
