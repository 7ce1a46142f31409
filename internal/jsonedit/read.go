package jsonedit

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind returns what v is by its first byte that is not blank: '{' '[' '"' '0'
// 't' 'f' 'n', or 0 (jsontext.KindInvalid) for none of these.
func Kind(v []byte) jsontext.Kind { return jsontext.Value(v).Kind() }

// Get returns the value of the member named key of the object obj, without the
// blanks around it. Of several members with that name the last counts. It
// reports false when there is none or obj is not an object. The value aliases
// obj.
func Get(obj []byte, key string) ([]byte, bool) {
	m, ok := find(obj, key)
	if !ok {
		return nil, false
	}
	return obj[m.value:m.end:m.end], true
}

// Path follows keys from obj inwards, as Get for each. With no keys it returns
// obj.
func Path(obj []byte, keys ...string) ([]byte, bool) {
	for _, key := range keys {
		var ok bool
		if obj, ok = Get(obj, key); !ok {
			return nil, false
		}
	}
	return obj, true
}

// Text returns the decoded string member named key of obj, and false when there
// is none or it is not a string.
func Text(obj []byte, key string) (string, bool) {
	v, ok := Get(obj, key)
	if !ok {
		return "", false
	}
	return String(v)
}

// Members yields the members of the object obj in their order, keys decoded,
// values without the blanks around them; a member named twice comes twice. It
// yields nothing when obj is not an object and stops where the text is broken.
// The values alias obj.
func Members(obj []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		i := opens(obj, '{')
		for first := true; i >= 0; first = false {
			m, ok := nextMember(obj, i, first)
			if !ok {
				return
			}
			if !yield(keyText(m.name(obj)), obj[m.value:m.end:m.end]) {
				return
			}
			i = m.end
		}
	}
}

// Elements yields the elements of the array arr, without the blanks around
// them. It yields nothing when arr is not an array and stops where the text is
// broken. The values alias arr.
func Elements(arr []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := opens(arr, '[')
		for first := true; i >= 0; first = false {
			start, end, ok := nextElement(arr, i, first)
			if !ok || !yield(arr[start:end:end]) {
				return
			}
			i = end
		}
	}
}

// Len returns how many elements Elements would yield.
func Len(arr []byte) int {
	n := 0
	for range Elements(arr) {
		n++
	}
	return n
}

// IsNull reports whether v is the literal null.
func IsNull(v []byte) bool { return string(trim(v)) == "null" }

// Bool returns the boolean v, and false for ok when v is neither true nor false.
func Bool(v []byte) (value, ok bool) {
	switch string(trim(v)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// find returns the last member of obj named key.
func find(obj []byte, key string) (found member, ok bool) {
	i := opens(obj, '{')
	for first := true; i >= 0; first = false {
		m, more := nextMember(obj, i, first)
		if !more {
			break
		}
		if keyIs(m.name(obj), key) {
			found, ok = m, true
		}
		i = m.end
	}
	return found, ok
}
