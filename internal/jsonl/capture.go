package jsonl

import "bytes"

// A capture finds and keeps a Machine's wanted members.
type capture struct {
	spans  []Span
	values [][]byte

	raw    []byte // the present name with its opening quote, while wanted
	want   bool   // the present name may be a wanted one
	limit  int    // the length that no wanted raw name exceeds
	key    int    // place of the last name of the outermost object, or -1
	inner  int    // the same within Keys[Inside]
	inside bool   // in the object that is the value of Keys[Inside]

	outerValue, innerValue reading
}

// A reading is a wanted value whose end has not come.
type reading struct {
	place int  // in spans, or -1 for none
	from  int  // where in the present piece its bytes begin
	lost  bool // it is too long to keep
}

func (c *capture) reset(q *Query) {
	c.key, c.inner, c.inside, c.want = -1, -1, false, false
	c.outerValue.place, c.innerValue.place = -1, -1
	if q == nil {
		return
	}
	n := len(q.Keys) + len(q.Inner)
	if len(c.spans) != n {
		c.spans, c.values = make([]Span, n), make([][]byte, n)
	}
	clear(c.spans)
	clear(c.values)
	c.limit = 2 + 6*max(longest(q.Keys), longest(q.Inner))
}

// keys returns the names wanted of an object whose members lie at depth.
func (c *capture) keys(q *Query, depth int) []string {
	switch {
	case q == nil:
		return nil
	case depth == 1:
		return q.Keys
	case depth == 2 && c.inside:
		return q.Inner
	}
	return nil
}

func (c *capture) startName(q *Query, depth int) {
	c.want = len(c.keys(q, depth)) > 0
	c.raw = append(c.raw[:0], '"')
}

// addName collects a name as long as it may be a wanted one.
func (c *capture) addName(p []byte) {
	if !c.want {
		return
	}
	if len(c.raw)+len(p) > c.limit {
		c.want = false
		return
	}
	c.raw = append(c.raw, p...)
}

func (c *capture) endName(q *Query, depth int) {
	k := -1
	if c.want {
		if bytes.IndexByte(c.raw, '\\') < 0 {
			k = match(c.keys(q, depth), c.raw[1:])
		} else {
			c.raw = append(c.raw, '"')
			k = matchEscaped(c.keys(q, depth), c.raw)
		}
	}
	switch depth {
	case 1:
		c.key = k
	case 2:
		c.inner = k
	}
}

// start notes that a value begins with b at off, which is at i in the present
// piece; depth is that of the container.
func (c *capture) start(q *Query, depth, off, i int, b byte) {
	switch {
	case q == nil:
	case depth == 1 && c.key >= 0:
		if c.key == q.Inside {
			c.inside = b == '{'
			clear(c.spans[len(q.Keys):])
			clear(c.values[len(q.Keys):])
		}
		c.begin(&c.outerValue, c.key, off, i)
	case depth == 2 && c.inside && c.inner >= 0:
		c.begin(&c.innerValue, len(q.Keys)+c.inner, off, i)
	}
}

func (c *capture) begin(r *reading, place, off, i int) {
	*r = reading{place: place, from: i}
	c.spans[place] = Span{Start: off}
	c.values[place] = nil
}

// end notes that a value ended before off, which is at i in the present piece.
func (c *capture) end(p []byte, depth, off, i int) {
	var r *reading
	switch {
	case depth == 1 && c.outerValue.place >= 0:
		r, c.inside = &c.outerValue, false
	case depth == 2 && c.innerValue.place >= 0:
		r = &c.innerValue
	default:
		return
	}
	c.add(r, p[r.from:i])
	c.spans[r.place].End = off
	r.place = -1
}

// piece ends a piece whose bytes will be gone: what is being read of it is
// kept, and the next piece begins.
func (c *capture) piece(p []byte) {
	for _, r := range [...]*reading{&c.outerValue, &c.innerValue} {
		if r.place >= 0 {
			c.add(r, p[r.from:])
			r.from = 0
		}
	}
}

func (c *capture) add(r *reading, p []byte) {
	if r.lost {
		return
	}
	if len(c.values[r.place])+len(p) > MaxKept {
		c.values[r.place], r.lost = nil, true
		return
	}
	c.values[r.place] = append(c.values[r.place], p...)
}
