package postgres

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/storage"
)

const (
	// pageBytes is about how many bytes are read at once. One more page is
	// fetched while one is looked at.
	pageBytes = 2 << 20
	// maxRows and minRows bound the rows of a page.
	maxRows, minRows = 8192, 64
)

// A span is lines of one content: those after number from up to number to. pos
// is where the first of them starts.
type span struct {
	project, gen int64
	from, to     int64
	pos          int64
	rows         int64 // of a page
}

// spanAfter is what v holds after a mark's lines.
func (v *view) spanAfter(at seen) span {
	p := span{project: v.project, gen: v.gen, from: at.lines, to: v.lines, rows: maxRows}
	if at.lines > 0 && v.next != nil {
		p.pos = *v.next
	}
	if v.lines > 0 {
		p.rows = max(minRows, min(maxRows, 2*pageBytes*v.lines/max(v.bytes, 1)))
	}
	return p
}

// A page is some of the lines of a span, one behind the other in data.
type page struct {
	data []byte
	ends []int
	err  error
}

// errVanished is a content that is there no more.
var errVanished = errors.New("lines are gone")

// fetch reads the next lines of a span into a page and moves the span on.
func (s *pgStore) fetch(ctx context.Context, p *span, into *page) error {
	return s.do(ctx, func(ctx context.Context) error {
		into.data, into.ends = into.data[:0], into.ends[:0]
		rows, err := s.pool.Query(ctx, s.sql(`
			select body from (
				select seq, pos, body from @.lines
				where project = $1 and gen = $2 and seq > $3 and seq <= $4 order by seq limit $5) as l
			where pos < $6 or seq = $3 + 1 order by seq`),
			p.project, p.gen, p.from, p.to, p.rows, p.pos+pageBytes)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			into.data = append(into.data, rows.RawValues()[0]...)
			into.ends = append(into.ends, len(into.data))
		}
		if err := rows.Err(); err != nil {
			return err
		}
		p.from += int64(len(into.ends))
		p.pos += int64(len(into.data) + len(into.ends))
		return nil
	})
}

// pages fetches a span ahead of who reads it. Each page is valid until the next
// step.
func (s *pgStore) pages(ctx context.Context, p span) iter.Seq[*page] {
	return func(yield func(*page) bool) {
		ctx, cancel := context.WithCancel(ctx)
		full, free := make(chan *page), make(chan *page, 2)
		free <- new(page)
		free <- new(page)
		go func() {
			defer close(full)
			for p.from < p.to {
				next := <-free
				if next == nil {
					return
				}
				next.err = s.fetch(ctx, &p, next)
				if next.err == nil && len(next.ends) == 0 {
					next.err = errVanished
				}
				failed := next.err != nil
				select {
				case full <- next:
				case <-ctx.Done():
					return
				}
				if failed {
					return
				}
			}
		}()
		defer func() {
			cancel()
			close(free)
			for range full { // until the fetching has ended
			}
		}()
		for next := range full {
			if !yield(next) || next.err != nil {
				return
			}
			free <- next
		}
	}
}

// each yields the lines of a span.
func (s *pgStore) each(ctx context.Context, p span) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		n := p.from
		for page := range s.pages(ctx, p) {
			start := 0
			for _, end := range page.ends {
				if err := ctx.Err(); err != nil {
					yield(storage.Line{}, err)
					return
				}
				if !yield(storage.Line{Bytes: page.data[start:end:end], Pos: n, LF: true}, nil) {
					return
				}
				start = end
				n++
			}
			if page.err != nil {
				yield(storage.Line{}, page.err)
				return
			}
		}
		if err := ctx.Err(); err != nil && n < p.to {
			yield(storage.Line{}, err)
		}
	}
}

// Read gives the lines after a mark, page by page: no connection is held while
// the caller looks at them.
func (l *rowLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		at := seenOf(from)
		v, err := l.look(ctx, at)
		switch {
		case errors.Is(err, storage.ErrNotExist) && !from.IsZero():
			err = &storage.Changed{Kind: storage.Gone}
		case err != nil:
		case !from.IsZero():
			if kind := v.since(at); kind != 0 && kind != storage.Grown {
				err = &storage.Changed{Kind: kind, Now: v.mark()}
			}
		}
		if err != nil {
			yield(storage.Line{}, l.fail("read", err))
			return
		}
		for line, err := range l.store.each(ctx, v.spanAfter(at)) {
			if errors.Is(err, errVanished) {
				err = l.vanished(ctx, v)
			}
			if err != nil {
				err = l.fail("read", err)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// vanished says what became of a content that went away while it was read.
func (l *rowLog) vanished(ctx context.Context, was *view) error {
	now, err := l.look(ctx, seen{})
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return err
	case now.gen == was.gen:
		return &storage.Changed{Kind: storage.Truncated, Now: now.mark()}
	}
	return &storage.Changed{Kind: storage.Replaced, Now: now.mark()}
}

// ReadTail returns the last lines.
func (l *rowLog) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	v, err := l.look(ctx, seen{})
	if err != nil {
		return nil, l.fail("read", err)
	}
	rows := v.spanAfter(seen{}).rows
	var tail []storage.Line
	size := int64(0)
	for end, whole := v.lines, false; end > 0 && !whole; {
		var some []storage.Line
		err := l.store.do(ctx, func(ctx context.Context) error {
			some = some[:0]
			rows, err := l.store.pool.Query(ctx, l.store.sql(`
				select seq, body from (
					select seq, pos, body from @.lines
					where project = $1 and gen = $2 and seq <= $3 order by seq desc limit $4) as l
				where pos >= $5 order by seq desc`), v.project, v.gen, end, rows, v.bytes-n)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				line := storage.Line{LF: true}
				if err := rows.Scan(&line.Pos, &line.Bytes); err != nil {
					return err
				}
				line.Pos--
				some = append(some, line)
			}
			return rows.Err()
		})
		if err != nil {
			return nil, l.fail("read", err)
		}
		whole = int64(len(some)) < min(rows, end)
		end -= int64(len(some))
		for _, line := range some {
			if whole = whole || size >= n; size >= n {
				break // it is sent more than it asked for
			}
			size += int64(len(line.Bytes)) + 1
			tail = append(tail, line)
		}
	}
	slices.Reverse(tail)
	return tail, nil
}
