package index

import (
	"encoding/binary"

	"github.com/cambium-dev/cambium/catalog"
)

// packStamp appends a stamp.
func packStamp(b []byte, s catalog.Stamp) []byte {
	b = binary.AppendUvarint(b, s.Dev)
	b = binary.AppendUvarint(b, s.Ino)
	b = binary.AppendVarint(b, s.Size)
	return binary.AppendVarint(b, s.ModTime)
}

// An unpacker reads packed values one by one; bad says that they are not as they
// were written.
type unpacker struct {
	b   []byte
	bad bool
}

func (r *unpacker) stamp() catalog.Stamp {
	return catalog.Stamp{Dev: r.uint(), Ino: r.uint(), Size: r.int(), ModTime: r.int()}
}

func (r *unpacker) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *unpacker) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}
