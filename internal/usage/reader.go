package usage

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// Places of the members that are wanted of a line.
const (
	ofUsage = iota
	ofProvider
	ofModel
	ofRole
	ofPurpose
	ofKind
	ofClaude
	ofOwn
)

// Places of the members that are wanted of a message, as [MessageKeys] has them.
const (
	InUsage = iota
	InProvider
	InModel
	InTime
	InResponse
	InStop
	InTool
	InFailed
	InDetails
)

// MessageKeys are the members that are wanted of a message.
func MessageKeys() []string {
	return []string{
		InUsage: "usage", InProvider: "provider", InModel: "model", InTime: "timestamp", InResponse: "responseId",
		InStop: "stopReason", InTool: "toolName", InFailed: "isError", InDetails: "details",
	}
}

// NewScanner returns a scanner for what a reader wants of a line, and for further members
// of its message: their places come after those of [MessageKeys]. The usage of the line
// itself is its key 0.
func NewScanner(more ...string) *entry.Scanner {
	return entry.NewScanner(
		[]string{ofUsage: "usage", ofProvider: "provider", ofModel: "model", ofRole: "role", ofPurpose: "purpose", ofKind: "kind", ofClaude: "claude", ofOwn: "cambium"},
		append(MessageKeys(), more...))
}

// A Reader makes the charges of sessions, one after another. It is for one goroutine.
type Reader struct {
	scanner *entry.Scanner
	copies  Copies
	charges []Charge
	at      []int32 // the position of the entry of each
	n       int32   // entries so far
	texts   map[string]string
	text    []byte // to be hashed
}

// NewReader returns a reader that has read nothing. The scanner is one of [NewScanner],
// and has scanned each line before Entry takes it.
func NewReader(scanner *entry.Scanner) *Reader {
	return &Reader{scanner: scanner, texts: map[string]string{}}
}

// Reset forgets the session that was read, and takes one whose copies are known so. What
// Charges returned stays.
func (r *Reader) Reset(copies Copies) { r.copies, r.charges, r.at, r.n = copies, nil, r.at[:0], 0 }

// Entry takes the next entry of a session.
func (r *Reader) Entry(e *entry.Envelope, at entry.At) {
	before := len(r.charges)
	switch {
	case e.Kind == entry.Message && e.Role == entry.RoleAssistant:
		r.answer(e)
	case e.Kind == entry.Message && e.Role == entry.RoleToolResult:
		r.run(e)
	case e.Kind == entry.Compaction:
		r.aside(e, Compaction)
	case e.Kind == entry.BranchSummary:
		r.aside(e, Summary)
	case e.Kind == entry.ModelUsage || e.Kind == entry.Usage:
		r.aside(e, Aside)
	}
	for i := range r.charges[before:] {
		r.charges[before+i].Line = at.Line
		r.at = append(r.at, r.n)
	}
	r.n++
}

// Charges returns the charges of the entries since Reset, of a session with such a header.
// active says which entries are on the branch on which the session goes on, by position; nil
// for all.
func (r *Reader) Charges(header []byte, active []bool) []Charge {
	branch := branchOf(header, "claude", "codex")
	for i := range r.charges {
		if r.charges[i].Branch == "" {
			r.charges[i].Branch = branch
		}
		at := int(r.at[i])
		r.charges[i].Active = active == nil || at < len(active) && active[at]
	}
	return r.charges
}

// branchOf returns the git branch that a line says in the member of an agent, "" for none.
func branchOf(line []byte, agents ...string) string {
	for _, agent := range agents {
		if own, ok := jsonedit.Get(line, agent); ok {
			branch, _ := jsonedit.Text(own, "gitBranch")
			return branch
		}
	}
	return ""
}

// answer takes a model's answer. One that says nothing of what it took is a charge, too:
// its cost is unknown.
func (r *Reader) answer(e *entry.Envelope) {
	in := r.scanner.Inner
	c := Charge{Kind: Answer, Provider: r.string(in(InProvider)), Model: r.string(in(InModel))}
	switch string(jsonl.Text(in(InStop))) {
	case "aborted":
		c.Aborted = true
	case "error":
		c.Failed = true
	}
	c.bill(in(InUsage), Billed)
	if c.Origin == Stored && c.Cost == 0 && r.filledIn() {
		c.Origin = Unknown
	}
	r.add(e, &c, in(InResponse), 0)
}

