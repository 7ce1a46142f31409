package jsonl

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// escapes classes the byte after a backslash: 0 is refused, 1 is a whole
// escape, 2 wants four hexadecimal digits.
const escapes = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00" +
	"\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00" +
	"\x00\x00\x01\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// load reads the eight bytes at i, the first lowest. The caller has checked
// that they are there.
func load(base unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(base, i))[:])
}

// special marks the high bit of every byte of w that a string cannot simply
// hold: quotes, backslashes and control characters. Exact for every byte.
func special(w uint64) uint64 {
	// Flipping bit 1 moves the quote next to the control characters, so that
	// one comparison with 0x21 finds both. The high bits keep the subtraction
	// from borrowing across bytes.
	low := ((w ^ ones*0x02) | high) - ones*0x21
	back := ((w ^ ones*'\\') | high) - ones
	return ^(low&back | w) & high
}

const (
	// short is how many bytes stringEnd tries before it looks at more
	// together.
	short = 16
	// blockSize is how many bytes [blocks] looks at together.
	blockSize = 64
	// wordsSize is how many bytes [wordsEnd] looks at together.
	wordsSize = 32
)

// hint is special but for its high bits, of which those above the lowest that
// is set may be set without cause, and its other bits, which mean nothing.
func hint(w uint64) uint64 {
	return (((w ^ ones*0x02) - ones*0x21) | ((w ^ ones*'\\') - ones)) &^ w
}

// gather moves the high bit of each byte of m, the only ones set, to the lowest
// eight bits.
func gather(m uint64) uint64 {
	return (m >> 7) * 0x0102040810204080 >> 56
}

// plainEnd returns the offset of the first special byte of b from i on, or
// len(b).
func plainEnd(b []byte, i int) int {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for ; i+8 <= len(b); i += 8 {
		if m := special(load(base, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

// stringEnd returns the offset after the closing quote of the string whose
// content starts or goes on at i; or, where the string is not well formed, the
// complement of the offset of the byte that cannot be.
func stringEnd(b []byte, i int) int {
	base := unsafe.Pointer(unsafe.SliceData(b))
	// Most strings of a record are short and have no escapes.
	for end := i + short; i < end && i+8 <= len(b); i += 8 {
		if m := special(load(base, i)); m != 0 {
			if at := i + bits.TrailingZeros64(m)>>3; b[at] == '"' {
				return at + 1
			}
			break
		}
	}
	if vector {
		for i+blockSize <= len(b) {
			var stop bool
			if i, stop = blocks(b, i); !stop {
				break
			}
			switch b[i] {
			case '"':
				return i + 1
			case 'u':
				if i = escapeEnd(b, i-1); i < 0 {
					return i
				}
			default:
				return ^i
			}
		}
	}
	return wordsEnd(b, i)
}

// wordsEnd is stringEnd in words of eight bytes, for machines without [blocks]
// and what is too short for it.
func wordsEnd(b []byte, i int) int {
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i+wordsSize <= len(b) {
		p, q := load(base, i), load(base, i+8)
		r, s := load(base, i+16), load(base, i+24)
		if (hint(p)|hint(q)|hint(r)|hint(s))&high == 0 {
			i += wordsSize
			continue
		}
		// One bit for each special byte of the block, the first lowest.
		m := gather(special(p)) | gather(special(q))<<8 | gather(special(r))<<16 | gather(special(s))<<24
		next := i + wordsSize
		for ; m != 0; m &= m - 1 {
			at := i + bits.TrailingZeros64(m)
			c := b[at]
			if c == '"' {
				return at + 1
			}
			if c != '\\' {
				return ^at
			}
			if at+1 < len(b) && escapes[b[at+1]] == 1 {
				// The escaped byte may be marked too: its bit goes first, the
				// backslash's with the loop.
				m &^= 2 << (at - i)
				next = max(next, at+2)
				continue
			}
			end := escapeEnd(b, at)
			if end < 0 {
				return end
			}
			next = max(next, end)
		}
		i = next
	}
	return stringTail(b, i)
}

// stringTail is stringEnd byte by byte, for the end of b.
func stringTail(b []byte, i int) int {
	for {
		i = plainEnd(b, i)
		if i >= len(b) {
			return ^len(b)
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escapeEnd(b, i); i < 0 {
				return i
			}
		default:
			return ^i
		}
	}
}

// escapeEnd returns the offset after the escape whose backslash stands at i,
// or the complement of the offset of the byte that cannot be.
func escapeEnd(b []byte, i int) int {
	if i+1 >= len(b) {
		return ^len(b)
	}
	switch escapes[b[i+1]] {
	case 1:
		return i + 2
	case 2:
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return ^len(b)
			}
			if !isHex(b[k]) {
				return ^k
			}
		}
		return i + 6
	}
	return ^(i + 1)
}

func isHex(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 6
}
