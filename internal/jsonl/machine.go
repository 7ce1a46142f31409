package jsonl

import "math"

// The states of a Machine: what the next byte may be.
const (
	wantValue  = iota
	wantFirst  // the first value of an array, or its end
	wantName   // after a comma
	wantMember // the first name of an object, or its end
	wantColon  // after a name
	wantNext   // a comma or the end of the container
	atEnd      // blanks only
	inText     // in a string
	inEscape   // after a backslash
	inHex      // in the digits of an escape; left counts them
	inLiteral  // in true, false or null; word is the rest
	afterMinus // the first digit of a number
	afterZero  // a number that began with 0
	inWhole    // the digits before the point
	afterPoint // the first digit after the point
	inFraction // the digits after the point
	afterE     // a sign or the first digit of the exponent
	afterSign  // the first digit of the exponent
	inExponent // the digits of the exponent
)

// A Machine does what [Query.Scan] does for a line that comes in pieces. It
// holds no more of the line than the open brackets, one bit each, and the
// values of wanted members of up to [MaxKept] bytes. It is not safe for
// concurrent use.
type Machine struct {
	query *Query
	state uint8
	left  uint8 // hexadecimal digits still to come
	name  bool  // the string is a member's name
	word  string
	open  levels
	off   int // bytes fed
	err   error
	first byte // of the value

	members capture
}

// MaxKept is how long a wanted member's raw value may be for a [Machine] to
// keep it.
const MaxKept = 64 << 10

// NewMachine returns a Machine at the start of a line. A nil query names no
// members and accepts a value of any kind.
func NewMachine(q *Query) *Machine {
	m := &Machine{query: q}
	m.Reset()
	return m
}

// Reset makes m ready for another line; what it found of the last is gone.
func (m *Machine) Reset() {
	m.state, m.off, m.err, m.first = wantValue, 0, nil, 0
	m.open.depth, m.open.top, m.open.rest = 0, 0, m.open.rest[:0]
	m.members.reset(m.query)
}

// Write feeds the next piece of the line. The error is a [*SyntaxError] as
// Query.Scan would give for the whole line; later calls return it again.
func (m *Machine) Write(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	if m.off > math.MaxInt-len(p) {
		return 0, m.fail(m.off, "line too long for this machine")
	}
	i := m.run(p)
	if m.err == nil {
		m.members.piece(p)
	}
	m.off += i
	if m.err != nil {
		return i, m.err
	}
	return len(p), nil
}

// Close ends the line and returns what [Query.Scan] would: nil, a
// [*SyntaxError] or [ErrNotObject].
func (m *Machine) Close() error {
	if m.err != nil {
		return m.err
	}
	switch m.state {
	case atEnd:
	case afterZero, inWhole, inFraction, inExponent:
		if m.open.depth > 0 {
			return m.fail(m.off, reasonEnd)
		}
	default:
		return m.fail(m.off, reasonEnd)
	}
	if m.query != nil && m.first != '{' {
		m.err = ErrNotObject
		m.members.reset(m.query)
		return m.err
	}
	return nil
}

// Whole reports whether an object or array has just ended and nothing but
// blanks may follow.
func (m *Machine) Whole() bool { return m.err == nil && m.state == atEnd }

// Blank reports whether nothing but blanks was fed.
func (m *Machine) Blank() bool { return m.first == 0 && m.state == wantValue }

// Spans returns where the wanted members stand in the line, as [Query.Scan]
// fills them in. It is complete when Close has returned nil, all zero when
// that returned an error, and valid until Reset.
func (m *Machine) Spans() []Span { return m.members.spans }

// Values returns the raw values of the wanted members in the order of
// [Machine.Spans]: nil for one that is absent or longer than [MaxKept]. They
// are valid until Reset.
func (m *Machine) Values() [][]byte { return m.members.values }

func (m *Machine) fail(off int, reason string) error {
	m.err = &SyntaxError{Offset: off, Reason: reason}
	m.members.reset(m.query)
	return m.err
}

// run feeds p and returns how many bytes of it were good.
func (m *Machine) run(p []byte) int {
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case m.state == inText:
			end := plainEnd(p, i)
			if m.name {
				m.members.addName(p[i:end])
			}
			if i = end; i == len(p) {
				return i
			}
			m.text(p, i)
		case m.state > inText && m.state <= inLiteral:
			m.within(c, i)
		case m.state > inLiteral:
			if m.digit(c, i) {
				break
			}
			if m.err == nil { // the number ended before c
				m.ended(p, i)
				continue
			}
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		default:
			m.structure(p, i)
		}
		if m.err != nil {
			return i
		}
		i++
		if m.state == inLiteral && m.word == "" {
			m.ended(p, i)
		}
	}
	return len(p)
}