// filledIn reports whether the entry was one of a program that stores no costs: the conversion
// wrote that it cost nothing, because others cannot do without.
func (r *Reader) filledIn() bool {
	own := r.scanner.Key(ofOwn)
	if len(own) == 0 {
		return false
	}
	from, _ := jsonedit.Path(own, "converted", "from")
	name, _ := jsonedit.String(from)
	return CopiesOf(dialect.Name(name)) == ByResponse
}

// aside takes an entry that is no message and may say what it took. One that does not is
// no charge: most compactions were made without a word about it.
func (r *Reader) aside(e *entry.Envelope, kind Kind) {
	key := r.scanner.Key
	if raw := key(ofUsage); len(raw) == 0 || raw[0] != '{' {
		return
	}
	c := Charge{Kind: kind, Provider: r.string(key(ofProvider)), Model: r.string(key(ofModel))}
	if kind == Aside {
		for _, place := range []int{ofRole, ofPurpose, ofKind} {
			if c.Role = r.string(key(place)); c.Role != "" {
				break
			}
		}
	}
	c.bill(key(ofUsage), Stored)
	r.add(e, &c, nil, 0)
}

// Places in what detailsQuery finds.
const (
	ofDetailsUsage = iota
	ofResults
	ofDetailsModel
	ofDuration // and all behind it
)

// detailsQuery finds what the details of a tool's result say of models and of time.
var detailsQuery = jsonl.Query{
	Keys:   []string{"usage", "results", "model", "durationMs", "totalDurationMs", "wallTimeMs", "elapsedMs"},
	Inside: -1,
}

// run takes the run of a tool.
func (r *Reader) run(e *entry.Envelope) {
	in := r.scanner.Inner
	c := Charge{Kind: Run, Ran: true, Tool: r.string(in(InTool))}
	c.Failed, _ = jsonedit.Bool(in(InFailed))
	details := in(InDetails)
	var found [7]jsonl.Span
	if len(details) == 0 || details[0] != '{' || detailsQuery.Scan(details, found[:]) != nil {
		details = nil
	}
	for _, at := range found[ofDuration:] {
		if ms, is := scaled(at.In(details), 0, mostTime); is == good && ms > 0 && c.Took == 0 {
			c.Took = ms
		}
	}
	usage, results := in(InUsage), []byte(nil)
	if agent := c.Tool == "task" || c.Tool == "subagent"; usage == nil && agent && details != nil {
		usage, results = found[ofDetailsUsage].In(details), found[ofResults].In(details)
	}
	if len(usage) > 0 && usage[0] == '{' {
		c.Kind, c.Model = Subagent, r.string(found[ofDetailsModel].In(details))
		c.bill(usage, Stored)
		r.add(e, &c, nil, 0)
		return
	}
	n := 0
	for one := range jsonedit.Elements(results) {
		usage, ok := jsonedit.Get(one, "usage")
		if !ok || len(usage) == 0 || usage[0] != '{' {
			continue
		}
		of := Charge{Kind: Subagent, Tool: c.Tool}
		if n == 0 {
			of.Ran, of.Took, of.Failed = true, c.Took, c.Failed
		}
		model, _ := jsonedit.Get(one, "model")
		of.Model = r.string(model)
		of.bill(usage, Stored)
		r.add(e, &of, nil, n)
		n++
	}
	if n == 0 {
		r.add(e, &c, nil, 0)
	}
}

