package entry

import (
	"bytes"
	"math"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// NoTime stands for a timestamp that is absent or unreadable (JavaScript's NaN).
const NoTime = math.MinInt64

// An Envelope is what is read of a line without decoding its body. The byte
// slices alias the line it was read from (or a copy where the line writes them
// with escapes) and are valid as long as that line.
type Envelope struct {
	Kind Kind
	Role Role // of a message entry; RoleNone elsewhere
	Type []byte
	// ID is nil when the line has no string id.
	ID []byte
	// Parent is nil when parentId is null, absent or not a string.
	Parent []byte
	// Unsaid reports that parentId is absent, or neither a string nor null: every
	// program writes one, so what it was is lost.
	Unsaid bool
	// Ref is the one further name the index keeps: the toolCallId of a tool
	// result, the customType of a custom entry or message, the targetId of a
	// label or an edit. Nil elsewhere.
	Ref []byte
	// Time is the entry's timestamp in milliseconds since 1970, or NoTime.
	Time int64
	// Body is where the message of a message entry stands in the line, zero
	// where there is none or it is not an object.
	Body jsonl.Span
	// Todos reports that the entry is the result of a tool whose details have
	// a member todos, or something else that is spelt so.
	Todos bool
}

// Places in the found spans of envelopeQuery.
const (
	inType = iota
	inID
	inParent
	inTime
	inMessage
	inTarget
	inCustom
	inRole
	inToolCall
	inDetails
	spans
)

var envelopeQuery = jsonl.Query{
	Keys:   []string{"type", "id", "parentId", "timestamp", "message", "targetId", "customType"},
	Inside: inMessage,
	Inner:  []string{"role", "toolCallId", "details"},
}

var todosKey = [...]byte{'"', 't', 'o', 'd', 'o', 's', '"'}

// Query returns the members that [Envelope] needs of a line, for callers that
// scan lines too long to hold.
func Query() *jsonl.Query {
	q := envelopeQuery
	return &q
}

// Scan reads the envelope of line into e and reports whether line is one JSON
// object, as strictly as JavaScript's JSON.parse. The error is a
// [jsonl.SyntaxError] or [jsonl.ErrNotObject]. It does not allocate unless a
// name is written with escapes.
func (e *Envelope) Scan(line []byte) error {
	var found [spans]jsonl.Span
	if err := envelopeQuery.Scan(line, found[:]); err != nil {
		return err
	}
	var values [spans][]byte
	for i, s := range found {
		values[i] = line[s.Start:s.End]
	}
	e.Fill(values[:], found[:])
	return nil
}

// Fill reads the envelope from the raw JSON values of the members that [Query]
// names, in its order, and from where they stand in the line. An absent member is
// nil and nowhere; one that is too long to be kept is nil and somewhere. It is for
// lines too long to hold, of which only these values are kept: a message of such
// a line counts as an object if it has a role.
func (e *Envelope) Fill(values [][]byte, found []jsonl.Span) {
	values = values[:spans]
	*e = Envelope{Time: NoTime}
	e.Type = str(values[inType])
	if e.Type != nil {
		e.Kind = kindOf(e.Type)
	}
	e.ID = str(values[inID])
	if e.Parent = str(values[inParent]); e.Parent == nil {
		e.Unsaid = string(values[inParent]) != "null"
	}
	if t := str(values[inTime]); t != nil {
		e.Time = parseTime(t)
	}
	switch e.Kind {
	case Message:
		m := values[inMessage]
		if len(m) > 0 && m[0] == '{' || m == nil && found[inMessage].Present() && values[inRole] != nil {
			e.Body = found[inMessage]
			e.Role = roleOf(str(values[inRole]))
			if e.Role == RoleToolResult {
				e.Ref = str(values[inToolCall])
				details := values[inDetails]
				// Details that are too long to be kept may say anything.
				e.Todos = details == nil && found[inDetails].Present() || bytes.Contains(details, todosKey[:])
			}
		}
	case Custom, CustomMessage:
		e.Ref = str(values[inCustom])
	case Label, ContextEdit:
		e.Ref = str(values[inTarget])
	}
}

// str returns the text of a raw JSON string, nil for anything else.
func str(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	return jsonl.Unquote(nil, raw)
}

// parseTime reads the form every program writes, 2026-02-16T10:20:30.000Z,
// without allocating, and leaves the rest of JavaScript's forms to jsonedit.
func parseTime(t []byte) int64 {
	if len(t) == 24 && t[4] == '-' && t[7] == '-' && t[10] == 'T' && t[13] == ':' &&
		t[16] == ':' && t[19] == '.' && t[23] == 'Z' {
		year, ok0 := digits(t[0:4])
		month, ok1 := digits(t[5:7])
		day, ok2 := digits(t[8:10])
		hour, ok3 := digits(t[11:13])
		minute, ok4 := digits(t[14:16])
		second, ok5 := digits(t[17:19])
		milli, ok6 := digits(t[20:23])
		if ok0 && ok1 && ok2 && ok3 && ok4 && ok5 && ok6 &&
			month >= 1 && month <= 12 && day >= 1 && day <= 28 &&
			hour < 24 && minute < 60 && second < 60 {
			return ((days(year, month, day)*24+hour)*60+minute)*60_000 + second*1000 + milli
		}
	}
	if ms, ok := jsonedit.ParseTime(string(t)); ok {
		return ms
	}
	return NoTime
}

func digits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// days counts the days from 1970-01-01 to a date of the Gregorian calendar.
func days(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}
