package catalog

import (
	"context"
	"hash/maphash"
	"path"
)

const (
	// pageful is about how much memory is asked for at once for records, in
	// bytes.
	pageful = 64 << 10
	// pagesAhead is how many pages of records wait for the files to be found.
	pagesAhead = 64
)

// A page is records as an index keeps them.
type page struct {
	data []byte
	ends []int32 // of each
}

// pages are the records that an index keeps, as they come.
type pages struct {
	full chan page
	used chan page  // to be filled again
	err  chan error // after the last page
}

// pagesOf asks an index for all that it keeps, in the background.
func pagesOf(ctx context.Context, index Index) *pages {
	all := &pages{full: make(chan page, pagesAhead), used: make(chan page, pagesAhead), err: make(chan error, 1)}
	go func() {
		defer close(all.full)
		p := page{data: make([]byte, 0, pageful)}
		all.err <- eachPacked(ctx, index, func(b []byte) {
			if len(p.data)+len(b) > cap(p.data) && len(p.ends) > 0 {
				all.full <- p
				select {
				case p = <-all.used:
					p = page{data: p.data[:0], ends: p.ends[:0]}
				default:
					p = page{data: make([]byte, 0, pageful), ends: make([]int32, 0, len(p.ends))}
				}
			}
			p.data = append(p.data, b...)
			p.ends = append(p.ends, int32(len(p.data)))
		})
		all.full <- p
	}()
	return all
}

// eachPacked calls add with all that an index keeps.
func eachPacked(ctx context.Context, index Index, add func([]byte)) error {
	if p, ok := index.(PackedIndex); ok {
		for b, err := range p.Packed(ctx) {
			if err != nil {
				return err
			}
			add(b)
		}
		return nil
	}
	var buf []byte
	for r, err := range index.Known(ctx) {
		if err != nil {
			return err
		}
		buf = AppendRecord(buf[:0], &r)
		add(buf)
	}
	return nil
}

// A shelf is what an index keeps of files that were found.
type shelf struct {
	files []file
	// held is by file the record that says what it is now, without its path; nil
	// when the file must be read.
	held [][]byte
	// known says by file that there is such a record, though it may not be
	// enough.
	known []bool
	// gone are the paths of records of other files.
	gone []string

	free []byte // memory for held
}

// newShelf puts what an index keeps beside the files.
func newShelf(files []file, kept *pages, fits func(f *file, g *glanced) (known, enough bool)) *shelf {
	s := &shelf{files: files, held: make([][]byte, len(files)), known: make([]bool, len(files))}
	if kept == nil {
		return s
	}
	find := byPath(files)
	for p := range kept.full {
		start := int32(0)
		for _, end := range p.ends {
			b := p.data[start:end]
			start = end
			g, ok := glanceAt(b)
			if !ok {
				continue // it is of another form: the file is read again
			}
			n := find(g.path)
			if n < 0 {
				s.gone = append(s.gone, string(g.path))
				continue
			}
			known, enough := fits(&files[n], &g)
			if s.known[n] = known; known && enough {
				s.held[n] = s.hold(b, &g)
			}
		}
		select {
		case kept.used <- p:
		default:
		}
	}
	return s
}

// forget makes nothing of what the index kept.
func (s *shelf) forget() {
	clear(s.held)
	clear(s.known)
	s.gone = nil
}

// hold copies a record without its path.
func (s *shelf) hold(b []byte, g *glanced) []byte {
	rest := b[cap(b)-cap(g.path)+len(g.path):] // behind the path
	if len(rest)+3 > cap(s.free)-len(s.free) {
		s.free = make([]byte, 0, max(pageful, len(rest)+3))
	}
	start := len(s.free)
	s.free = append(append(s.free, b[0], b[1], 0), rest...)
	return s.free[start:len(s.free):len(s.free)]
}

// keep holds what was found in file n.
func (s *shelf) keep(n int, info Info) {
	info.Path = ""
	b := AppendRecord(nil, &Record{Info: info})
	s.held[n] = s.hold(b, &glanced{path: b[3:3]})
}

// info returns what the record that is held of file n says.
func (s *shelf) info(n int) Info {
	r, _ := ParseRecord(s.held[n]) // it was looked at
	r.Info.Path = s.files[n].path
	return r.Info
}

// byPath returns what finds a file by its path: its number, or -1.
func byPath(files []file) func(path []byte) int {
	size := uint64(16)
	for size < 2*uint64(len(files)) {
		size *= 2
	}
	slots, seed := make([]int32, size), maphash.MakeSeed() // counted from 1
	for n := range files {
		at := maphash.String(seed, files[n].path) & (size - 1)
		for slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		slots[at] = int32(n + 1)
	}
	return func(path []byte) int {
		for at := maphash.Bytes(seed, path) & (size - 1); ; at = (at + 1) & (size - 1) {
			n := int(slots[at]) - 1
			if n < 0 || files[n].path == string(path) {
				return n
			}
		}
	}
}

// gone returns the files that are known, would have been found, and were not.
func (s *scan) gone() (paths []string) {
	for _, name := range s.shelf.gone {
		if s.o.covers(path.Dir(name)) {
			paths = append(paths, name)
		}
	}
	return paths
}
