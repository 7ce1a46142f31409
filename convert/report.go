package convert

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
)

// A Reason says why an entry is in the report.
type Reason string

// Reasons for which an entry is spelled anew. It says the same as before, as far
// as the other program can say it.
const (
	// Restored: taken back to what its own program wrote.
	Restored Reason = "restored"
	// Model: provider and modelId, or model; one that is for a role which the
	// target has not is set aside.
	Model Reason = "model"
	// Thinking: a level that is null is "off" for pi.
	Thinking Reason = "thinking"
	// Tier: a service tier by family as one word.
	Tier Reason = "tier"
	// Title: session_info as title_change or the other way round.
	Title Reason = "title"
	// Flag: fromHook as fromExtension or the other way round.
	Flag Reason = "flag"
	// From: the fromId of a branch_summary (D11).
	From Reason = "from"
	// Edit: an edit of what the model sees (D21).
	Edit Reason = "edit"
	// Role: a message of a role that the target does not send, in one that it
	// does.
	Role Reason = "role"
	// Block: reasoning that was hidden by its provider.
	Block Reason = "block"
	// Stop: a stopReason that the target has not.
	Stop Reason = "stop"
	// Content: a message without content gets an empty one.
	Content Reason = "content"
	// Filled: an answer gets the usage that the target cannot do without.
	Filled Reason = "usage"
	// Accounting: usage as model_usage or the other way round.
	Accounting Reason = "accounting"
	// Reset: a reset of the context as a compaction that keeps nothing.
	Reset Reason = "reset"
	// Hidden: a message that its own program hides from the model, set aside.
	Hidden Reason = "hidden"
	// Inert: what had no meaning for its own program and would have for the
	// target, set aside.
	Inert Reason = "inert"
	// Image: an image put into the line or taken out of it.
	Image Reason = "image"
	// Linked: its parent is nowhere; the new line names the entry below which it
	// is read.
	Linked Reason = "linked"
	// Whole: text that was cut for its length, put back.
	Whole Reason = "whole"
)

// Reasons for which an entry is only named: it stays as it is, and the target
// makes less of it, or something else.
const (
	// Kind: a kind of entry without meaning for the target.
	Kind Reason = "kind"
	// Field: members without meaning for the target.
	Field Reason = "field"
	// Attribution: the target does not tell the model, or not in the same way,
	// who spoke.
	Attribution Reason = "attribution"
	// System: the system message of a compaction, which the target does not
	// send.
	System Reason = "system"
	// Preserved: data of a compaction that only its own program rebuilds
	// messages from.
	Preserved Reason = "preserved"
	// Pruned: a failed answer that one of the two leaves out and the other
	// sends.
	Pruned Reason = "pruned"
	// Shown: a message of a role that its own program does not send and the
	// target does.
	Shown Reason = "shown"
	// Swallowed: a message that the target hides from the model.
	Swallowed Reason = "swallowed"
	// MissingBlob: a blob that was not there; the reference stays.
	MissingBlob Reason = "missingBlob"
)

// An Item is one entry in a report.
type Item struct {
	// Entry is its id, "" for one that has none.
	Entry entry.ID `json:"id"`
	// Position is its place among the entries of the source, from 0.
	Position int `json:"-"`
	// Type is its type in the source.
	Type   string `json:"type"`
	Reason Reason `json:"reason"`
	// Changed reports that its line is not the stored one.
	Changed bool `json:"changed"`
}

// A Report says what a conversion did. It has an item for each entry and reason,
// in the order of the file.
type Report struct {
	From dialect.Name `json:"from"`
	To   dialect.Name `json:"to"`
	// Entries is how many entries the source has, Changed how many of them have
	// another line now, Added how many were added at the end, Dropped how many
	// that an earlier conversion had added were left out.
	Entries int `json:"entries"`
	Changed int `json:"changed"`
	Added   int `json:"added,omitzero"`
	Dropped int `json:"dropped,omitzero"`
	// Counts says how many entries each reason has.
	Counts map[Reason]int `json:"counts"`
	Items  []Item         `json:"items"`
}

// add notes an entry, once for each reason.
func (r *Report) add(item Item) {
	for i := len(r.Items) - 1; i >= 0 && r.Items[i].Position == item.Position; i-- {
		if r.Items[i].Reason == item.Reason {
			return
		}
	}
	r.Counts[item.Reason]++
	r.Items = append(r.Items, item)
}
