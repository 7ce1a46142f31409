package sessiongen

import (
	"strings"
)

// hazard writes one line, or spoils one, in a way that real files have shown.
// What it adds is named in Hazards and listed nowhere else.
func (g *generator) hazard() {
	name, line := g.hazardLine()
	g.out.Hazards = append(g.out.Hazards, name)
	if name == "glued" {
		g.lines[len(g.lines)-1] += line
		return
	}
	g.lines = append(g.lines, line)
}

// hazardLine chooses the hazard and returns its name and text.
func (g *generator) hazardLine() (name, line string) {
	whole := g.userLine(g.newID(), orNull(g.leaf))
	switch g.rng.IntN(17) {
	case 0:
		return "torn", whole[:1+g.rng.IntN(len(whole)-1)]
	case 1:
		return "glued", whole
	case 2:
		return "torn prefix glued", whole[:1+g.rng.IntN(len(whole)-1)] + g.userLine(g.newID(), orNull(g.leaf))
	case 3:
		return "scalar", pick(g.rng, "null", "0", "42", `"text"`, "true", "[]", "[1,2]", "{}")
	case 4:
		return "blank", pick(g.rng, "", "   ", "\t")
	case 5:
		return "nul run", strings.Repeat("\x00", 1+g.rng.IntN(64))
	case 6:
		return "raw control", strings.Replace(whole, "user", "us\x01er", 1)
	case 7:
		return "invalid utf-8", strings.Replace(whole, `"content":"`, "\"content\":\"\xff\xc3(", 1)
	case 8:
		return "second header", `{"type":"session","version":3,"id":"second","timestamp":"` + iso(g.clock) + `","cwd":"/"}`
	case 9:
		id := g.newID()
		return "self-parent", g.userLine(id, quote(id))
	case 10:
		return "orphan", g.userLine(g.newID(), `"deadbeef"`)
	case 11:
		return g.repeated(whole)
	case 12:
		return "odd id", g.userLine(pick(g.rng, "", "__proto__", "a b", "\u65e5"), orNull(g.leaf))
	case 13:
		return "id not a string", `{"type":"message","id":7,"parentId":{},"timestamp":1,"message":{"role":"user","content":"n"}}`
	case 14:
		return "no envelope", pick(g.rng, `{"type":"message"}`, `{"id":"x"}`, `{"type":"label"}`, `{"type":"compaction","id":"c"}`,
			`{"type":"message","id":"m","parentId":null,"timestamp":"yesterday","message":null}`)
	case 15:
		return "bare assistant", `{"type":"message","id":"` + g.newID() + `","parentId":` + orNull(g.leaf) +
			`,"timestamp":"` + iso(g.clock) + `","message":{"role":"assistant","content":null}}`
	default:
		return "several lines", strings.NewReplacer(",", ",\n  ", "{", "{\n  ").Replace(whole)
	}
}

// repeated returns a line whose id an earlier entry has, the second half of a
// cycle when there is nothing to repeat.
func (g *generator) repeated(whole string) (name, line string) {
	if len(g.nodes) == 0 {
		return "repeated key", strings.Replace(whole, "{", `{"type":"label",`, 1)
	}
	n := g.nodes[g.rng.IntN(len(g.nodes))]
	if g.maybe(2) {
		return "cycle", g.userLine(n.id, quote(g.leafOr(n.id)))
	}
	return "duplicate id", g.userLine(n.id, orNull(n.parent))
}

// leafOr returns the leaf, or other when there is none.
func (g *generator) leafOr(other string) string {
	if g.leaf == "" {
		return other
	}
	return g.leaf
}

// userLine returns a user message with the given id and parent (JSON text).
func (g *generator) userLine(id, parent string) string {
	return `{"type":"message","id":` + quote(id) + `,"parentId":` + parent + `,"timestamp":"` + iso(g.clock) +
		`","message":{"role":"user","content":"` + prose(g.rng, 3) + `","timestamp":1}}`
}
