package catalog

import (
	"hash/maphash"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/usage"
)

// Places of the members that a listing wants of a line and of its message.
const (
	ofLineUsage = iota
)

const (
	inUsage    = usage.InUsage
	inStop     = usage.InStop
	inModel    = usage.InModel
	inProvider = usage.InProvider
	inTime     = usage.InTime
	inTool     = usage.InTool
	inDetails  = usage.InDetails
	inContent  = usage.InDetails + 1
)

// newScanner returns a scanner for what a listing wants.
func newScanner() *entry.Scanner { return usage.NewScanner("content") }

// innerNames are the members of a message that a listing wants, by their places.
var innerNames = append(usage.MessageKeys(), "content")

// facts are what a listing gathers while the entries of one session pass by.
type facts struct {
	scanner *entry.Scanner
	seed    maphash.Seed
	text    bool // all that was said is wanted
	// load reads a line that is too long to be held while others pass by.
	load func(at entry.At) []byte

	messages   int
	said       []byte
	first      string
	last       entry.At
	lastRole   entry.Role
	lastLong   bool
	stop       ending
	model      string
	provider   string
	latest     int64 // the time of the last user or assistant message, in ms
	name       []byte
	compaction []byte
	marks      spelling.Marks
	costs      costs
	// spent is called with what an entry cost, instead of summing it in costs,
	// unless it is nil.
	spent func(key uint64, u Usage)

	block blocks
}

// reset forgets everything but what memory it may use again.
func (f *facts) reset() {
	*f = facts{
		scanner: f.scanner, seed: f.seed, text: f.text, load: f.load,
		name: f.name[:0], compaction: f.compaction[:0], costs: costs{each: f.costs.each[:0]},
		said: f.said[:0], block: f.block,
	}
}

// entry takes the next entry. line is nil for one too long to be held.
func (f *facts) entry(e *entry.Envelope, line []byte, at entry.At) {
	switch e.Kind {
	case entry.Message:
		f.message(e, line, at)
		return
	case entry.Compaction:
		f.compaction = append(f.compaction[:0], line...)
		f.spend(e)
	case entry.BranchSummary, entry.ModelUsage, entry.Usage:
		f.spend(e)
	case entry.SessionInfo:
		f.name = append(f.name[:0], line...)
	}
	f.marks.See(e.Kind, line)
}

// spend notes what an entry says that it cost.
func (f *facts) spend(e *entry.Envelope) {
	u, ok := usageIn(usageOf(e.Kind, e.Role, f.scanner), e.Role)
	if !ok {
		return
	}
	if f.spent != nil {
		f.spent(keyOf(f.seed, e), u)
		return
	}
	f.costs.add(keyOf(f.seed, e), u)
}

// message takes a message entry.
func (f *facts) message(e *entry.Envelope, line []byte, at entry.At) {
	f.messages++
	f.last, f.lastRole, f.lastLong, f.stop = at, e.Role, line == nil, ended
	in := f.scanner.Inner
	switch e.Role {
	case entry.RoleToolResult:
		f.spend(e)
		return
	case entry.RoleAssistant:
		f.spend(e)
		f.stop = endingOf(in(inStop))
		f.model, f.provider = keep(f.model, in(inModel)), keep(f.provider, in(inProvider))
	case entry.RoleUser:
	default:
		return
	}
	if n, ok := decimal(in(inTime)); ok {
		f.latest = max(f.latest, int64(n))
	} else if n, ok := jsonedit.Number(in(inTime)); ok {
		f.latest = max(f.latest, int64(n))
	} else if e.Time != entry.NoTime {
		f.latest = max(f.latest, e.Time)
	}
	asked := e.Role == entry.RoleUser && f.first == ""
	if !asked && !f.text {
		return
	}
	content := in(inContent)
	if line == nil && content == nil && f.load != nil {
		content, _ = jsonedit.Path(f.load(at), "message", "content")
	}
	from := len(f.said)
	all := f.said
	if from > 0 {
		all = append(all, ' ')
	}
	start := len(all)
	all = f.block.append(all, content)
	if len(all) == start {
		return
	}
	if asked {
		f.first = cutFirst(all[start:])
	}
	if f.said = all; !f.text {
		f.said = all[:from]
	}
}

// keep returns the text of a raw JSON string, without a new string when it is
// the one that was there; "" for anything else.
func keep(was string, raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if in := raw[1 : len(raw)-1]; string(in) == was {
		return was
	}
	text, _ := jsonedit.String(raw)
	return text
}

// An ending is how an answer ended.
type ending uint8

const (
	ended ending = iota // by itself, or in a way that is not known
	ofError
	ofAbort
	ofLength
	ofTool
)

// endingOf reads a raw stopReason.
func endingOf(raw []byte) ending {
	switch string(jsonl.Text(raw)) {
	case "error":
		return ofError
	case "aborted":
		return ofAbort
	case "length":
		return ofLength
	case "toolUse":
		return ofTool
	}
	return ended
}

// blocks reads the text of messages. It keeps the memory for the next.
type blocks struct {
	buf   []byte
	found [2]jsonl.Span
}

var blockQuery = jsonl.Query{Keys: []string{"type", "text"}, Inside: -1}

// text returns the text of a message's content. It is valid until the next call.
func (b *blocks) text(content []byte) []byte {
	b.buf = b.append(b.buf[:0], content)
	return b.buf
}

// append appends the text of a message's content: the string, or its text blocks
// joined by spaces.
func (b *blocks) append(dst, content []byte) []byte {
	if len(content) > 0 && content[0] == '"' {
		return jsonl.AppendText(dst, content)
	}
	i, more := blockQuery.Element(content, 0, b.found[:])
	for n := 0; more; i, more = blockQuery.Element(content, i, b.found[:]) {
		raw := b.found[1].In(content)
		if string(b.found[0].In(content)) != `"text"` || len(raw) == 0 || raw[0] != '"' {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ' ')
		}
		dst = jsonl.AppendText(dst, raw)
	}
	return dst
}

// maxFirst is how much of a first message is kept, in bytes.
const maxFirst = 64 << 10

// cutFirst returns a text as Info.FirstMessage has it.
func cutFirst(text []byte) string {
	if len(text) <= maxFirst {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:maxFirst]), "")
}
