package gitroot

import (
	"bytes"
	"encoding/binary"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// Kinds of objects in a pack.
const (
	kindCommit = 1
	kindOffset = 6 // a change of the object so many bytes before it
	kindName   = 7 // a change of the object of that name
)

// A pack is many objects in one file, and the list of where each is (version 2
// of git's format).
type pack struct {
	list, data vfs.File
	count      int64
	fan        [256]uint32 // how many names begin with that byte or a lower one
	size       int64       // of a name: 20 or 32 bytes
}

// List layout: 4 bytes magic, 4 version, 256 counts, then a column each of
// names, checksums and offsets, large offsets, and two checksums of size bytes.
const listHead = 8 + 4*256

func openPack(fsys vfs.FS, stem string) (*pack, bool) {
	p := &pack{}
	var err error
	if p.list, err = fsys.Open(stem+".idx", os.O_RDONLY); err != nil {
		return nil, false
	}
	if p.data, err = fsys.Open(stem+".pack", os.O_RDONLY); err != nil || !p.readHead() {
		p.close()
		return nil, false
	}
	return p, true
}

func (p *pack) close() {
	for _, f := range []vfs.File{p.list, p.data} {
		if f != nil {
			_ = f.Close() // only read
		}
	}
}

func (p *pack) readHead() bool {
	head := make([]byte, listHead)
	if n, _ := p.list.ReadAt(head, 0); n < len(head) || !bytes.Equal(head[:8], []byte("\xfftOc\x00\x00\x00\x02")) {
		return false
	}
	for i := range p.fan {
		p.fan[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fan[i] < p.fan[i-1] {
			return false
		}
	}
	p.count = int64(p.fan[255])
	info, err := p.list.Stat()
	if err != nil {
		return false
	}
	// A name of 32 bytes needs more room than all that may follow names of 20.
	p.size = 20
	if info.Size >= listHead+p.count*(32+8)+2*32 && p.count > 0 {
		p.size = 32
	}
	return info.Size >= listHead+p.count*(p.size+8)+2*p.size
}

// find returns where in the pack the object of a name is.
func (p *pack) find(name []byte) (int64, bool) {
	if int64(len(name)) != p.size {
		return 0, false
	}
	low, high := int64(0), int64(p.fan[name[0]])
	if name[0] > 0 {
		low = int64(p.fan[name[0]-1])
	}
	var buf [32]byte
	for low < high {
		mid := (low + high) / 2
		there := buf[:p.size]
		if n, _ := p.list.ReadAt(there, listHead+mid*p.size); n < len(there) {
			return 0, false
		}
		switch order := bytes.Compare(name, there); {
		case order == 0:
			return p.offset(mid)
		case order < 0:
			high = mid
		default:
			low = mid + 1
		}
	}
	return 0, false
}

// offset returns where the object on that row of the list is.
func (p *pack) offset(row int64) (int64, bool) {
	var buf [8]byte
	column := listHead + p.count*(p.size+4)
	if n, _ := p.list.ReadAt(buf[:4], column+4*row); n < 4 {
		return 0, false
	}
	at := int64(binary.BigEndian.Uint32(buf[:4]))
	const large = 1 << 31
	if at&large == 0 {
		return at, true
	}
	if n, _ := p.list.ReadAt(buf[:], column+4*p.count+8*(at&^large)); n < 8 {
		return 0, false
	}
	at = int64(binary.BigEndian.Uint64(buf[:]))
	return at, at > 0
}

// maxDepth is how many changes of changes are followed; git makes at most 50.
const maxDepth = 64

// read returns the object at an offset; depth is how many are changes of it.
func (p *pack) read(s *store, at int64, depth int) (kind int, data []byte, ok bool) {
	head := make([]byte, 64)
	n, _ := p.data.ReadAt(head, at)
	head = head[:n]
	if n == 0 || depth > maxDepth {
		return 0, nil, false
	}
	kind = int(head[0] >> 4 & 7)
	used := 1
	for head[used-1]&0x80 != 0 {
		if used++; used > min(len(head), 10) {
			return 0, nil, false
		}
	}
	var base []byte
	switch kind {
	case kindCommit:
		data, ok = inflate(p.data, at+int64(used), maxCommit)
		return kind, data, ok
	case kindOffset:
		back, more := distance(head[used:])
		if more == 0 || back <= 0 || back > at {
			return 0, nil, false
		}
		used += more
		kind, base, ok = p.read(s, at-back, depth+1)
	case kindName:
		if len(head) < used+int(p.size) {
			return 0, nil, false
		}
		where, found := p.find(head[used : used+int(p.size)])
		used += int(p.size)
		if found {
			kind, base, ok = p.read(s, where, depth+1)
		}
	}
	if !ok {
		return 0, nil, false
	}
	change, ok := inflate(p.data, at+int64(used), maxCommit)
	if !ok {
		return 0, nil, false
	}
	data, ok = apply(base, change)
	return kind, data, ok
}

// distance reads how far before a change the object is that it changes, and how
// many bytes say so; 0 for none.
func distance(b []byte) (back int64, used int) {
	for i, c := range b {
		if i > 8 {
			return 0, 0
		}
		if i > 0 {
			back++
		}
		back = back<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return back, i + 1
		}
	}
	return 0, 0
}

// apply makes of an object the one that a change says.
func apply(base, change []byte) ([]byte, bool) {
	from, n := binary.Uvarint(change)
	if n <= 0 || from != uint64(len(base)) {
		return nil, false
	}
	change = change[n:]
	size, n := binary.Uvarint(change)
	if n <= 0 || size > maxCommit {
		return nil, false
	}
	change = change[n:]
	out := make([]byte, 0, size)
	for len(change) > 0 {
		op := change[0]
		change = change[1:]
		if op&0x80 == 0 { // the next op bytes are new
			if op == 0 || int(op) > len(change) {
				return nil, false
			}
			out = append(out, change[:op]...)
			change = change[op:]
			continue
		}
		var where [7]byte // four of a place, three of a length, little end first
		for i := range where {
			if op>>i&1 == 0 {
				continue
			}
			if len(change) == 0 {
				return nil, false
			}
			where[i], change = change[0], change[1:]
		}
		start := int(binary.LittleEndian.Uint32(where[:4]))
		length := int(where[4]) | int(where[5])<<8 | int(where[6])<<16
		if length == 0 {
			length = 1 << 16
		}
		if start > len(base) || length > len(base)-start || len(out)+length > maxCommit {
			return nil, false
		}
		out = append(out, base[start:start+length]...)
	}
	return out, uint64(len(out)) == size
}
