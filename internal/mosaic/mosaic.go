// Package mosaic puts bytes together of pieces: some of its own, and some that stand in
// other files and are read there when somebody asks for them.
package mosaic

import (
	"errors"
	"fmt"
	"io"
	"sort"
)

// short is up to how many bytes are copied rather than read where they stand.
const short = 256

// A Mosaic is bytes that were put together. It is safe for concurrent use, but for Close.
type Mosaic struct {
	files  []File
	pieces []piece
	own    []byte
	size   int64
}

// A File is where pieces stand. What stands there does not change as long as it is used.
type File interface {
	io.ReaderAt
	io.Closer
}

// A piece is some bytes of a file, or own ones.
type piece struct {
	at   int64 // where it begins in the mosaic
	off  int64 // where it begins in its file
	file int32 // own, or which
}

// own is the file of the bytes that a mosaic holds itself.
const own = -1

// A Builder puts a mosaic together. The zero Builder is ready. It is for one goroutine.
type Builder struct{ m Mosaic }

// File adds a file and returns its number. The mosaic closes it.
func (b *Builder) File(f File) int {
	b.m.files = append(b.m.files, f)
	return len(b.m.files) - 1
}

// Text adds bytes that are copied.
func (b *Builder) Text(s string) {
	if s != "" {
		b.begin(own, int64(len(b.m.own)))
		b.m.own = append(b.m.own, s...)
		b.m.size += int64(len(s))
	}
}

// Bytes adds bytes that are copied.
func (b *Builder) Bytes(p []byte) {
	if len(p) > 0 {
		b.begin(own, int64(len(b.m.own)))
		b.m.own = append(b.m.own, p...)
		b.m.size += int64(len(p))
	}
}

// Cut adds the bytes p, which stand in a file from off on. Few are copied, of more it is
// noted where they stand.
func (b *Builder) Cut(file int, off int64, p []byte) {
	if len(p) <= short {
		b.Bytes(p)
		return
	}
	b.begin(int32(file), off)
	b.m.size += int64(len(p))
}

// Size returns how many bytes there are so far.
func (b *Builder) Size() int64 { return b.m.size }

// begin begins a piece, unless it goes on where the last one ended.
func (b *Builder) begin(file int32, off int64) {
	if n := len(b.m.pieces); n > 0 {
		last := &b.m.pieces[n-1]
		if last.file == file && last.off+b.m.size-last.at == off {
			return
		}
	}
	b.m.pieces = append(b.m.pieces, piece{at: b.m.size, off: off, file: file})
}

// Mosaic returns what was put together, behind the bytes of front. The Builder is not used
// again. The caller closes the mosaic.
func (b *Builder) Mosaic(front []byte) *Mosaic {
	m := b.m
	b.m = Mosaic{}
	if len(front) == 0 {
		return &m
	}
	by := int64(len(front))
	for n := range m.pieces {
		m.pieces[n].at += by
	}
	m.pieces = append([]piece{{at: 0, off: int64(len(m.own)), file: own}}, m.pieces...)
	m.own = append(m.own, front...)
	m.size += by
	return &m
}

// Abandon closes the files of what is not put together after all.
func (b *Builder) Abandon() {
	_ = b.m.Close() // nothing was written
}

// Size returns the number of bytes.
func (m *Mosaic) Size() int64 { return m.size }

// ReadAt reads as [io.ReaderAt] says. A file that lacks what stood there is an error, which
// wraps [io.ErrUnexpectedEOF].
func (m *Mosaic) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("read mosaic: negative offset")
	}
	at := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].at > off }) - 1
	for n < len(p) && off < m.size {
		is, end := m.pieces[at], m.size
		if at+1 < len(m.pieces) {
			end = m.pieces[at+1].at
		}
		part := p[n:min(int64(len(p)), int64(n)+end-off)]
		if err := m.read(is, part, off-is.at); err != nil {
			return n, err
		}
		n += len(part)
		off += int64(len(part))
		at++
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read fills part from a piece, from so far into it on.
func (m *Mosaic) read(is piece, part []byte, into int64) error {
	if is.file == own {
		copy(part, m.own[is.off+into:])
		return nil
	}
	got, err := m.files[is.file].ReadAt(part, is.off+into)
	switch {
	case got == len(part):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return fmt.Errorf("read what stood at byte %d: %w", is.off+into, io.ErrUnexpectedEOF)
	}
	return err
}

// Close closes the files that pieces stand in.
func (m *Mosaic) Close() error {
	var errs []error
	for _, f := range m.files {
		errs = append(errs, f.Close())
	}
	m.files = nil
	return errors.Join(errs...)
}
