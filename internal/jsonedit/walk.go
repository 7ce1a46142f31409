package jsonedit

// MaxDepth is how many levels of nesting Walk goes into; what lies deeper is left
// as it is and not shown to the visitor.
const MaxDepth = 10_000

// Action is what a visitor wants done.
type Action uint8

// The actions. The zero Action is Into.
const (
	// Into goes on into an object or array; of any other value it is Keep.
	Into Action = iota
	// Keep takes the value and does not go into it.
	Keep
	// Drop removes the member or element. The outermost value cannot be
	// dropped: it is kept.
	Drop
)

// Visitor has the functions that Walk calls. Either may be nil.
type Visitor struct {
	// Enter is called with every value before what is inside it, members in
	// their order, each of several with one name. It returns the value to put in
	// its place (nil for no change) and what to do; with Into it is the new
	// value that is gone into, without asking again.
	Enter func(at *Step, v []byte) ([]byte, Action)
	// Leave is called with an object or array after what is inside it was
	// visited, and only when that changed it. old is the value before, v with
	// the changes. It returns the value to use (nil for v).
	Leave func(at *Step, old, v []byte) []byte
}

// Walk visits v depth first and returns it with what the visitor changed. All
// bytes of untouched values, and the blanks, commas and keys between them, stay;
// when nothing is changed v itself is returned. A value that is broken is not
// walked into. The step given to the visitor is valid during the call only.
func Walk(v []byte, visit Visitor) []byte {
	start := skipBlank(v, 0)
	spans, ok := measure(v, start)
	if !ok {
		return v
	}
	w := &walker{visit: visit, b: v, spans: spans}
	end := w.end(start)
	out, action := w.value(&Step{Index: -1}, start, end)
	if out == nil || action == Drop {
		return v
	}
	edited := append(make([]byte, 0, len(v)-(end-start)+len(out)), v[:start]...)
	return append(append(edited, out...), v[end:]...)
}

// span is where one object or array ends, and how many spans there are before
// the first one that is not inside it.
type span struct {
	end, next int
}

// measure finds the ends of the value at b[start] and of every object and array
// inside it, in the order of their opening brackets, in one pass and without
// recursion. It reports false when brackets or strings do not close.
func measure(b []byte, start int) ([]span, bool) {
	if start >= len(b) {
		return nil, false
	}
	if b[start] != '{' && b[start] != '[' {
		return nil, skipValue(b, start) >= 0
	}
	var spans []span
	var open []int
	for i := start; i < len(b); {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return nil, false
			}
			continue
		case '{', '[':
			open = append(open, len(spans))
			spans = append(spans, span{})
		case '}', ']':
			last := open[len(open)-1]
			spans[last] = span{end: i + 1, next: len(spans)}
			if open = open[:len(open)-1]; len(open) == 0 {
				return spans, true
			}
		}
		i++
	}
	return nil, false
}

// walker walks over b. at counts the spans that were passed.
type walker struct {
	visit Visitor
	b     []byte
	spans []span
	at    int
}

// end returns the end of the value at b[i], or -1. For an object or array it is
// the span to come.
func (w *walker) end(i int) int {
	if w.opens(i) {
		if w.at >= len(w.spans) {
			return -1
		}
		return w.spans[w.at].end
	}
	return skipValue(w.b, i)
}

// opens reports whether an object or array starts at b[i].
func (w *walker) opens(i int) bool {
	return i < len(w.b) && (w.b[i] == '{' || w.b[i] == '[')
}

// value visits b[start:end] and passes its spans. It returns nil for no change.
func (w *walker) value(step *Step, start, end int) ([]byte, Action) {
	v := w.b[start:end:end]
	nested := w.opens(start)
	next := w.at
	if nested {
		next = w.spans[w.at].next
	}
	var given []byte
	action := Into
	if w.visit.Enter != nil {
		step.walk, step.start = w, start
		given, action = w.visit.Enter(step, v)
	}
	switch {
	case action != Into:
	case given != nil:
		given = w.inside(step, given)
	case nested && step.Depth < MaxDepth:
		w.at++
		given = w.children(step, start, end)
		if given != nil && w.visit.Leave != nil {
			if left := w.visit.Leave(step, v, given); left != nil {
				given = left
			}
		}
	}
	w.at = next
	return given, action
}

// inside walks into a value that the visitor gave, which it is not asked about
// again.
func (w *walker) inside(step *Step, v []byte) []byte {
	start := skipBlank(v, 0)
	spans, ok := measure(v, start)
	if !ok || len(spans) == 0 || step.Depth >= MaxDepth {
		return v
	}
	sub := &walker{visit: w.visit, b: v, spans: spans, at: 1}
	out := sub.children(step, start, spans[0].end)
	if out == nil {
		return v
	}
	if w.visit.Leave != nil {
		if left := w.visit.Leave(step, v, out); left != nil {
			return left
		}
	}
	return out
}

// children visits what is inside the object or array b[start:end] and returns
// it with the changes, or nil for none.
func (w *walker) children(step *Step, start, end int) []byte {
	object := w.b[start] == '{'
	child := Step{Parent: step, Index: -1, Depth: step.Depth + 1}
	e := editor{b: w.b, start: start, prev: start + 1}
	for first := true; ; first = false {
		head, value, ok := w.next(e.prev, object, first)
		if !ok {
			break
		}
		stop := w.end(value)
		if stop < 0 || stop > end {
			break
		}
		if object {
			child.Key = keyText(member{key: head}.name(w.b))
		} else {
			child.Index++
		}
		given, action := w.value(&child, value, stop)
		e.put(head, value, stop, given, action)
	}
	return e.finish(end)
}

// next finds where the next member or element starts (head) and where its value
// does.
func (w *walker) next(i int, object, first bool) (head, value int, ok bool) {
	b := w.b
	i = skipBlank(b, i)
	if !first {
		if i >= len(b) || b[i] != ',' {
			return 0, 0, false
		}
		i = skipBlank(b, i+1)
	}
	if i >= len(b) || b[i] == ']' || b[i] == '}' {
		return 0, 0, false
	}
	if !object {
		return i, i, true
	}
	if b[i] != '"' {
		return 0, 0, false
	}
	head = i
	if i = skipString(b, i); i < 0 {
		return 0, 0, false
	}
	i = skipBlank(b, i)
	if i >= len(b) || b[i] != ':' {
		return 0, 0, false
	}
	value = skipBlank(b, i+1)
	return head, value, value < len(b)
}

// editor copies an object or array with changes; out is nil until the first.
type editor struct {
	b     []byte
	start int // of the opening bracket
	prev  int // after the last child seen
	kept  int // children that stay
	out   []byte
}

// put handles the child b[head:stop] whose value starts at value.
func (e *editor) put(head, value, stop int, given []byte, action Action) {
	changed := action == Drop || given != nil && string(given) != string(e.b[value:stop])
	if changed && e.out == nil {
		e.out = append(make([]byte, 0, 64), e.b[e.start:e.prev]...)
	}
	if action != Drop {
		if e.out != nil {
			from := e.prev
			if e.kept == 0 && e.prev > e.start+1 {
				from = head // no comma before the first that stays
			}
			if given == nil {
				given = e.b[value:stop]
			}
			e.out = append(append(e.out, e.b[from:value]...), given...)
		}
		e.kept++
	}
	e.prev = stop
}

// finish returns the edited object or array, or nil when nothing changed.
func (e *editor) finish(end int) []byte {
	if e.out == nil {
		return nil
	}
	return append(e.out, e.b[e.prev:end]...)
}
