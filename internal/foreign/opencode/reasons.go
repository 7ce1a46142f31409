package opencode

import (
	"github.com/cambium-dev/cambium/convert"
)

// Reasons for which an entry is written in another form. The model is sent the same, as far as
// nothing else is said.
const (
	// Role: a message of a role that OpenCode has not is a prompt that the program made.
	Role convert.Reason = "role"
	// Command: a command that the person ran is a prompt and the call of a tool.
	Command convert.Reason = "command"
	// Title: the name is that of the session.
	Title convert.Reason = "title"
	// Model: the model is named by the messages that follow.
	Model convert.Reason = "model"
	// Moved: a result that came later stands with its call.
	Moved convert.Reason = "moved"
	// Unanswered: a call without a result has failed.
	Unanswered convert.Reason = "unanswered"
	// Thinking: what was thought is without the proof of another provider.
	Thinking convert.Reason = "thinking"
	// Details: the details of a result are no object, and stand in one.
	Details convert.Reason = "details"
	// Stop: why an answer ended is said with another word.
	Stop convert.Reason = "stop"
	// Unsent: the answer failed or was stopped, and OpenCode does not send it again.
	Unsent convert.Reason = "unsent"
	// Kept: a compaction keeps whole messages only, and those from another one on.
	Kept convert.Reason = "kept"
)

// Reasons for which an entry, or something of it, is left out.
const (
	// Kind: OpenCode has no such entry.
	Kind convert.Reason = "kind"
	// Hidden: the model does not see it.
	Hidden convert.Reason = "hidden"
	// Orphan: a result of no call before it.
	Orphan convert.Reason = "orphan"
	// Image: a picture that is not in the session itself, or that an answer or a failed result
	// holds.
	Image convert.Reason = "image"
	// Block: a part of a message that OpenCode has not.
	Block convert.Reason = "block"
	// Field: members that OpenCode has no place for.
	Field convert.Reason = "field"
	// Preserved: what a provider keeps for a compaction.
	Preserved convert.Reason = "preserved"
)
