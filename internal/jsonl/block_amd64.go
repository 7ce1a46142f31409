//go:build !purego

package jsonl

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vector says whether the machine has what [blocks] needs, AVX2. Nothing but
// tests changes it.
var vector = cpu.X86.HasAVX2

// blocks looks at whole blocks of blockSize bytes of b from i on, where the
// content of a string starts or goes on with a byte that is not escaped. It
// stops at the first byte, and returns its offset and true, that
//
//   - is a quote and not escaped: the string ends with it;
//   - is a control character: the string is not well formed;
//   - follows a backslash and is not a whole escape with it: it cannot be, or
//     it is a u. Those with four hexadecimal digits in the same block are
//     passed over, all others are the caller's to look at.
//
// A quote it stops at is thus never an escaped one, and a u always is. When no
// whole block is left it returns where to go on, at a byte that is not escaped
// and less than blockSize+1 bytes before the end of b, and false.
func blocks(b []byte, i int) (at int, stop bool) {
	if len(b)-i < blockSize {
		return i, false // not a pointer behind b, which belongs to something else
	}
	at, stop = blocksAVX2((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)), len(b)-i)
	return i + at, stop
}

// blocksAVX2 is blocks for the n bytes at p.
//
//go:noescape
func blocksAVX2(p *byte, n int) (at int, stop bool)
