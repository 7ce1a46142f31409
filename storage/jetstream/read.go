package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/cambium-dev/cambium/storage"
)

// pageBytes is about how many bytes are read at once. One more page is fetched
// while one is looked at.
const pageBytes = 2 << 20

// A span is messages of one content: those after number from up to number to.
type span struct {
	ref      ref
	from, to uint64
}

// errVanished is a content that is there no more.
var errVanished = errors.New("lines are gone")

// fetch reads the next messages of a span and moves it on. A replica that lags
// behind is asked again.
func (s *natsStore) fetch(ctx context.Context, p *span) (list []*message, err error) {
	patient := s.patient()
	for {
		list, err = s.page(ctx, query{Seq: p.from + 1, Next: s.subject(p.ref), MaxBytes: pageBytes})
		if err == nil && len(list) > 0 {
			s.away.Store(false)
			p.from = list[len(list)-1].seq
			return list, nil
		}
		if err == nil {
			// Lagging, or gone: the leader knows.
			m, lerr := s.get(ctx, query{Seq: p.from + 1, Next: s.subject(p.ref)})
			switch {
			case lerr != nil:
				return nil, lerr
			case m == nil || m.seq > p.to:
				return nil, errVanished
			}
			err = errStale
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return nil, s.settle(ctx, err)
		}
	}
}

// pages fetches a span ahead of who reads it.
func (s *natsStore) pages(ctx context.Context, p span) iter.Seq2[[]*message, error] {
	type page struct {
		list []*message
		err  error
	}
	return func(yield func([]*message, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		full := make(chan page, 1)
		go func() {
			defer close(full)
			for p.from < p.to {
				list, err := s.fetch(ctx, &p)
				select {
				case full <- page{list, err}:
				case <-ctx.Done():
					return
				}
				if err != nil {
					return
				}
			}
		}()
		defer func() {
			cancel()
			for range full { // until the fetching has ended
			}
		}()
		for next := range full {
			if !yield(next.list, next.err) || next.err != nil {
				return
			}
		}
	}
}

// A block is the lines of one append: their bytes, and the head behind them.
type block struct {
	*head
	data []byte
	size int // bytes, which are gone from data once they were looked at
	rows int64
}

// blocks yields the appends of a span in order. Those of several messages are
// put together; what is not whole is left out.
func (s *natsStore) blocks(ctx context.Context, p span) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		var parts []byte
		var token string
		var count int
		for list, err := range s.pages(ctx, p) {
			for _, m := range list {
				if m.seq > p.to {
					return
				}
				h, err := parseHead(p.ref, m)
				if err != nil {
					yield(block{}, err)
					return
				}
				switch h.kind {
				case part:
					if h.extra != token {
						parts, token, count = nil, h.extra, 0
					}
					parts = append(parts, m.data...)
					count++
				case data:
					body := m.data
					if n, _ := strconv.Atoi(h.extra); n > 0 && n == count && token == strconv.FormatUint(h.token, 16) {
						body = append(parts, body...)
					}
					parts, token, count = nil, "", 0
					rows := int64(bytes.Count(body, []byte{'\n'}))
					if !yield(block{head: h, data: body, size: len(body), rows: rows}, nil) {
						return
					}
				}
			}
			if err != nil {
				yield(block{}, err)
				return
			}
		}
	}
}

// each yields the lines of a span.
func (s *natsStore) each(ctx context.Context, p span) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		for b, err := range s.blocks(ctx, p) {
			if err != nil {
				yield(storage.Line{}, err)
				return
			}
			for line, err := range b.each(ctx) {
				if !yield(line, err) || err != nil {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(storage.Line{}, err)
		}
	}
}

// each yields the lines of an append.
func (b block) each(ctx context.Context) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		for pos := int64(b.lines) - b.rows; len(b.data) > 0; pos++ {
			if err := ctx.Err(); err != nil {
				yield(storage.Line{}, err)
				return
			}
			end := bytes.IndexByte(b.data, '\n')
			if end < 0 {
				yield(storage.Line{}, errRecord)
				return
			}
			if !yield(storage.Line{Bytes: b.data[:end:end], Pos: pos, LF: true}, nil) {
				return
			}
			b.data = b.data[end+1:]
		}
	}
}

