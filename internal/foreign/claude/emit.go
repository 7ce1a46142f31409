package claude

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unsafe"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// An emitter is what a reader knows while it writes.
type emitter struct {
	w foreign.Writer
	// tails says, by the ids of records, what comes behind one: the entry that was made of it,
	// or what was put behind that since. Records of one answer share one.
	tails  map[string]*string
	became map[string]string  // the entries of records that are no results
	cells  map[string]*string // the same by the entries that they name
	tip    *string            // that of the last record of the chain; nil before the first
	last   string             // the entry that was written last
	taken  map[string]int     // the ids of entries, and how many there were of each

	at    int    // the record that is written
	line  []byte // and its line
	found [len(keys) + len(inner)]jsonl.Span

	first         first
	model, effort string // of the last answer
	name          string // of the session, as the last record has it
	leafNamed     string // the record that was named as the newest last, and where
	leafAt        int
	compact       compaction
}

// The first are what the first records say of all.
type first struct{ id, cwd, time, version, branch, parent string }

// The members that are looked at.
var keys = [...]string{
	"type", "uuid", "timestamp", "cwd", "sessionId", "version", "gitBranch", "message", "toolUseResult", "isMeta", "isCompactSummary",
	"isApiErrorMessage", "isAbortedMidStream", "effort", "requestSessionId", "forkedFrom", "subtype", "logicalParentUuid",
	"compactMetadata", "attachment", "customTitle", "aiTitle", "leafUuid", "content", "cambium", "entry", "parentUuid", "isSidechain", "userType", "entrypoint",
}

const (
	kType = iota
	kUUID
	kTime
	kCwd
	kSession
	kVersion
	kBranch
	kMessage
	kResult
	kMeta
	kSummary
	kAPIError
	kAborted
	kEffort
	kRequestSession
	kForked
	kSubtype
	kLogical
	kCompact
	kAttachment
	kTitle
	kAutoTitle
	kLeaf
	kContent
	kOwn
	kEntry
)

// inner are those of a message.
var inner = [...]string{"content", "model", "stop_reason", "usage", "id"}

const (
	mContent = len(keys) + iota
	mModel
	mStop
	mUsage
	mID
)

var emitQuery = jsonl.Query{Keys: keys[:], Inside: kMessage, Inner: inner[:]}

// plain are the members that are in an entry already, or are of the session and not of the
// record.
var plain = map[string]bool{
	"type": true, "uuid": true, "parentUuid": true, "timestamp": true, "cwd": true, "sessionId": true, "version": true, "gitBranch": true,
	"message": true, "cambium": true, "toolUseResult": true, "isSidechain": true, "userType": true, "entrypoint": true, "isAbortedMidStream": true, "effort": true,
}

// emit writes the entries.
func (r *reader) emit() error {
	for at := range r.records {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.take(at); err != nil {
			return err
		}
		r.record()
	}
	r.end()
	return nil
}

// take reads the line of a record. One that is too long for that is left where it is.
func (r *reader) take(at int) error {
	rec := &r.records[at]
	r.at = at
	clear(r.found[:])
	if rec.len > maxLine {
		r.line = nil
		return nil
	}
	if int64(cap(r.line)) < rec.len {
		r.line = make([]byte, rec.len+rec.len/4)
	}
	r.line = r.line[:rec.len]
	if n, err := r.from.ReadAt(r.line, rec.off); n < len(r.line) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read record %d again: %w", at+1, err)
	}
	if rec.sort != broken && emitQuery.Scan(r.line, r.found[:]) != nil {
		rec.sort = broken // somebody changed it
	}
	return nil
}

// maxLine is how long a line may be that is looked into, in bytes.
const maxLine = 64 << 20

// text returns a member that is a string, "" for any other.
func (r *reader) text(n int) string {
	s, _ := jsonedit.String(r.found[n].In(r.line))
	return s
}

// is reports whether a member is true.
func (r *reader) is(n int) bool {
	is, _ := jsonedit.Bool(r.found[n].In(r.line))
	return is
}

