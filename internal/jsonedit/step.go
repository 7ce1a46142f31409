package jsonedit

import "github.com/go-json-experiment/json/jsontext"

// Step says where in a document a visited value stands.
type Step struct {
	// Parent is the step of the object or array that holds the value, nil for
	// the outermost value.
	Parent *Step
	// Key is the member's decoded name; "" for an element and the outermost
	// value.
	Key string
	// Index is the element's number, -1 for a member and the outermost value.
	Index int
	// Depth is the number of steps above this one.
	Depth int

	walk  *walker
	start int // of the visited value in what walk walks over
}

// Get returns what the function Get does of the value that Enter is called with, or that
// was changed inside when Leave is called, as it was. It leaps over what is nested
// deeper, so that asking every object on the way down costs no more than the document is
// long. It is valid in Enter and Leave only.
func (s *Step) Get(key string) (found jsontext.Value, ok bool) {
	start, end, ok := s.find(key)
	if !ok {
		return nil, false
	}
	return s.walk.b[start:end:end], true
}

// find finds where in the walk's bytes the value of the last member with that name is.
func (s *Step) find(key string) (start, end int, ok bool) {
	w := s.walk
	if w == nil || w.b[s.start] != '{' {
		return 0, 0, false
	}
	inner := walker{b: w.b, spans: w.spans, at: w.at + 1}
	i := s.start + 1
	for first := true; ; first = false {
		head, value, more := inner.next(i, true, first)
		if !more {
			return start, end, ok
		}
		if i = inner.end(value); i < 0 {
			return start, end, ok
		}
		if inner.opens(value) {
			inner.at = inner.spans[inner.at].next
		}
		if keyIs(member{key: head}.name(w.b), key) {
			start, end, ok = value, i, true
		}
	}
}

// Text returns what the function Text does of the value that Enter is called
// with. It costs what Get costs, and is valid where that is.
func (s *Step) Text(key string) (string, bool) {
	v, ok := s.Get(key)
	if !ok {
		return "", false
	}
	return String(v)
}
