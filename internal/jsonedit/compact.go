package jsonedit

import (
	"iter"
)

// Compact returns v without the blanks outside strings, which is all that
// JSON.stringify would take out of text that it wrote. Strings and numbers stay
// as written. When there is nothing to take out, v itself is returned.
func Compact(v []byte) []byte {
	var out []byte
	first := true
	for part := range solid(v) {
		if first && len(part) == len(v) {
			return v
		}
		first = false
		if out == nil {
			out = make([]byte, 0, len(v))
		}
		out = append(out, part...)
	}
	if out == nil {
		return v[:0:0]
	}
	return out
}

// solid yields the longest stretches of v that hold no blank outside a string.
func solid(v []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := skipBlank(v, 0); i < len(v); i = skipBlank(v, i) {
			start := i
			for i < len(v) && v[i] > ' ' {
				if v[i] != '"' {
					i++
					continue
				}
				if i = skipString(v, i); i < 0 {
					i = len(v)
				}
			}
			if i == start {
				i++ // a control byte that no JSON text has: keep it
			}
			if !yield(v[start:i]) {
				return
			}
		}
	}
}
