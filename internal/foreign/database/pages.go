package database

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// The log of a database (sqlite.org/walformat.html): a head, then frames of a head and a page
// each. What was written together ends with a frame that says how many pages there are then.
const (
	logHead   = 32
	frameHead = 24
	logMagic  = 0x377f0682 // the lowest bit says that sums are of big-endian words
	maxLog    = 1 << 30
)

// A snapshot says where the pages are that the log of a database holds.
type snapshot struct {
	size  int64            // of the database, 0 where the log says nothing
	page  int64            // size of a page
	where map[uint32]int64 // where the newest of each page is in the log
}

// readLog reads a log as far as it is whole. Anything behind that is left alone, as SQLite
// does.
func readLog(f io.ReaderAt, size int64) (snapshot, error) {
	var s snapshot
	if size > maxLog {
		return s, ErrLarge
	}
	head := make([]byte, logHead)
	if _, err := f.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil // none yet
		}
		return s, err
	}
	magic := binary.BigEndian.Uint32(head)
	s.page = int64(binary.BigEndian.Uint32(head[8:]))
	if magic&^1 != logMagic || s.page < 512 || s.page > 1<<16 || bits.OnesCount64(uint64(s.page)) != 1 {
		return snapshot{}, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 != 0 {
		order = binary.BigEndian
	}
	sum := checksum(order, [2]uint32{}, head[:24])
	if sum != sumIn(head[24:]) {
		return snapshot{}, nil
	}
	s.where = map[uint32]int64{}
	pending := map[uint32]int64{}
	frame := make([]byte, frameHead+s.page)
	for at := int64(logHead); at+int64(len(frame)) <= size; at += int64(len(frame)) {
		if _, err := f.ReadAt(frame, at); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return s, err
		}
		sum = checksum(order, checksum(order, sum, frame[:8]), frame[frameHead:])
		number := binary.BigEndian.Uint32(frame)
		if number == 0 || string(frame[8:16]) != string(head[16:24]) || sum != sumIn(frame[16:]) {
			break
		}
		pending[number] = at + frameHead
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			s.size = int64(pages) * s.page
			for number, at := range pending {
				s.where[number] = at
			}
			clear(pending)
		}
	}
	return s, nil
}

func sumIn(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// checksum goes on with the sum of a log.
func checksum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += order.Uint32(b) + sum[1]
		sum[1] += order.Uint32(b[4:]) + sum[0]
	}
	return sum
}

// A pages is a database as it was at one moment, shown to SQLite as a file system of one file
// that has no log.
type pages struct {
	db, log vfs.File // log is nil for none
	snapshot
	end int64
}

// fileName is what the database is called in that file system.
const fileName = "database"

// openPages opens a database as it was when somebody looked. known is what is known of that
// look's log, nil for nothing.
func openPages(fsys vfs.FS, l look, known *snapshot) (p *pages, err error) {
	p = &pages{end: l.db.size}
	defer func() {
		if err != nil {
			_ = p.close() // nothing was written
			p = nil
		}
	}()
	if p.db, err = fsys.Open(l.path, os.O_RDONLY); err != nil {
		return p, err
	}
	if l.log.size == 0 {
		return p, nil
	}
	if p.log, err = fsys.Open(l.path+logSuffix, os.O_RDONLY); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrBusy // it was there a moment ago
		}
		return p, err
	}
	if known != nil {
		p.snapshot = *known
	} else if p.snapshot, err = readLog(p.log, l.log.size); err != nil {
		return p, err
	}
	if p.size > 0 {
		p.end = p.size
	}
	return p, nil
}

func (p *pages) close() error {
	var errs []error
	for _, f := range []vfs.File{p.db, p.log} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Open implements [fs.FS].
func (p *pages) Open(name string) (fs.File, error) {
	if name != fileName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &pageFile{pages: p}, nil
}

// ReadAt reads pages from where they are.
func (p *pages) ReadAt(b []byte, off int64) (n int, err error) {
	if off >= p.end {
		return 0, io.EOF
	}
	short := int64(len(b)) > p.end-off
	if short {
		b = b[:p.end-off]
	}
	for n < len(b) {
		at, part := off+int64(n), b[n:]
		f, from := p.db, at
		if len(p.where) > 0 {
			within := at % p.page
			part = part[:min(int64(len(part)), p.page-within)]
			if where, ok := p.where[uint32(at/p.page+1)]; ok {
				f, from = p.log, where+within
			}
		}
		got, err := f.ReadAt(part, from)
		if got < len(part) {
			return n + got, err
		}
		n += got
	}
	plain(b, off)
	if short {
		return n, io.EOF
	}
	return n, nil
}

// plain takes out of the head of a database that it has a log, so that SQLite looks for none.
func plain(b []byte, off int64) {
	for at := int64(18); at <= 19; at++ {
		if at >= off && at-off < int64(len(b)) && b[at-off] == 2 {
			b[at-off] = 1
		}
	}
}

// A pageFile is an open one. It is for one connection.
type pageFile struct {
	*pages
	at int64
}

// Seek implements [io.Seeker] from the beginning, which is all that SQLite's file system asks.
func (f *pageFile) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekStart || off < 0 {
		return 0, fs.ErrInvalid
	}
	f.at = off
	return off, nil
}

func (f *pageFile) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	return n, err
}

func (f *pageFile) Stat() (fs.FileInfo, error) { return pageInfo{f.end}, nil }

// Close leaves the files open: who opened the pages closes them.
func (f *pageFile) Close() error { return nil }

// A pageInfo describes the file.
type pageInfo struct{ size int64 }

func (i pageInfo) Name() string     { return fileName }
func (i pageInfo) Size() int64      { return i.size }
func (pageInfo) Mode() fs.FileMode  { return 0o400 }
func (pageInfo) ModTime() time.Time { return time.Time{} }
func (pageInfo) IsDir() bool        { return false }
func (pageInfo) Sys() any           { return nil }