// add adds a charge, the n-th of its entry.
func (r *Reader) add(e *entry.Envelope, c *Charge, response []byte, n int) {
	if own := r.scanner.Key(ofClaude); len(own) > 0 {
		branch, _ := jsonedit.Get(own, "gitBranch")
		c.Branch = r.string(branch)
	}
	said, is := scaled(r.scanner.Inner(InTime), 0, mostTime)
	c.Time = e.Time
	if c.Time == entry.NoTime {
		if c.Time = said; is != good {
			c.Time = NoTime
		}
	}
	if id := jsonl.Text(response); len(id) > 0 {
		at := e.Time
		if is == good {
			at = said
		}
		c.keys.response = r.hash('r', &Charge{}, id, at, int64(n)) // whatever it says that it took
		if r.copies == ByResponse {
			c.keys.unique = r.hash('u', &Charge{}, id, int64(n))
		}
	}
	if c.Ran && r.copies == ByResponse && len(e.Ref) > 0 {
		c.keys.unique = r.hash('t', &Charge{}, e.Ref, int64(n)) // the id of a call is given once, too
	}
	if len(e.ID) > 0 && r.copies != ByCost {
		c.keys.entry = r.hash('e', c, e.ID, e.Time, int64(n))
	}
	if e.Time != entry.NoTime || is == good {
		c.keys.bare = r.hash('b', c, e.Ref, e.Time, said, int64(n))
	}
	r.charges = append(r.charges, *c)
}

// hash returns a key of a charge, which is never 0: of a name, some numbers, and what it
// took. A conversion may change the provider's name and lose the cost.
func (r *Reader) hash(kind byte, c *Charge, name []byte, numbers ...int64) uint64 {
	b := append(r.text[:0], kind, byte(c.Kind))
	for _, part := range [...]string{string(name), c.Model, c.Tool} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	for _, n := range [...]int64{c.Tokens.Input, c.Tokens.Output, c.Tokens.CacheRead, c.Tokens.CacheWrite} {
		b = binary.AppendVarint(b, n)
	}
	r.text = b
	sum := sha256.Sum256(b)
	return max(binary.LittleEndian.Uint64(sum[:]), 1)
}

// string returns the text of a raw JSON string, "" for anything else. Equal ones share
// their memory.
func (r *Reader) string(raw []byte) string {
	if len(raw) < 3 || raw[0] != '"' {
		return ""
	}
	if text, ok := r.texts[string(raw)]; ok {
		return text
	}
	text, _ := jsonedit.String(raw)
	if len(r.texts) < mostTexts {
		r.texts[string(raw)] = text
	}
	return text
}

// mostTexts is how many names of models and tools are remembered.
const mostTexts = 4096

// usageQuery finds what a usage object says.
var usageQuery = jsonl.Query{
	Keys:   []string{"input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "cost"},
	Inside: ofCost,
	Inner:  []string{"total", "input", "output", "cacheRead", "cacheWrite"},
}

// ofCost is the place of the cost in what usageQuery finds; what it has inside follows.
const ofCost = 6

// bill reads a usage object. bare is where a cost comes from that is a number alone.
func (c *Charge) bill(raw []byte, bare Origin) {
	var found [12]jsonl.Span
	if len(raw) == 0 || jsonedit.IsNull(raw) {
		return
	}
	if raw[0] != '{' || usageQuery.Scan(raw, found[:]) != nil {
		c.Absurd = true
		return
	}
	t := &c.Tokens
	for i, to := range [...]*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheWriteLong, &t.Reasoning} {
		n, is := scaled(found[i].In(raw), 0, mostTokens)
		*to, c.Absurd = n, c.Absurd || is == absurd
	}
	cost := found[ofCost].In(raw)
	switch {
	case len(cost) == 0:
	case cost[0] == '{':
		c.stored(raw, found[ofCost+1:])
	default:
		if n, is := scaled(cost, 6, mostMicros); is == good {
			c.Cost, c.Origin = Micros(n), bare
		} else {
			c.Absurd = c.Absurd || is == absurd
		}
	}
}

// stored reads a cost that is an object: its total, and without one the sum of its parts.
func (c *Charge) stored(raw []byte, found []jsonl.Span) {
	total, is := scaled(found[0].In(raw), 6, mostMicros)
	if is == absent {
		for _, at := range found[1:5] {
			n, of := scaled(at.In(raw), 6, mostMicros)
			if total += n; of != absent && is != absurd {
				is = of
			}
		}
	}
	switch {
	case is == good && total <= mostMicros:
		c.Cost, c.Origin = Micros(total), Stored
	case is != absent:
		c.Absurd = true
	}
}
