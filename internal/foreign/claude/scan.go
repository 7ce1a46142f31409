package claude

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/mosaic"
)

// A sort says what a record is for.
type sort uint8

const (
	other     sort = iota // one that is not known
	broken                // no record at all
	noise                 // says nothing that belongs to the conversation
	user                  // of a person, or results of tools
	assistant             // a part of an answer
	system
	attachment
	title     // the session's name
	autoTitle // a name that the program found
	prompt    // which record is the newest of the branch that goes on
	ours      // an entry that had no record of its own
)

// sorts are the records that are told apart. Those of the requests are copies of what was
// sent.
var sorts = map[string]sort{
	"user": user, "assistant": assistant, "system": system, "attachment": attachment,
	"custom-title": title, "ai-title": autoTitle, "last-prompt": prompt,
	"api-request": noise, "api-request-blob": noise, "api-request-shape": noise, "atis-latch": noise,
	kept: ours, "queue-operation": noise, "tools-used": noise, "mode": noise, "agent-name": noise,
}

// A record is one line of the file.
type record struct {
	off  int64
	len  int64
	sort sort
	side bool // of a subagent, in the file of its session
	// uuid and parent are its own and of the one that it follows; parent is "" for none.
	uuid, parent string
	answer       *answer // which it is a part of, or a result for
}

// An answer is what a model said to one request: the lines that have its id, and the results
// of the tools that it called, both in the order of the file.
type answer struct {
	lines, results []int
	begun          bool
}

// A call is one of a tool.
type call struct {
	of   *answer
	name []byte // raw
}

// A reader makes the lines of one session.
type reader struct {
	ctx     context.Context
	file    int // its number in the mosaic
	from    mosaic.File
	size    int64
	path    string // of the file, with slashes
	title   []byte // what lies beside it
	sub     bool   // it is a subagent's
	records []record
	answers map[string]*answer
	calls   map[string]call
	known   map[string]int // the records by their ids
	emitter
}

func newReader(ctx context.Context, f mosaic.File, size int64, name string) *reader {
	r := &reader{
		ctx: ctx, from: f, size: size, path: name,
		answers: map[string]*answer{}, calls: map[string]call{}, known: map[string]int{},
	}
	r.cells, r.became = map[string]*string{}, map[string]string{}
	r.tails, r.taken = map[string]*string{}, map[string]int{}
	r.file = r.w.Lines.File(f)
	r.sub = strings.HasPrefix(path.Base(name), agentPrefix)
	return r
}

// read reads the file twice: to know what belongs together, and to write it. What is
// appended meanwhile is not of it.
func (r *reader) read() (*mosaic.Mosaic, error) {
	err := r.scan()
	if err == nil {
		err = r.emit()
	}
	if err != nil {
		r.w.Lines.Abandon()
		return nil, err
	}
	return r.w.Lines.Mosaic(r.header()), nil
}

// What is looked for in each record.
const (
	ofType = iota
	ofUUID
	ofParent
	ofSide
	ofMessage
	ofOwn
	ofID
	ofContent
)

var scanQuery = jsonl.Query{
	Keys:   []string{"type", "uuid", "parentUuid", "isSidechain", "message", "cambium"},
	Inside: ofMessage,
	Inner:  []string{"id", "content"},
}

// scan notes all records, and which belong together.
func (r *reader) scan() error {
	var found [8]jsonl.Span
	return jsonl.Lines(r.from, 0, r.size, jsonl.Options{}, func(line jsonl.Line) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		rec := record{off: line.Off, len: line.Len, sort: broken}
		if len(jsonl.Trim(line.Bytes, 0).In(line.Bytes)) == 0 && line.Bytes != nil {
			return nil
		}
		if scanQuery.Scan(line.Bytes, found[:]) == nil {
			r.note(&rec, line.Bytes, &found)
		}
		r.records = append(r.records, rec)
		return nil
	})
}

// note fills in a record, and puts it to the answer that it belongs to.
func (r *reader) note(rec *record, line []byte, found *[8]jsonl.Span) {
	at := len(r.records)
	kind, _ := jsonedit.String(found[ofType].In(line))
	rec.sort = sorts[kind]
	rec.uuid, _ = jsonedit.String(found[ofUUID].In(line))
	rec.parent, _ = jsonedit.String(found[ofParent].In(line))
	rec.side, _ = jsonedit.Bool(found[ofSide].In(line))
	if rec.uuid != "" {
		if _, twice := r.known[rec.uuid]; !twice {
			r.known[rec.uuid] = at
		}
		if len(r.known) == 1 && rec.side {
			r.sub = true
		}
	}
	content := found[ofContent].In(line)
	switch {
	case rec.uuid == "":
	case rec.sort == assistant:
		id, _ := jsonedit.String(found[ofID].In(line))
		if id == "" {
			id = rec.uuid
		}
		a := r.answers[id]
		if a == nil {
			a = new(answer)
			r.answers[id] = a
		}
		a.lines = append(a.lines, at)
		rec.answer = a
		r.noteCalls(a, content)
	case found[ofOwn].Present(): // it says itself what it comes behind
	case rec.sort == user && bytes.Contains(content, []byte(`"tool_result"`)):
		for block := range jsonedit.Elements(content) {
			if a := r.calls[resultOf(block)].of; a != nil {
				a.results = append(a.results, at)
				rec.answer = a
				return
			}
		}
	}
}

// noteCalls notes which tools an answer called.
func (r *reader) noteCalls(a *answer, content []byte) {
	if !bytes.Contains(content, []byte(`"tool_use"`)) {
		return
	}
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind != "tool_use" {
			continue
		}
		id, _ := jsonedit.Text(block, "id")
		name, _ := jsonedit.Get(block, "name")
		r.calls[id] = call{of: a, name: bytes.Clone(name)}
	}
}

// resultOf returns the id of the call that a block is the result of, "" for any other.
func resultOf(block []byte) string {
	if kind, _ := jsonedit.Text(block, "type"); kind != "tool_result" {
		return ""
	}
	id, _ := jsonedit.Text(block, "tool_use_id")
	return id
}

// leaf returns the record on whose branch the session goes on, -1 for none: the last of the
// chain, unless a later record names another.
func (r *reader) leaf(named string, after int) int {
	last := -1
	for at := len(r.records) - 1; at >= 0 && last < 0; at-- {
		if rec := &r.records[at]; rec.uuid != "" && (!rec.side || r.sub) && rec.sort != title && rec.sort != autoTitle {
			last = at
		}
	}
	if at, ok := r.known[named]; ok && after > last {
		return at
	}
	return last
}
