package index

import (
	"encoding/binary"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/pack"
)

// packStamp appends a stamp.
func packStamp(b []byte, s catalog.Stamp) []byte {
	b = binary.AppendUvarint(b, s.Dev)
	b = binary.AppendUvarint(b, s.Ino)
	b = binary.AppendVarint(b, s.Size)
	return binary.AppendVarint(b, s.ModTime)
}

// unpackStamp reads what packStamp appended.
func unpackStamp(r *pack.Reader) catalog.Stamp {
	return catalog.Stamp{Dev: r.Uint(), Ino: r.Uint(), Size: r.Int(), ModTime: r.Int()}
}