// raw returns a member as it stands in the line, nil for none.
func (r *reader) raw(n int) []byte { return r.found[n].In(r.line) }

// cut writes a value that stands in the line.
func (r *reader) cut(key string, value []byte) {
	if len(value) == 0 {
		r.w.Raw(key, []byte("null"))
		return
	}
	off := int64(uintptr(unsafe.Pointer(&value[0])) - uintptr(unsafe.Pointer(&r.line[0])))
	r.w.Cut(key, r.file, r.records[r.at].off+off, value)
}

// record writes what is to be written of the record that was taken.
func (r *reader) record() {
	rec := &r.records[r.at]
	if rec.sort != broken {
		r.meet()
	}
	switch {
	case rec.sort == broken:
		r.asIs()
	case rec.sort == noise:
	case rec.sort == title:
		r.entitle(kTitle)
	case rec.sort == autoTitle:
		r.entitle(kAutoTitle)
	case rec.sort == ours:
		r.ours()
	case rec.sort == prompt:
		r.leafNamed, r.leafAt = r.text(kLeaf), r.at
	case rec.uuid == "":
		r.splice(r.custom(r.place(), r.newest()))
	case rec.sort == assistant:
		if !rec.answer.begun {
			rec.answer.begun = true
			r.answer(rec.answer)
		}
	case rec.sort == user:
		r.user(rec)
	case rec.sort == system && r.text(kSubtype) == "compact_boundary":
		r.compacts(rec)
	case rec.sort == attachment && r.queued(rec):
	case rec.sort == system && r.skips():
		r.chain(rec, r.behind(rec))
	case rec.sort == system && r.spoke(rec):
	default:
		r.chain(rec, r.custom(rec.uuid, r.behind(rec)))
	}
}

// asIs writes a line that is no record, so that who reads the entries meets it.
func (r *reader) asIs() {
	rec := &r.records[r.at]
	if r.line != nil {
		r.w.Cut("", r.file, rec.off, r.line)
		r.w.End()
		return
	}
	id := r.id(r.place())
	r.w.Entry("custom", id, r.newest(), r.when())
	r.w.Text("customType", "claude.long")
	r.w.Raw("data", fmt.Appendf(nil, `{"offset":%d,"bytes":%d}`, rec.off, rec.len))
	r.splice(r.done(id))
}

// place names the record by its place among those of the file.
func (r *reader) place() string { return fmt.Sprintf("record-%d", r.at+1) }

// meet notes what the first records say of the session.
func (r *reader) meet() {
	for _, m := range []struct {
		to *string
		of int
	}{{&r.first.cwd, kCwd}, {&r.first.id, kSession}, {&r.first.time, kTime}, {&r.first.version, kVersion}, {&r.first.branch, kBranch}} {
		if *m.to == "" {
			*m.to = r.text(m.of)
		}
	}
	if own := r.raw(kOwn); own != nil && r.at == 0 {
		if begun, _ := jsonedit.Text(own, "begun"); begun != "" {
			r.first.time = begun
		}
		r.first.parent, _ = jsonedit.Text(own, "session")
	}
	if r.first.parent != "" {
		return
	}
	if from, ok := jsonedit.Text(r.raw(kForked), "sessionId"); ok {
		r.first.parent = from
	} else if from := r.text(kRequestSession); from != "" && from != r.text(kSession) {
		r.first.parent = from
	}
}

// when returns the timestamp of the record, or the last one before it.
func (r *reader) when() string {
	if _, ok := jsonedit.ParseTime(r.text(kTime)); ok {
		return r.text(kTime)
	}
	if r.first.time != "" {
		return r.first.time
	}
	return "1970-01-01T00:00:00.000Z"
}

// id returns an id like the one that is wanted, which no entry has yet.
func (r *reader) id(want string) string {
	id := want
	for r.taken[id] > 0 {
		r.taken[want]++
		id = fmt.Sprintf("%s~%d", want, r.taken[want])
	}
	r.taken[id] = 1
	return id
}

