package index

import (
	"encoding/binary"

	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/varint"
)

// packStamp appends a stamp.
func packStamp(b []byte, s source.Stamp) []byte {
	b = binary.AppendUvarint(b, s.Dev)
	b = binary.AppendUvarint(b, s.Ino)
	b = binary.AppendVarint(b, s.Size)
	return binary.AppendVarint(b, s.ModTime)
}

// unpackStamp reads what packStamp appended.
func unpackStamp(r *varint.Reader) source.Stamp {
	return source.Stamp{Dev: r.Uint(), Ino: r.Uint(), Size: r.Int(), ModTime: r.Int()}
}
