// Package varint reads values that were packed one behind the other: whole numbers
// as package encoding/binary packs them (varints), bytes, and parts that begin
// with their length. What is read may be damaged: nothing panics, and after the
// first value that cannot be there all others are zero.
//
// Package varint does not know what the values mean.
package varint

import "encoding/binary"

// A Reader reads packed values one by one. It is a plain value, to be used by one
// goroutine.
type Reader struct {
	// Rest is what was not read yet.
	Rest []byte
	// Bad says that a value was not as it was written, or not there.
	Bad bool
}

func (r *Reader) fail() { r.Rest, r.Bad = nil, true }

// Uint reads an unsigned number.
func (r *Reader) Uint() uint64 {
	if len(r.Rest) > 0 && r.Rest[0] < 0x80 { // most are small
		v := uint64(r.Rest[0])
		r.Rest = r.Rest[1:]
		return v
	}
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Int reads a signed number.
func (r *Reader) Int() int64 {
	v, n := binary.Varint(r.Rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Count reads an unsigned number of things that are still to come, each of a byte
// at least.
func (r *Reader) Count() int {
	v := r.Uint()
	if v > uint64(len(r.Rest)) {
		r.fail()
		return 0
	}
	return int(v)
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Bytes reads n bytes, which are not copied; nil when there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.Rest) {
		r.fail()
		return nil
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// Part reads bytes that their count comes before. They are not copied.
func (r *Reader) Part() []byte { return r.Bytes(r.Count()) }
