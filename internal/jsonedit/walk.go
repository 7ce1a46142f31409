package jsonedit

import (
	"bytes"
	"slices"
)

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
	// Leave is called with the step of an object or array after what is inside it
	// was visited, and only when that changed it. It may name a member that the
	// object had, and return the value to put in its place (nil for none); a member
	// that Enter changed stays as that left it.
	Leave func(at *Step) (member string, v []byte)
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
	if w.value(&Step{Index: -1}, start, w.end(start)) == Drop {
		return v
	}
	return w.edited()
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

// walker walks over b. at counts the spans that were passed. What changes is noted and
// done at the end, once: a change deep inside does not copy all that is around it at each
// level.
type walker struct {
	visit Visitor
	b     []byte
	spans []span
	at    int
	edits []edit
}

// edit puts text in the place of b[start:end].
type edit struct {
	start, end int
	text       []byte
}

// edit notes a change.
func (w *walker) edit(start, end int, text []byte) {
	if start < end || len(text) > 0 {
		w.edits = append(w.edits, edit{start, end, text})
	}
}

// edited returns b with the changes, b itself when there are none. Of two changes of one
// place the first that was noted is done.
func (w *walker) edited() []byte {
	if len(w.edits) == 0 {
		return w.b
	}
	slices.SortStableFunc(w.edits, func(a, b edit) int { return a.start - b.start })
	size, done := len(w.b), 0
	for _, e := range w.edits {
		size += len(e.text)
	}
	out := make([]byte, 0, size)
	for _, e := range w.edits {
		if e.start >= done {
			out = append(append(out, w.b[done:e.start]...), e.text...)
			done = e.end
		}
	}
	return append(out, w.b[done:]...)
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

// value visits b[start:end], passes its spans and notes what changes.
func (w *walker) value(step *Step, start, end int) Action {
	v := w.b[start:end:end]
	nested := w.opens(start)
	at, next := w.at, w.at
	if nested {
		next = w.spans[at].next
	}
	step.walk, step.start = w, start
	var given []byte
	action := Into
	if w.visit.Enter != nil {
		given, action = w.visit.Enter(step, v)
	}
	before := len(w.edits)
	switch {
	case action == Drop:
	case given != nil:
		if action == Into {
			given = w.inside(step, given)
		}
		if !bytes.Equal(given, v) {
			w.edit(start, end, given)
		}
	case action == Into && nested && step.Depth < MaxDepth:
		w.at++
		w.children(step, start, end)
		w.at = at
		if len(w.edits) > before {
			w.leave(step)
		}
	}
	w.at = next
	return action
}

// leave tells the visitor that what is inside of a value was changed.
func (w *walker) leave(step *Step) {
	if w.visit.Leave == nil {
		return
	}
	member, v := w.visit.Leave(step)
	if v == nil {
		return
	}
	if start, end, ok := step.find(member); ok {
		w.edit(start, end, v)
	}
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
	sub.children(step, start, spans[0].end)
	if len(sub.edits) > 0 {
		sub.at, step.walk, step.start = 0, sub, start
		sub.leave(step)
	}
	return sub.edited()
}

// children visits what is inside the object or array b[start:end].
func (w *walker) children(step *Step, start, end int) {
	object := w.b[start] == '{'
	child := Step{Parent: step, Index: -1, Depth: step.Depth + 1}
	prev, kept := start+1, 0 // the end of the child before; children that stay
	for first := true; ; first = false {
		head, value, ok := w.next(prev, object, first)
		if !ok {
			return
		}
		stop := w.end(value)
		if stop < 0 || stop > end {
			return
		}
		if object {
			child.Key = keyText(member{key: head}.name(w.b))
		} else {
			child.Index++
		}
		if w.value(&child, value, stop) == Drop {
			w.edit(prev, stop, nil)
		} else {
			if kept == 0 && prev > start+1 {
				w.edit(prev, head, nil) // no comma before the first that stays
			}
			kept++
		}
		prev = stop
	}
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
