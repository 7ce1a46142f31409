package sessiongen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// start is the time of every header; generated time only moves from here.
const start = 1_767_323_045_000 // 2026-01-02T03:04:05Z

// call is a tool call whose result has not been written on this path.
type call struct{ id, name string }

// node is what the generator remembers about an entry.
type node struct {
	id       string
	parent   string // "" for a root
	kind     string
	role     string // of a message
	pending  []call // calls open after this entry
	editable bool   // a context_edit may name it
}

// generator holds one session under construction.
type generator struct {
	rng   *rand.Rand
	opts  Options
	out   Session
	lines []string
	nodes []node
	index map[string]int // id to position in nodes
	leaf  string         // "" before the first entry
	clock int64          // epoch milliseconds
	calls int            // tool calls made so far
}

func newGenerator(rng *rand.Rand, opts Options) *generator {
	if opts.Dialect == "" {
		opts.Dialect = Pi
	}
	if opts.Entries == 0 {
		opts.Entries = 1 + rng.IntN(80)
	}
	if opts.Version == 0 {
		opts.Version = 3
	}
	if opts.Newlines == AnyNewlines {
		opts.Newlines = pick(rng, LF, LF, LF, LF, CRLF, LFUnterminated)
		if rng.IntN(12) == 0 {
			opts.Newlines = CRLFUnterminated
		}
	}
	if opts.Appendable {
		switch opts.Newlines {
		case LFUnterminated:
			opts.Newlines = LF
		case CRLFUnterminated:
			opts.Newlines = CRLF
		}
	}
	return &generator{
		rng: rng, opts: opts, clock: start, index: map[string]int{},
		out: Session{
			Dialect: opts.Dialect, CWD: pick(rng, "/", "/", "/tmp"),
			Parents: map[string]string{}, Labels: map[string]string{}, Kinds: map[string]int{},
			CRLF:         opts.Newlines == CRLF || opts.Newlines == CRLFUnterminated,
			Unterminated: opts.Newlines == LFUnterminated || opts.Newlines == CRLFUnterminated,
		},
	}
}

// is reports whether the dialect is one of those given.
func (g *generator) is(dialects ...Dialect) bool {
	for _, d := range dialects {
		if g.opts.Dialect == d {
			return true
		}
	}
	return false
}

// maybe is true once in n.
func (g *generator) maybe(n int) bool { return g.rng.IntN(n) == 0 }

// sessionID returns an id of the shape that the dialect gives its sessions:
// Snowflake for xcsh and cambium, UUIDv7 for pi and omp.
func (g *generator) sessionID() string {
	if g.is(Xcsh, Cambium) {
		return fmt.Sprintf("%016x", uint64(start-1_420_070_400_000)<<22|uint64(g.rng.Uint32()>>10))
	}
	hi, lo := g.rng.Uint64(), g.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", uint64(start)>>16, uint64(start)&0xffff,
		hi&0xfff, 0x8000|hi>>16&0x3fff, lo&0xffffffffffff)
}

// newID returns an entry id that the session does not have yet.
func (g *generator) newID() string {
	for {
		id := fmt.Sprintf("%08x", g.rng.Uint32())
		if _, taken := g.index[id]; !taken {
			return id
		}
	}
}

