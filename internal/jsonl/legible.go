package jsonl

import "bytes"

// Legible returns the raw values of string members that can still be read in a
// damaged line, one span for each of keys, zero for those that are gone or not
// closed. As far as the line is well formed from its first bracket on, only
// members of the outermost object count, the first of each name; after that,
// the first place where the name and a string follow one another. It is a guess
// to mend links with, not a reading. Give it only the part of the line that
// [Salvage] did not.
func Legible(line []byte, keys []string) []Span {
	found := make([]Span, len(keys))
	at := bytes.IndexByte(line, '{')
	if at < 0 {
		at = len(line)
	}
	if broken := legibleHead(line, at, keys, found); broken < len(line) {
		legibleRest(line, broken, keys, found)
	}
	if at > 0 {
		// What stands before the first bracket is the rest of a record whose
		// beginning is gone.
		legibleRest(line[:at], 0, keys, found)
	}
	return found
}

// legibleHead reads the members of the object at i and returns where it stops
// being well formed, or the length of the line.
func legibleHead(b []byte, i int, keys []string, found []Span) int {
	if i = blank(b, i+1); i >= len(b) || b[i] == '}' {
		return min(i, len(b))
	}
	for {
		k, start := member(b, i, keys)
		if start < 0 {
			return ^start
		}
		end := valueEnd(b, start)
		if end < 0 {
			return ^end
		}
		if k >= 0 && !found[k].Present() && b[start] == '"' {
			found[k] = Span{start, end}
		}
		next, more := memberEnd(b, end)
		if !more {
			if next < 0 {
				return ^next
			}
			return next
		}
		i = next
	}
}

// legibleRest looks from i on for the keys not yet found, whatever the depth.
func legibleRest(b []byte, i int, keys []string, found []Span) {
	for k, key := range keys {
		if found[k].Present() {
			continue
		}
		name := AppendQuote(nil, key)
		for at := i; at < len(b); {
			n := bytes.Index(b[at:], name)
			if n < 0 {
				break
			}
			at += n + len(name)
			start := colonEnd(b, at)
			if start < 0 {
				continue
			}
			if start = blank(b, start); start >= len(b) || b[start] != '"' {
				continue
			}
			if end := stringEnd(b, start+1); end >= 0 {
				found[k] = Span{start, end}
				break
			}
		}
	}
}
