package index

import (
	"encoding/binary"
	"hash/crc32"

	"zombiezen.com/go/sqlite"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of a blob and of the key that it is kept under.
func sum[K string | []byte](key K, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, data)
}

// seal appends its checksum to a blob.
func seal[K string | []byte](key K, data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, sum(key, data))
}

// unseal returns a blob without its checksum, or errDamaged.
func unseal[K string | []byte](key K, data []byte) ([]byte, error) {
	end := len(data) - 4
	if end < 0 || binary.LittleEndian.Uint32(data[end:]) != sum(key, data[:end]) {
		return nil, errDamaged
	}
	return data[:end], nil
}

// blob returns column i of a row, in buf if it fits.
func blob(s *sqlite.Stmt, i int, buf []byte) []byte {
	n := s.ColumnLen(i)
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	return buf[:s.ColumnBytes(i, buf)]
}
