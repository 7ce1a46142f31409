package compaction

import "github.com/cambium-dev/cambium/internal/spelling"

// Bare returns the rules without those that remove or add messages because of others.
func (r Rules) Bare() Rules {
	r.replay.Prune, r.replay.NotesType = nil, ""
	return r
}

// Replay returns the rules for rebuilding the context.
func (r Rules) Replay() spelling.Rules { return r.replay }
