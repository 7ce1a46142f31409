package jsonedit

import (
	"bytes"
)

// skipBlank returns the index of the first byte at or after i that is not JSON
// white space.
func skipBlank(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// skipString returns the index after the string literal that starts at b[i],
// or -1 when it does not end.
func skipString(b []byte, i int) int {
	start := i + 1
	for j := start; ; {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			return -1
		}
		j += n
		k := j
		for k > start && b[k-1] == '\\' {
			k--
		}
		if (j-k)%2 == 0 {
			return j + 1
		}
		j++
	}
}

// skipScalar returns the index after the number or literal that starts at b[i],
// or -1 when there is none.
func skipScalar(b []byte, i int) int {
	j := i
	for j < len(b) {
		switch b[j] {
		case ',', ']', '}', ':', ' ', '\t', '\n', '\r', '"', '[', '{':
			if j == i {
				return -1
			}
			return j
		}
		j++
	}
	if j == i {
		return -1
	}
	return j
}

// skipValue returns the index after the value that starts at b[i], or -1 when it
// does not end. It uses constant stack whatever the nesting, and does not check
// what lies between the brackets.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
	default:
		return skipScalar(b, i)
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// trim returns the value without the blanks around it.
func trim(v []byte) []byte {
	i, j := skipBlank(v, 0), len(v)
	for j > i {
		switch v[j-1] {
		case ' ', '\t', '\n', '\r':
			j--
			continue
		}
		break
	}
	return v[i:j]
}

// member is where one member of an object lies: its key literal starts at key,
// its value is b[value:end].
type member struct {
	key, value, end int
}

// name returns the text of the key literal, quotes included.
func (m member) name(b []byte) []byte {
	end := skipString(b, m.key)
	if end < 0 {
		return nil
	}
	return b[m.key:end]
}

// nextMember finds the member at or after index i of an object. The index it
// starts from is the one after the opening brace, or after the previous member's
// value. It reports false at the end and where the text is not an object's.
func nextMember(b []byte, i int, first bool) (member, bool) {
	i = skipBlank(b, i)
	if !first {
		if i >= len(b) || b[i] != ',' {
			return member{}, false
		}
		i = skipBlank(b, i+1)
	}
	if i >= len(b) || b[i] != '"' {
		return member{}, false
	}
	m := member{key: i}
	if i = skipString(b, i); i < 0 {
		return member{}, false
	}
	i = skipBlank(b, i)
	if i >= len(b) || b[i] != ':' {
		return member{}, false
	}
	m.value = skipBlank(b, i+1)
	m.end = skipValue(b, m.value)
	return m, m.end >= 0
}

// nextElement finds the element at or after index i of an array, as nextMember
// does for objects.
func nextElement(b []byte, i int, first bool) (start, end int, ok bool) {
	i = skipBlank(b, i)
	if i >= len(b) {
		return 0, 0, false
	}
	if !first {
		if b[i] != ',' {
			return 0, 0, false
		}
		i = skipBlank(b, i+1)
	}
	end = skipValue(b, i)
	return i, end, end >= 0
}

// opens returns the index after the opening bracket c of v, or -1 when v does
// not start with it.
func opens(v []byte, c byte) int {
	i := skipBlank(v, 0)
	if i >= len(v) || v[i] != c {
		return -1
	}
	return i + 1
}
