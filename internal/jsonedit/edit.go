package jsonedit

import (
	"slices"
)

// Set returns obj with the member named key holding value. An existing member
// (of several, the last) keeps its place and its key as written; otherwise the
// member is added at the end. All other bytes stay. When obj is not an object,
// or holds that very value already, it is returned as it is.
func Set(obj []byte, key string, value []byte) []byte {
	if m, ok := find(obj, key); ok {
		return replaceAt(obj, m.value, m.end, value)
	}
	return insert(obj, lastEnd(obj), key, value)
}

// SetAfter is Set, except that a member which is not there yet is put right
// after the last member named after (at the end when that is absent).
func SetAfter(obj []byte, after, key string, value []byte) []byte {
	if m, ok := find(obj, key); ok {
		return replaceAt(obj, m.value, m.end, value)
	}
	if m, ok := find(obj, after); ok {
		return insert(obj, m.end, key, value)
	}
	return insert(obj, lastEnd(obj), key, value)
}

// Delete returns obj without any member that has one of the names. All other
// bytes stay, except the comma and the blanks that separated a removed member.
func Delete(obj []byte, keys ...string) []byte {
	return filter(obj, func(name []byte) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return keyIs(name, key) })
	})
}

// filter removes the members whose key literal drop accepts.
func filter(obj []byte, drop func(name []byte) bool) []byte {
	start := opens(obj, '{')
	if start < 0 {
		return obj
	}
	var out []byte
	prev, kept, dropped := start, 0, false
	for first := true; ; first = false {
		m, ok := nextMember(obj, prev, first)
		if !ok {
			break
		}
		gap := obj[prev:m.key]
		switch {
		case drop(m.name(obj)):
			if !dropped {
				dropped = true
				out = append(make([]byte, 0, len(obj)), obj[:prev]...)
			}
		case dropped && kept == 0:
			// The first one that stays has no comma before it.
			out = append(out, obj[m.key:m.end]...)
			kept++
		case dropped:
			out = append(append(out, gap...), obj[m.key:m.end]...)
		default:
			kept++
		}
		prev = m.end
	}
	if !dropped {
		return obj
	}
	return append(out, obj[prev:]...)
}

// replaceAt puts value in place of obj[start:end].
func replaceAt(obj []byte, start, end int, value []byte) []byte {
	if string(obj[start:end]) == string(value) {
		return obj
	}
	out := make([]byte, 0, len(obj)-(end-start)+len(value))
	out = append(out, obj[:start]...)
	out = append(out, value...)
	return append(out, obj[end:]...)
}

// lastEnd returns the index after the last member's value, after the opening
// brace of an empty object, or -1 when obj is not a whole object.
func lastEnd(obj []byte) int {
	end := opens(obj, '{')
	if end < 0 {
		return -1
	}
	for first := true; ; first = false {
		m, ok := nextMember(obj, end, first)
		if !ok {
			break
		}
		end = m.end
	}
	if i := skipBlank(obj, end); i >= len(obj) || obj[i] != '}' {
		return -1
	}
	return end
}

// insert adds a member at index i, which is right after a member's value or
// after the opening brace of an empty object.
func insert(obj []byte, i int, key string, value []byte) []byte {
	if i < 0 {
		return obj
	}
	empty := i == opens(obj, '{')
	out := make([]byte, 0, len(obj)+len(key)+len(value)+4)
	out = append(out, obj[:i]...)
	if !empty {
		out = append(out, ',')
	}
	out = append(Quote(out, key), ':')
	out = append(out, value...)
	return append(out, obj[i:]...)
}
