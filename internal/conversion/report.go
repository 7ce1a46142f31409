package conversion

import (
	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Reasons for which an entry is spelled anew. It says the same as before, as far
// as the other program can say it.
const (
	// Restored: taken back to what its own program wrote.
	Restored convert.Reason = "restored"
	// Model: provider and modelId, or model; one that is for a role which the
	// target has not is set aside.
	Model convert.Reason = "model"
	// Thinking: a level that is null is "off" for pi.
	Thinking convert.Reason = "thinking"
	// Tier: a service tier by family as one word.
	Tier convert.Reason = "tier"
	// Title: session_info as title_change or the other way round.
	Title convert.Reason = "title"
	// Flag: fromHook as fromExtension or the other way round.
	Flag convert.Reason = "flag"
	// From: the fromId of a branch_summary (D11).
	From convert.Reason = "from"
	// Edit: an edit of what the model sees (D21).
	Edit convert.Reason = "edit"
	// Role: a message of a role that the target does not send, in one that it
	// does.
	Role convert.Reason = "role"
	// Block: reasoning that was hidden by its provider.
	Block convert.Reason = "block"
	// Stop: a stopReason that the target has not.
	Stop convert.Reason = "stop"
	// Content: a message without content gets an empty one.
	Content convert.Reason = "content"
	// Filled: an answer gets the usage that the target cannot do without.
	Filled convert.Reason = "usage"
	// Accounting: usage as model_usage or the other way round.
	Accounting convert.Reason = "accounting"
	// Reset: a reset of the context as a compaction that keeps nothing.
	Reset convert.Reason = "reset"
	// Hidden: a message that its own program hides from the model, set aside.
	Hidden convert.Reason = "hidden"
	// Inert: what had no meaning for its own program and would have for the
	// target, set aside.
	Inert convert.Reason = "inert"
	// Image: an image put into the line or taken out of it.
	Image convert.Reason = "image"
	// Linked: its parent is nowhere; the new line names the entry below which it
	// is read.
	Linked convert.Reason = "linked"
	// Whole: text that was cut for its length, put back.
	Whole convert.Reason = "whole"
)

// Reasons for which an entry is only named: it stays as it is, and the target
// makes less of it, or something else.
const (
	// Kind: a kind of entry without meaning for the target.
	Kind convert.Reason = "kind"
	// Field: members without meaning for the target.
	Field convert.Reason = "field"
	// Attribution: the target does not tell the model, or not in the same way,
	// who spoke.
	Attribution convert.Reason = "attribution"
	// System: the system message of a compaction, which the target does not
	// send.
	System convert.Reason = "system"
	// Preserved: data of a compaction that only its own program rebuilds
	// messages from.
	Preserved convert.Reason = "preserved"
	// Pruned: a failed answer that one of the two leaves out and the other
	// sends.
	Pruned convert.Reason = "pruned"
	// Shown: a message of a role that its own program does not send and the
	// target does.
	Shown convert.Reason = "shown"
	// Swallowed: a message that the target hides from the model.
	Swallowed convert.Reason = "swallowed"
	// MissingBlob: a blob that was not there; the reference stays.
	MissingBlob convert.Reason = "missingBlob"
)

// add notes an entry, once for each reason.
func add(r *convert.Report, item convert.Item) {
	for i := len(r.Items) - 1; i >= 0 && r.Items[i].Position == item.Position; i-- {
		if r.Items[i].Reason == item.Reason {
			return
		}
	}
	r.Counts[item.Reason]++
	r.Items = append(r.Items, item)
}

// Note notes entries for reasons that a writer found, by their places among the lines.
func Note(r *convert.Report, lines []entry.JSON, reasons map[int]convert.Reason) {
	for i, line := range lines {
		reason, ok := reasons[i]
		if !ok || i >= r.Entries {
			continue // what was added is no entry of the source
		}
		id, _ := jsonedit.Text(line, "id")
		kind, _ := jsonedit.Text(line, "type")
		add(r, convert.Item{Entry: id, Position: i, Type: kind, Reason: reason, Changed: true})
	}
}
