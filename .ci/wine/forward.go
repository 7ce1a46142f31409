package main

import (
	"bytes"
	"encoding/binary"
)

// Go takes its random bytes from ProcessPrng in bcryptprimitives.dll, which Wine 8 has
// not. forwarder returns a library of no code, in which that function is the one of
// advapi32.dll that does the same.
func forwarder() []byte {
	const (
		text, exports, relocs = 0x200, 0x1000, 0x2000 // in the file; in memory
		directory             = 40
	)
	// The export directory: three tables of one row, then the texts.
	texts := []string{"bcryptprimitives.dll", "ProcessPrng", "ADVAPI32.SystemFunction036"}
	var at [3]uint32
	next := uint32(exports + directory + 4 + 4 + 4)
	var names bytes.Buffer
	for i, text := range texts {
		at[i] = next + uint32(names.Len())
		names.WriteString(text + "\x00")
	}
	var section bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&section, binary.LittleEndian, v) // into memory
		}
	}
	put(uint32(0), uint32(0), uint32(0), at[0], uint32(1), uint32(1), uint32(1),
		uint32(exports+directory), uint32(exports+directory+4), uint32(exports+directory+8))
	put(at[2], at[1], uint32(0)) // what it is forwarded to, its name, its number
	section.Write(names.Bytes())
	size := uint32(section.Len())

	var file bytes.Buffer
	write := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&file, binary.LittleEndian, v) // into memory
		}
	}
	dos := make([]byte, 64)
	copy(dos, "MZ")
	dos[60] = 64
	write(dos, []byte("PE\x00\x00"))
	write(uint16(0x8664), uint16(2), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022))
	write(uint16(0x20b), uint16(14), uint32(0), uint32(0x400), uint32(0), uint32(0), uint32(0x1000))
	write(uint64(0x180000000), uint32(0x1000), uint32(0x200), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0),
		uint32(0), uint32(0x3000), uint32(text*2), uint32(0), uint16(3), uint16(0x160),
		uint64(0x100000), uint64(0x1000), uint64(0x100000), uint64(0x1000), uint32(0), uint32(16))
	for i := range 16 {
		switch i {
		case 0:
			write(uint32(exports), size)
		case 5: // an empty block, so that the library may be moved
			write(uint32(relocs), uint32(12))
		default:
			write(uint64(0))
		}
	}
	header := func(name string, size, where, from, flags uint32) {
		var padded [8]byte
		copy(padded[:], name)
		write(padded, size, where, uint32(text), from, uint64(0), uint32(0), flags)
	}
	header(".edata", size, exports, 2*text, 0x40000040)
	header(".reloc", 12, relocs, 3*text, 0x42000040)
	pad := func(to int) { file.Write(make([]byte, to-file.Len())) }
	pad(2 * text)
	file.Write(section.Bytes())
	pad(3 * text)
	write(uint32(relocs), uint32(12), uint32(0))
	pad(4 * text)
	return file.Bytes()
}