// Read gives the lines after a mark, page by page.
func (l *streamLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		at := seenOf(from)
		h, err := l.lookSurely(ctx)
		switch {
		case errors.Is(err, storage.ErrNotExist) && !from.IsZero():
			err = &storage.Changed{Kind: storage.Gone}
		case err == nil && !from.IsZero():
			var kind storage.Change
			if kind, h, err = l.store.since(ctx, h, at); err == nil && kind != 0 && kind != storage.Grown {
				err = &storage.Changed{Kind: kind, Now: h.mark()}
			}
		}
		if err != nil {
			yield(storage.Line{}, l.fail("read", err))
			return
		}
		for line, err := range l.store.each(ctx, span{h.ref, at.last, h.last}) {
			if errors.Is(err, errVanished) {
				err = l.vanished(ctx, h)
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
func (l *streamLog) vanished(ctx context.Context, was *head) error {
	now, err := l.lookSurely(ctx)
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return err
	case now.ref == was.ref:
		return &storage.Changed{Kind: storage.Truncated, Now: now.mark()}
	}
	return &storage.Changed{Kind: storage.Replaced, Now: now.mark()}
}

// ReadTail returns the last lines.
func (l *streamLog) ReadTail(ctx context.Context, n int64) ([]storage.Line, error) {
	lines, err := l.tail(ctx, max(n, 0))
	if err != nil {
		return nil, l.fail("read", err)
	}
	return lines, nil
}

func (l *streamLog) tail(ctx context.Context, n int64) ([]storage.Line, error) {
	h, err := l.lookSurely(ctx)
	if err != nil {
		return nil, err
	}
	start := max(0, int64(h.bytes)-n) // where the first line may begin
	from, err := l.store.before(ctx, h, uint64(start))
	if err != nil {
		return nil, err
	}
	var tail []storage.Line
	for b, err := range l.store.blocks(ctx, span{h.ref, from, h.last}) {
		if errors.Is(err, errVanished) {
			err = l.vanished(ctx, h)
		}
		if err != nil {
			return nil, err
		}
		pos := int64(b.bytes) - int64(b.size)
		for line, err := range b.each(ctx) {
			if err != nil {
				return nil, err
			}
			if pos >= start {
				line.Bytes = bytes.Clone(line.Bytes)
				tail = append(tail, line)
			}
			pos += int64(len(line.Bytes)) + 1
		}
	}
	return tail, nil
}

// before returns the number of a message behind which all lines come that start
// at a byte or later: it looks back in steps, each twice as long.
func (s *natsStore) before(ctx context.Context, h *head, start uint64) (uint64, error) {
	for step := uint64(16); start > 0 && step < h.last; step *= 4 {
		m, err := s.get(ctx, query{Seq: h.last - step, Next: s.subject(h.ref)})
		if err != nil {
			return 0, err
		}
		if m == nil {
			return 0, nil // gone; who reads finds out
		}
		at, err := parseHead(h.ref, m)
		if err != nil {
			return 0, err
		}
		if at.bytes > start {
			continue
		}
		if at.kind == part {
			return m.seq - 1, nil
		}
		return m.seq, nil
	}
	return 0, nil
}

// ReadPrefix returns the first n bytes of a log.
func (s *natsStore) ReadPrefix(ctx context.Context, name string, n int) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return nil, fmt.Errorf("read log %q: %w", name, err) }
	p, err := s.placeOf(name)
	if err != nil {
		return fail(err)
	}
	for range maxSteps {
		at, err := s.seek(ctx, p)
		h := at.head
		if err != nil {
			return fail(err)
		}
		if h == nil {
			return fail(storage.ErrNotExist)
		}
		var prefix []byte
		for b, berr := range s.firstBlocks(ctx, span{h.ref, 0, h.last}, n) {
			if err = berr; err != nil {
				break
			}
			prefix = append(prefix, b.data[:min(len(b.data), max(0, n-len(prefix)))]...)
			if len(prefix) >= n {
				break
			}
		}
		switch {
		case errors.Is(err, errVanished): // replaced meanwhile
		case err != nil:
			return fail(err)
		default:
			return prefix, nil
		}
	}
	return fail(errVanished)
}

// firstBlocks is blocks for who needs only a few bytes: the first message comes
// alone.
func (s *natsStore) firstBlocks(ctx context.Context, p span, n int) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		m, err := s.get(ctx, query{Seq: 1, Next: s.subject(p.ref)})
		if err == nil && m == nil {
			err = errVanished
		}
		var h *head
		if err == nil {
			h, err = parseHead(p.ref, m)
		}
		if err != nil {
			yield(block{}, err)
			return
		}
		if h.kind == data {
			if !yield(block{head: h, data: m.data, size: len(m.data)}, nil) || n <= len(m.data) {
				return
			}
			p.from = m.seq
		}
		for b, err := range s.blocks(ctx, p) {
			if !yield(b, err) {
				return
			}
		}
	}
}