// structure takes a byte between strings, numbers and literals.
func (m *Machine) structure(p []byte, i int) {
	c, off := p[i], m.off+i
	switch m.state {
	case wantFirst, wantValue:
		if c == ']' && m.state == wantFirst {
			m.close(p, i)
			return
		}
		m.value(c, i)
	case wantMember, wantName:
		if c == '}' && m.state == wantMember {
			m.close(p, i)
			return
		}
		if c != '"' {
			_ = m.fail(off, reasonName)
			return
		}
		m.state, m.name = inText, true
		m.members.startName(m.query, m.open.depth)
	case wantColon:
		if c != ':' {
			_ = m.fail(off, reasonColon)
			return
		}
		m.state = wantValue
	case wantNext:
		object := m.open.top&1 == 1
		switch {
		case c == ',' && object:
			m.state = wantName
		case c == ',':
			m.state = wantValue
		case c == '}' && object, c == ']' && !object:
			m.close(p, i)
		default:
			_ = m.fail(off, reasonComma)
		}
	case atEnd:
		_ = m.fail(off, reasonAfter)
	}
}

// value takes the first byte of a value, the i-th of the piece.
func (m *Machine) value(c byte, i int) {
	off := m.off + i
	if m.open.depth == 0 {
		m.first = c
	}
	m.members.start(m.query, m.open.depth, off, i, c)
	switch {
	case c == '"':
		m.state, m.name = inText, false
	case c == '{' || c == '[':
		if m.open.depth >= maxDepth {
			_ = m.fail(off, reasonDeep)
			return
		}
		if c == '{' {
			m.open.push(1)
			m.state = wantMember
		} else {
			m.open.push(0)
			m.state = wantFirst
		}
	case c == 't':
		m.state, m.word = inLiteral, "rue"
	case c == 'f':
		m.state, m.word = inLiteral, "alse"
	case c == 'n':
		m.state, m.word = inLiteral, "ull"
	case c == '-':
		m.state = afterMinus
	case c == '0':
		m.state = afterZero
	case isDigit(c):
		m.state = inWhole
	default:
		_ = m.fail(off, reasonByte)
	}
}

// close takes a closing bracket at i of p.
func (m *Machine) close(p []byte, i int) {
	m.open.pop()
	m.ended(p, i+1)
}

// ended notes that a value ends before p[i] and what may follow.
func (m *Machine) ended(p []byte, i int) {
	m.members.end(p, m.open.depth, m.off+i, i)
	m.state = wantNext
	if m.open.depth == 0 {
		m.state = atEnd
	}
}

// text takes the special byte at i of p, within a string.
func (m *Machine) text(p []byte, i int) {
	switch c := p[i]; c {
	case '"':
		if m.name {
			m.members.endName(m.query, m.open.depth)
			m.state = wantColon
			return
		}
		m.ended(p, i+1)
	case '\\':
		if m.name {
			m.members.addName(p[i : i+1])
		}
		m.state = inEscape
	default:
		_ = m.fail(m.off+i, reasonControl)
	}
}

// within takes a byte of an escape or a literal.
func (m *Machine) within(c byte, i int) {
	off := m.off + i
	if m.state == inLiteral {
		if c != m.word[0] {
			_ = m.fail(off, reasonLiteral)
			return
		}
		m.word = m.word[1:]
		return
	}
	if m.name {
		m.members.addName([]byte{c})
	}
	if m.state == inHex {
		if !isHex(c) {
			_ = m.fail(off, reasonEscape)
			return
		}
		if m.left--; m.left == 0 {
			m.state = inText
		}
		return
	}
	switch escapes[c] {
	case 1:
		m.state = inText
	case 2:
		m.state, m.left = inHex, 4
	default:
		_ = m.fail(off, reasonEscape)
	}
}

// digit takes a byte after the first of a number and reports whether it belongs
// to it; if not, the number has ended or m has failed.
func (m *Machine) digit(c byte, i int) bool {
	digit := isDigit(c)
	switch m.state {
	case afterMinus:
		if c == '0' {
			m.state = afterZero
			return true
		}
		if digit {
			m.state = inWhole
			return true
		}
	case afterZero, inWhole:
		switch {
		case digit && m.state == inWhole:
			return true
		case c == '.':
			m.state = afterPoint
			return true
		case c|0x20 == 'e':
			m.state = afterE
			return true
		}
		return false
	case afterPoint, inFraction:
		if digit {
			m.state = inFraction
			return true
		}
		if m.state == inFraction {
			if c|0x20 == 'e' {
				m.state = afterE
				return true
			}
			return false
		}
	case afterE, afterSign, inExponent:
		if digit {
			m.state = inExponent
			return true
		}
		if m.state == afterE && (c == '+' || c == '-') {
			m.state = afterSign
			return true
		}
		if m.state == inExponent {
			return false
		}
	}
	_ = m.fail(m.off+i, reasonNumber)
	return false
}
