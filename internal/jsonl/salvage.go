package jsonl

import "bytes"

// Salvage returns the whole JSON objects legible in a line that [Query.Scan]
// refuses, in order and without overlap: of objects glued together all, of an
// object followed by junk that one, of torn beginnings glued to a whole object
// the whole one. The spans leave out what surrounds the objects.
//
// An object at the start of the line, or right after another, may begin
// anyhow. Elsewhere only those are found that begin with marker, the bytes
// every record begins with, such as `{"type":`; it never matches within a
// string, where its quotes are escaped. An object that something goes on after
// as if it were a part of another (a comma or a closing bracket), and one that
// lies within a torn object but is not the last thing in it, are parts and not
// reported. The last thing in a torn object is, since a record may be glued
// where a value could stand: the caller knows whether it is a record or a part.
// The time taken grows with the length of the line only.
func Salvage(line []byte, marker string) []Span {
	var found []Span
	pos, free := 0, true // free: a record may begin here without the marker
	for pos < len(line) {
		if free {
			pos = padding(line, pos)
		}
		start := pos
		if !free || pos == len(line) || line[pos] != '{' {
			k := bytes.Index(line[pos:], []byte(marker))
			if k < 0 || marker == "" {
				return found
			}
			start, free = pos+k, false
			if line[start] != '{' {
				pos = start + 1
				continue
			}
		}
		end := containerEnd(line, start, maxDepth)
		if end >= 0 {
			if free || !isPart(line, end) {
				found = append(found, Span{start, end})
				free = true
			}
			pos = end
			continue
		}
		free = false
		if s := lastPart(line, start, ^end, marker); s.Present() {
			found = append(found, s)
			pos, free = s.End, true
			continue
		}
		// A record glued into a torn string is noticed two bytes after its
		// start, elsewhere at its start or before.
		pos = max(start+1, ^end-len(`{"`))
	}
	return found
}

// padding skips blanks and NUL.
func padding(b []byte, i int) int {
	for i < len(b) && (isPadding(b[i]) || b[i] == '\n') {
		i++
	}
	return i
}

// isPart reports whether an object that ends before i goes on as the part of
// another.
func isPart(b []byte, i int) bool {
	i = padding(b, i)
	return i < len(b) && (b[i] == ',' || b[i] == ']' || b[i] == '}')
}

// lastPart looks into the torn object at start, well formed up to end, for an
// object that was glued where a value could stand: the last one in it, if it
// begins with marker and nothing but blanks comes between it and end.
func lastPart(b []byte, start, end int, marker string) Span {
	last := min(end, len(b))
	for last > start && isPadding(b[last-1]) {
		last--
	}
	if b[last-1] != '}' {
		return Span{}
	}
	// The depth after the last bracket is known only at the end, so the
	// brackets are counted twice; a stack would cost memory for each level.
	depth, inText := nesting(b, start, last, -1)
	if inText || depth == 0 {
		return Span{}
	}
	from, _ := nesting(b, start, last, depth)
	if from < 0 || b[from] != '{' || !bytes.HasPrefix(b[from:last], []byte(marker)) {
		return Span{}
	}
	return Span{from, last}
}

// nesting walks over b from start, well formed up to end. With level -1 it
// returns how many containers are open at end, else the offset of the last
// bracket that opened when level of them were open; and whether end lies in a
// string.
func nesting(b []byte, start, end, level int) (result int, inText bool) {
	depth, opened := 0, -1
	for i := start; i < end; i++ {
		switch b[i] {
		case '"':
			if i = stringEnd(b[:end], i+1); i < 0 {
				inText, i = true, end
				break
			}
			i--
		case '{', '[':
			if depth == level {
				opened = i
			}
			depth++
		case '}', ']':
			depth--
		}
	}
	if level < 0 {
		return depth, inText
	}
	return opened, inText
}