// iso formats epoch milliseconds as JavaScript's toISOString.
func iso(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// header writes the title slot, if there is one, and the header line.
func (g *generator) header() {
	g.out.ID = g.sessionID()
	title := prose(g.rng, 3)
	slot := g.is(Omp) && !g.opts.NoSlot && g.opts.Version == 3 && g.maybe(2)
	if slot {
		g.out.Slot = true
		g.lines = append(g.lines, titleSlot(title, pick(g.rng, "", "auto", "user")))
	}
	var h object
	h.str("type", "session")
	if g.opts.Version > 1 {
		h.num("version", int64(g.opts.Version))
	}
	h.str("id", g.out.ID)
	h.str("timestamp", iso(start))
	h.str("cwd", g.out.CWD)
	if g.is(Omp, Xcsh, Cambium) && g.maybe(2) {
		h.str("title", title)
		h.str("titleSource", pick(g.rng, "auto", "user"))
	}
	if g.maybe(4) {
		h.str("parentSession", pick(g.rng, "/nowhere/parent.jsonl", g.sessionID()))
	}
	if g.maybe(6) {
		h.raw("xFuture", value(g.rng, 2))
	}
	g.lines = append(g.lines, h.json())
}

// titleSlot returns omp's first line, without its newline: 255 bytes.
func titleSlot(title, source string) string {
	var o object
	o.str("type", "title")
	o.num("v", 1)
	o.str("title", title)
	if source != "" {
		o.str("source", source)
	}
	o.str("updatedAt", iso(start))
	bare := append(append(object(nil), o...), member{"pad", `""`})
	o.str("pad", strings.Repeat(" ", max(255-len(bare.json()), 0)))
	return o.json()
}

// envelope returns the first members of an entry of the given type, and moves
// the clock: forward as a rule, one time in twenty back.
func (g *generator) envelope(kind string) (object, node) {
	g.clock += 1 + g.rng.Int64N(60_000)
	at := g.clock
	if g.maybe(20) {
		at -= g.rng.Int64N(3_600_000)
	}
	n := node{id: g.newID(), parent: g.leaf, kind: kind}
	var o object
	o.str("type", kind)
	if g.opts.Version > 1 {
		o.str("id", n.id)
		o.raw("parentId", orNull(n.parent))
	}
	o.str("timestamp", iso(at))
	if i, ok := g.index[g.leaf]; ok {
		n.pending = g.nodes[i].pending
	}
	return o, n
}

// orNull quotes an id, or gives null for none.
func orNull(id string) string {
	if id == "" {
		return "null"
	}
	return quote(id)
}

// add writes the entry and makes it the leaf.
func (g *generator) add(o object, n node) {
	if g.maybe(15) {
		o.raw("xUnknownField", value(g.rng, 2))
	}
	switch {
	case g.maybe(20):
		g.lines = append(g.lines, o.shuffled(g.rng).json())
	case g.maybe(20):
		g.lines = append(g.lines, o.render(" ", " "))
	default:
		g.lines = append(g.lines, o.json())
	}
	g.index[n.id] = len(g.nodes)
	g.nodes = append(g.nodes, n)
	g.leaf = n.id
	g.out.Kinds[n.kind]++
}

// wander moves the leaf before an entry: to any earlier entry (a branch) or to
// nothing (another root). Version 1 knows no branches.
func (g *generator) wander() {
	switch {
	case g.opts.Version == 1 || len(g.nodes) == 0:
	case g.maybe(7):
		g.leaf = g.nodes[g.rng.IntN(len(g.nodes))].id
	case g.maybe(30):
		g.leaf = ""
	}
}

// path returns the positions in nodes from the root to the leaf.
func (g *generator) path() []int {
	var p []int
	for id := g.leaf; id != ""; {
		i := g.index[id]
		p = append(p, i)
		id = g.nodes[i].parent
	}
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// finish joins the lines and works out what the session holds.
func (g *generator) finish() Session {
	newline := "\n"
	if g.out.CRLF {
		newline = "\r\n"
	}
	var b strings.Builder
	for i, line := range g.lines {
		b.WriteString(line)
		switch {
		case i == 0 && g.out.Slot:
			b.WriteByte('\n')
		case i == len(g.lines)-1 && g.out.Unterminated:
		default:
			b.WriteString(newline)
		}
	}
	g.out.Bytes = []byte(b.String())
	if g.opts.Version == 1 {
		return g.out
	}
	parents := map[string]bool{}
	for _, n := range g.nodes {
		g.out.IDs = append(g.out.IDs, n.id)
		g.out.Parents[n.id] = n.parent
		parents[n.parent] = true
		if n.kind == "message" {
			g.out.Messages = append(g.out.Messages, n.id)
		}
	}
	for _, id := range g.out.IDs {
		if !parents[id] {
			g.out.Leaves = append(g.out.Leaves, id)
		}
	}
	return g.out
}
