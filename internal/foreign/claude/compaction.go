package claude

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A compaction is one of which the boundary was met and the summary not yet.
type compaction struct {
	kept   string // the first entry that stays
	tokens int64
}

// compacts writes the boundary of a compaction, behind what it sums up. The summary follows.
func (r *reader) compacts(rec *record) {
	behind := r.newest()
	if logical := r.text(kLogical); logical != "" {
		if tail := r.tails[logical]; tail != nil {
			behind = *tail
		}
	}
	meta := r.raw(kCompact)
	before, _ := jsonedit.Get(meta, "preTokens")
	r.compact.tokens, _ = jsonedit.Int(before)
	head, _ := jsonedit.Path(meta, "preservedSegment", "headUuid")
	first, _ := jsonedit.String(head)
	id := behind
	if !r.skips() {
		id = r.custom(rec.uuid, behind)
		r.compact.kept = id // nothing that is sent
	}
	if entry := r.became[first]; entry != "" {
		r.compact.kept = entry
	}
	r.chain(rec, id)
}

// summary writes a compaction. A summary without a boundary keeps nothing.
func (r *reader) summary(rec *record) {
	id, behind := r.identity(rec.uuid, r.behind(rec))
	kept := r.compact.kept
	if kept == "" {
		kept = id
	}
	r.w.Entry("compaction", id, behind, r.when())
	r.w.Text("summary", summed(r.raw(mContent)))
	r.w.Text("firstKeptEntryId", kept)
	r.w.Raw("tokensBefore", strconv.AppendInt(nil, r.compact.tokens, 10))
	r.rest()
	r.chain(rec, r.done(id))
	r.compact = compaction{}
}

// summed returns what a summary says, without what the program writes before it.
func summed(content []byte) string {
	text, ok := jsonedit.String(content)
	if !ok {
		var all []byte
		for block := range jsonedit.Elements(content) {
			part, _ := jsonedit.Text(block, "text")
			all = append(all, part...)
		}
		text = string(bytes.TrimSpace(all))
	}
	const begin = "Summary:\n"
	if strings.HasPrefix(text, "This session is being continued from a previous conversation") {
		if at := strings.Index(text, begin); at >= 0 {
			text = text[at+len(begin):]
		}
		for _, end := range []string{"\n\nIf you need specific details", "\n[…]"} { // the second in the samples
			if at := strings.LastIndex(text, end); at >= 0 {
				text = text[:at]
			}
		}
	}
	return strings.TrimSpace(text)
}

// end writes what is known of the session as a whole: its name, and the branch on which it
// goes on if that is not the last one.
func (r *reader) end() {
	clear(r.found[:])
	if name, ok := jsonedit.Text(r.title, "customTitle"); ok && name != "" {
		r.entitled("title", name)
	}
	leaf := r.leaf(r.leafNamed, r.leafAt)
	if leaf < 0 {
		return
	}
	tail := r.tails[r.records[leaf].uuid]
	if tail == nil || *tail == r.last || *tail == "" {
		return
	}
	id := r.id("leaf")
	r.w.Entry("custom", id, *tail, r.when())
	r.w.Text("customType", "claude.leaf")
	r.done(id)
}
