package journal

import (
	"bytes"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// brackets are what is between the objects of an array.
const brackets = "[,] \t\r"

// array takes a line of a log that is a JSON array of records: the whole array, some of
// its objects with commas, or brackets. In another log it takes an array of records that
// is a line of it. It reports false for any other line.
func (p *part) array(line []byte, at entry.At) bool {
	first, last := line[0], line[len(line)-1]
	opens := first == '[' && p.open && p.count() == 0
	switch {
	case first == '[', p.damage.Array && (first == ',' || last == ',' || last == ']'):
	default:
		return false
	}
	if len(bytes.Trim(line, brackets)) == 0 {
		if !opens && !p.damage.Array {
			return false
		}
		p.damage.Array = true
		p.bad(defects.Bad{Kind: defects.BadArray, Reason: "brackets and commas of a JSON array"}, nil, at)
		return true
	}
	again := ""
	if first == '[' {
		again = marker
	}
	found := records(line, jsonl.Objects(line, again))
	if len(found) == 0 || len(bytes.Trim(line[:found[0].Start], brackets)) > 0 ||
		first != '[' && len(bytes.Trim(line[found[len(found)-1].End:], brackets)) > 0 {
		return false
	}
	p.damage.Array = p.damage.Array || opens
	p.bad(defects.Bad{Kind: defects.BadArray, Reason: ofArray(len(found)), Recovered: len(found)}, line, at)
	done := found[0].Start
	for _, s := range found {
		p.between(line[done:s.Start])
		done = s.End
		_ = p.scan(&p.env, s.In(line)) // it was scanned before
		p.object(&p.env, s.In(line), entry.At{Off: at.Off + int64(s.Start), Len: int64(s.Len()), Line: at.Line})
	}
	p.between(line[done:])
	return true
}

// records returns those of the objects in a line that are records.
func records(line []byte, found []jsonl.Span) []jsonl.Span {
	kept := found[:0]
	for _, s := range found {
		var e entry.Envelope
		if e.Scan(s.In(line)) == nil && (e.Kind != entry.Unknown || e.ID != nil) {
			kept = append(kept, s)
		}
	}
	return kept
}

// between notes what is legible of damaged bytes between the objects of an array.
func (p *part) between(raw []byte) {
	if raw = bytes.Trim(raw, brackets); len(raw) > 0 {
		p.gap(raw)
	}
}

// ofArray says how many objects of an array a line holds.
func ofArray(n int) string {
	if n == 1 {
		return "one object of a JSON array"
	}
	return fmt.Sprintf("%d objects of a JSON array", n)
}
