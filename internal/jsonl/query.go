package jsonl

// A Query names the members that [Query.Scan] finds: Keys of the outermost
// object, and Inner of the object that is the value of Keys[Inside]. A Query
// that is not changed is safe for concurrent use.
type Query struct {
	Keys   []string
	Inside int // place in Keys, or -1 for none
	Inner  []string
}

// A Span is where a raw value stands in its line: from Start up to End, quotes
// included. The zero Span says that there is none.
type Span struct{ Start, End int }

// Present reports whether the span is of a value.
func (s Span) Present() bool { return s.End > s.Start }

// Len returns the number of bytes of the raw value.
func (s Span) Len() int { return s.End - s.Start }

// In returns the raw value as it stands in line, without copying it; nil for
// the zero Span.
func (s Span) In(line []byte) []byte {
	if s.End <= s.Start {
		return nil
	}
	return line[s.Start:s.End:s.End]
}

// Scan reports whether line is one JSON object with nothing but blanks around
// it, and finds the members the query names. found must have room for all of
// them, Keys first, Inner after; it is overwritten: absent members get the zero
// Span, and of several members of one name the last counts, as in JSON.parse.
// Names written with escapes are found too. Inner members are found only when
// the last member of the name Keys[Inside] is an object.
//
// The error is a [*SyntaxError], or [ErrNotObject] for a whole value of another
// kind; found is then all zero.
func (q *Query) Scan(line []byte, found []Span) error {
	clear(found)
	i := blank(line, 0)
	if i >= len(line) || line[i] != '{' {
		if err := Valid(line); err != nil {
			return err
		}
		return ErrNotObject
	}
	outer := found[:len(q.Keys):len(q.Keys)]
	inner := found[len(q.Keys) : len(q.Keys)+len(q.Inner)]
	end := q.members(line, i+1, outer, inner)
	if end >= 0 {
		if end = blank(line, end); end == len(line) {
			return nil
		}
		end = ^end
	}
	clear(found)
	return diagnose(line, ^end)
}

// members scans the rest of the outermost object, whose bracket stands before
// i, as valueEnd does.
func (q *Query) members(b []byte, i int, outer, inner []Span) int {
	if i = blank(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key, next := member(b, i, q.Keys)
		if next < 0 {
			return next
		}
		start := next
		if key >= 0 && key == q.Inside {
			clear(inner)
		}
		switch b[start] {
		case '"':
			i = stringEnd(b, start+1)
		case '{':
			if key >= 0 && key == q.Inside {
				i = innerMembers(b, start+1, q.Inner, inner)
				break
			}
			fallthrough
		case '[':
			i = containerEnd(b, start, maxDepth-1)
		default:
			i = scalarEnd(b, start)
		}
		if i < 0 {
			return i
		}
		if key >= 0 {
			outer[key] = Span{start, i}
		}
		var more bool
		if i, more = memberEnd(b, i); !more {
			return i
		}
	}
}

// Element scans one element of the array arr after another: the first with i 0,
// each with what was returned for the one before, until there are no more. What
// the query names of an element that is an object is found, in arr, as Scan does
// of a line; of any other nothing is. An array that is not well formed ends
// where that shows, and a value that is no array has no elements.
func (q *Query) Element(arr []byte, i int, found []Span) (next int, more bool) {
	clear(found)
	first := i == 0
	if i = blank(arr, i); i >= len(arr) || first && arr[i] != '[' || !first && arr[i] != ',' {
		return len(arr), false
	}
	if i = blank(arr, i+1); i >= len(arr) || first && arr[i] == ']' {
		return len(arr), false
	}
	if arr[i] != '{' {
		i = valueEnd(arr, i)
		return i, i >= 0
	}
	if i = q.members(arr, i+1, found[:len(q.Keys):len(q.Keys)], found[len(q.Keys):len(q.Keys)+len(q.Inner)]); i < 0 {
		clear(found)
		return len(arr), false
	}
	return i, true
}

// innerMembers is members for an object within the outermost one.
func innerMembers(b []byte, i int, keys []string, found []Span) int {
	if i = blank(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key, start := member(b, i, keys)
		if start < 0 {
			return start
		}
		switch b[start] {
		case '"':
			i = stringEnd(b, start+1)
		case '{', '[':
			i = containerEnd(b, start, maxDepth-2)
		default:
			i = scalarEnd(b, start)
		}
		if i < 0 {
			return i
		}
		if key >= 0 {
			found[key] = Span{start, i}
		}
		var more bool
		if i, more = memberEnd(b, i); !more {
			return i
		}
	}
}

// member scans a name and colon and returns the name's place in keys or -1,
// and the offset where the value starts, which lies in b.
func member(b []byte, i int, keys []string) (key, start int) {
	if i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	if i >= len(b) {
		return 0, ^len(b)
	}
	if b[i] != '"' {
		return 0, ^i
	}
	name := i + 1
	i = plainEnd(b, name)
	if i < len(b) && b[i] == '"' {
		key = match(keys, b[name:i])
		i++
	} else {
		if i = stringEnd(b, i); i < 0 {
			return 0, i
		}
		key = matchEscaped(keys, b[name-1:i])
	}
	if i = colonEnd(b, i); i < 0 {
		return 0, i
	}
	if i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	if i >= len(b) {
		return 0, ^len(b)
	}
	return key, i
}

// memberEnd scans what follows a member's value: a comma, or the bracket that
// closes the object, after which there are no more.
func memberEnd(b []byte, i int) (next int, more bool) {
	if i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	if i >= len(b) {
		return ^len(b), false
	}
	switch b[i] {
	case ',':
		return i + 1, true
	case '}':
		return i + 1, false
	}
	return ^i, false
}

func match(keys []string, name []byte) int {
	for k, key := range keys {
		if len(key) == len(name) && key == string(name) {
			return k
		}
	}
	return -1
}

// matchEscaped is match for a raw name that has escapes. An escape is six bytes
// at most for every byte that it stands for, so longer names are not tried.
func matchEscaped(keys []string, raw []byte) int {
	var room [64]byte
	if len(raw)-2 > 6*longest(keys) {
		return -1
	}
	return match(keys, Unquote(room[:0], raw))
}

func longest(keys []string) (n int) {
	for _, key := range keys {
		n = max(n, len(key))
	}
	return n
}

// Valid reports whether b is one JSON value of any kind with nothing but blanks
// around it. The error is a [*SyntaxError].
func Valid(b []byte) error {
	end := valueEnd(b, 0)
	if end < 0 {
		return diagnose(b, ^end)
	}
	if end = blank(b, end); end < len(b) {
		return diagnose(b, end)
	}
	return nil
}

// diagnose says why the byte at off cannot be, by feeding what stands before it
// to a Machine, which knows its state. It runs for bad lines only.
func diagnose(b []byte, off int) error {
	m := NewMachine(nil)
	_, _ = m.Write(b[:min(off+1, len(b))]) // the error is asked for below
	if err := m.Close(); err != nil {
		return err
	}
	return &SyntaxError{Offset: off, Reason: reasonByte}
}