// behind returns the entry that a record's comes behind, "" for none. One that follows a
// record that is not there follows the one before it in the file, as the program has it.
func (r *reader) behind(rec *record) string {
	if rec.parent == "" {
		return ""
	}
	if tail := r.tails[rec.parent]; tail != nil {
		return *tail
	}
	return r.newest()
}

// newest returns the last entry of the chain.
func (r *reader) newest() string {
	if r.tip == nil {
		return ""
	}
	return *r.tip
}

// chain notes which entry a record became.
func (r *reader) chain(rec *record, id string) {
	r.became[rec.uuid] = id
	r.share(rec, &id)
}

// share notes which entry comes behind a record and others.
func (r *reader) share(rec *record, tail *string) {
	r.tails[rec.uuid], r.cells[*tail] = tail, tail
	if !rec.side || r.sub {
		r.tip = tail
	}
}

// splice puts an entry of no chain behind the last one of the chain.
func (r *reader) splice(id string) {
	if r.tip == nil {
		r.tip = new(string)
	}
	*r.tip = id
	r.cells[id] = r.tip
}

// identity returns the id of an entry and of the one before it: those that were found, or
// those that a record remembers.
func (r *reader) identity(want, behind string) (id, parent string) {
	own := r.raw(kOwn)
	if id, ok := jsonedit.Text(own, "id"); ok && id != "" {
		want = id
	}
	raw, ok := jsonedit.Get(own, "parent")
	if was, _ := jsonedit.String(raw); r.taken[was] > 0 {
		behind = was
	} else if ok && jsonedit.IsNull(raw) {
		behind = ""
	}
	return r.id(want), behind
}

// skips reports whether a record is only for the program.
func (r *reader) skips() bool {
	skip, _ := jsonedit.Get(r.raw(kOwn), "skip")
	is, _ := jsonedit.Bool(skip)
	return is
}

// ours writes an entry that was kept in a record of its own. One that cannot be where it was
// is the data of another.
func (r *reader) ours() {
	line := r.raw(kEntry)
	id, _ := jsonedit.Text(line, "id")
	kind, _ := jsonedit.Text(line, "type")
	raw, _ := jsonedit.Get(line, "parentId")
	parent, _ := jsonedit.String(raw)
	known := r.taken[parent] > 0 || raw == nil || jsonedit.IsNull(raw)
	if id == "" || r.taken[id] > 0 || !known || kind == "" || kind == "session" || kind == "title" {
		r.splice(r.custom(r.place(), r.newest()))
		return
	}
	switch kind {
	case "model_change":
		r.model, _ = jsonedit.Text(line, "modelId")
	case "thinking_level_change":
		r.effort, _ = jsonedit.Text(line, "thinkingLevel")
	}
	r.cut("", line)
	r.w.End()
	r.last = r.id(id)
	if tail := r.cells[parent]; tail != nil && *tail == parent {
		*tail = id
		r.cells[id] = tail
	}
}

// done ends an entry.
func (r *reader) done(id string) string {
	r.w.Close('}')
	r.w.End()
	r.last = id
	return id
}

// header returns the line of the header. The id is the name of the file, by which the program
// goes on with it, whatever its records say.
func (r *reader) header() []byte {
	id := strings.TrimSuffix(path.Base(r.path), ext)
	parent := r.first.parent
	if strings.HasPrefix(id, agentPrefix) {
		parent = r.first.id
	}
	out := []byte(`{"type":"session","version":3,"id":`)
	out = jsonedit.Quote(out, id)
	out = append(out, `,"timestamp":`...)
	out = jsonedit.Quote(out, r.first.time)
	out = append(out, `,"cwd":`...)
	out = jsonedit.Quote(out, r.first.cwd)
	if parent != "" && parent != id {
		out = append(out, `,"parentSession":`...)
		out = jsonedit.Quote(out, parent)
	}
	out = append(out, `,"claude":{"version":`...)
	out = jsonedit.Quote(out, r.first.version)
	if r.first.branch != "" {
		out = append(out, `,"gitBranch":`...)
		out = jsonedit.Quote(out, r.first.branch)
	}
	return append(out, "}}\n"...)
}
