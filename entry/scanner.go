package entry

import (
	"slices"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// A Scanner reads envelopes as [Envelope.Scan] does and finds further members
// of the same lines in the same pass. It is not safe for concurrent use.
type Scanner struct {
	query  jsonl.Query
	outer  int   // further members of the line, after those of an envelope
	inner  []int // where the query has the further members of the message
	found  []jsonl.Span
	line   []byte   // that was scanned last
	far    [][]byte // the values of one too long to hold, instead
	values [spans][]byte
	places [spans]jsonl.Span
}

// outerKeys is how many members of the line itself an envelope needs.
var outerKeys = len(envelopeQuery.Keys)

// NewScanner returns a scanner that also finds the members keys of a line and
// the members inner of its message. keys must not name what an envelope has
// already; inner may.
func NewScanner(keys, inner []string) *Scanner {
	q := jsonl.Query{
		Keys:   append(envelopeQuery.Keys[:outerKeys:outerKeys], keys...),
		Inside: envelopeQuery.Inside,
		Inner:  slices.Clone(envelopeQuery.Inner),
	}
	at := make([]int, len(inner))
	for k, name := range inner {
		i := slices.Index(envelopeQuery.Inner, name)
		if i < 0 {
			i = len(q.Inner)
			q.Inner = append(q.Inner, name)
		}
		at[k] = len(q.Keys) + i
	}
	return &Scanner{query: q, outer: len(keys), inner: at, found: make([]jsonl.Span, len(q.Keys)+len(q.Inner))}
}

// Scan reads the envelope of line into e; see [Envelope.Scan].
func (s *Scanner) Scan(e *Envelope, line []byte) error {
	if err := s.query.Scan(line, s.found); err != nil {
		return err
	}
	s.line, s.far = line, nil
	for i := range s.values {
		at := s.found[s.place(i)]
		s.values[i], s.places[i] = line[at.Start:at.End], at
	}
	e.Fill(s.values[:], s.places[:])
	return nil
}

// place returns where the query has what an envelope has at i.
func (s *Scanner) place(i int) int {
	if i < outerKeys {
		return i
	}
	return i + s.outer
}

// Query returns the query, for callers that scan lines too long to hold and
// then call [Scanner.Fill].
func (s *Scanner) Query() *jsonl.Query { return &s.query }

// Fill is [Envelope.Fill] with the values and spans of the scanner's query.
func (s *Scanner) Fill(e *Envelope, values [][]byte, found []jsonl.Span) {
	s.line, s.far = nil, values
	for i := range s.values {
		s.values[i], s.places[i] = values[s.place(i)], found[s.place(i)]
	}
	e.Fill(s.values[:], s.places[:])
}

// Key returns member k of keys of the last line that was scanned: raw JSON, valid
// as long as the line; nil when it has none, or one too long to be kept.
func (s *Scanner) Key(k int) []byte { return s.value(outerKeys + k) }

// Inner returns member k of inner of the last line's message, as Key does.
func (s *Scanner) Inner(k int) []byte {
	return s.value(s.inner[k])
}

func (s *Scanner) value(i int) []byte {
	if s.far != nil {
		return s.far[i]
	}
	return s.found[i].In(s.line)
}
