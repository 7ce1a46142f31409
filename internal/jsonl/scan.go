package jsonl

// maxDepth bounds the memory that nesting takes: one bit a level, 8 MiB.
const maxDepth = 1 << 26

// A levels is the stack of open containers, one bit each: 1 for an object, 0
// for an array. The innermost 64 are in top, so that ordinary values need no
// memory.
type levels struct {
	top   uint64
	depth int
	rest  []uint64
}

func (l *levels) push(object uint64) {
	if l.depth&63 == 0 && l.depth > 0 {
		l.rest = append(l.rest, l.top)
	}
	l.top = l.top<<1 | object
	l.depth++
}

func (l *levels) pop() {
	l.depth--
	if l.depth&63 == 0 && l.depth > 0 {
		last := len(l.rest) - 1
		l.top, l.rest = l.rest[last], l.rest[:last]
		return
	}
	l.top >>= 1
}

// blank skips JSON's blanks from i on.
func blank(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// valueEnd scans the value that starts at i, blanks before it included, and
// returns the offset after it. A value that is not well formed gives the
// complement of the offset of the byte that cannot be.
func valueEnd(b []byte, i int) int {
	i = blank(b, i)
	if i >= len(b) {
		return ^len(b)
	}
	switch c := b[i]; c {
	case '"':
		return stringEnd(b, i+1)
	case '{', '[':
		return containerEnd(b, i, maxDepth)
	default:
		return scalarEnd(b, i)
	}
}

// containerEnd is valueEnd for an object or array that opens at i and is nested
// at most limit levels deep.
func containerEnd(b []byte, i, limit int) int {
	var open levels
	for {
		// A value is expected at i, or the first bracket stands there.
		if i = blank(b, i); i >= len(b) {
			return ^len(b)
		}
		switch b[i] {
		case '"':
			i = stringEnd(b, i+1)
		case '{':
			if open.depth >= limit {
				return ^i
			}
			if i = blank(b, i+1); i < len(b) && b[i] == '}' {
				i++
				break
			}
			open.push(1)
			if i = nameEnd(b, i); i < 0 {
				return i
			}
			continue
		case '[':
			if open.depth >= limit {
				return ^i
			}
			if i = blank(b, i+1); i < len(b) && b[i] == ']' {
				i++
				break
			}
			open.push(0)
			continue
		default:
			i = scalarEnd(b, i)
		}
		if i < 0 {
			return i
		}
		if i = closeEnd(b, i, &open); i < 0 || open.depth == 0 {
			return i
		}
	}
}

// closeEnd goes on after a value: past the brackets that close and the comma
// and name before the next value. Nothing is open when the outermost closed.
func closeEnd(b []byte, i int, open *levels) int {
	for open.depth > 0 {
		if i < len(b) && b[i] <= ' ' {
			i = blank(b, i)
		}
		if i >= len(b) {
			return ^len(b)
		}
		c := b[i]
		if open.top&1 == 0 {
			if c == ',' {
				return i + 1
			}
			if c != ']' {
				return ^i
			}
		} else {
			if c == ',' {
				return nameEnd(b, i+1)
			}
			if c != '}' {
				return ^i
			}
		}
		open.pop()
		i++
	}
	return i
}

// nameEnd scans a member's name and its colon.
func nameEnd(b []byte, i int) int {
	i = blank(b, i)
	if i >= len(b) {
		return ^len(b)
	}
	if b[i] != '"' {
		return ^i
	}
	if i = stringEnd(b, i+1); i < 0 {
		return i
	}
	if i < len(b) && b[i] == ':' {
		return i + 1
	}
	return colonEnd(b, i)
}

func colonEnd(b []byte, i int) int {
	if i < len(b) && b[i] == ':' {
		return i + 1
	}
	i = blank(b, i)
	if i >= len(b) {
		return ^len(b)
	}
	if b[i] != ':' {
		return ^i
	}
	return i + 1
}

// scalarEnd scans a number or a literal at i, which lies in b.
func scalarEnd(b []byte, i int) int {
	switch c := b[i]; {
	case c == 't':
		return literalEnd(b, i, "true")
	case c == 'f':
		return literalEnd(b, i, "false")
	case c == 'n':
		return literalEnd(b, i, "null")
	case c == '-' || isDigit(c):
		return numberEnd(b, i)
	}
	return ^i
}

func literalEnd(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	for k := range len(word) {
		if i+k >= len(b) {
			return ^len(b)
		}
		if b[i+k] != word[k] {
			return ^(i + k)
		}
	}
	return i + len(word)
}

func numberEnd(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i >= len(b) {
		return ^len(b)
	}
	switch c := b[i]; {
	case c == '0':
		i++
	case isDigit(c):
		for i++; i < len(b) && isDigit(b[i]); i++ {
		}
	default:
		return ^i
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digitsEnd(b, i)
	}
	return i
}

// digitsEnd scans one digit or more.
func digitsEnd(b []byte, i int) int {
	if i >= len(b) {
		return ^len(b)
	}
	if !isDigit(b[i]) {
		return ^i
	}
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' < 10 }
