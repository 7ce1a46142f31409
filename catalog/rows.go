package catalog

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"time"
)

// Rows are sessions in the order of [List], of which little is held: as much as an
// index would keep of them. It is safe for concurrent use.
type Rows struct {
	pins  pins
	shelf *shelf
	rows  []row
	whole []Info // those that no record can say
}

// A row is one session.
type row struct {
	sec  int64 // when it changed last
	nsec int32
	n    int32 // of its file; of those that no record can say the number below -1
}

// ReadRows finds what List finds. It takes much less memory where most sessions
// are known to the index, and some less where none is.
func ReadRows(ctx context.Context, o Options) (*Rows, error) {
	s, err := newScan(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	all := &Rows{pins: s.pins, shelf: s.shelf, rows: make([]row, 0, len(s.files))}
	for n := range s.files {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if o.Progress != nil {
			o.Progress(n, len(s.files))
		}
		if b := s.shelf.held[n]; b != nil {
			if g, ok := s.picks(b); ok {
				all.add(unix(g.modified), n)
			}
			continue
		}
		info, ok := s.info(ctx, n)
		switch {
		case !ok:
		case o.Text || !packs(info.Created) || !packs(info.Modified):
			all.whole = append(all.whole, info)
			all.add(info.Modified, -1-len(all.whole))
		default:
			s.shelf.keep(n, info)
			all.add(info.Modified, n)
		}
	}
	if err := ctx.Err(); err != nil {
		return all, err
	}
	if o.Progress != nil {
		o.Progress(len(s.files), len(s.files))
	}
	slices.SortStableFunc(all.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.sec, a.sec), cmp.Compare(b.nsec, a.nsec))
	})
	return all, nil
}

// packs reports whether a record can say a time.
func packs(t time.Time) bool {
	return t.IsZero() || t.Unix() > math.MinInt64/1_000_000_000 && t.Unix() < math.MaxInt64/1_000_000_000
}

// add adds a row of a session that changed at a time.
func (r *Rows) add(t time.Time, n int) {
	r.rows = append(r.rows, row{sec: t.Unix(), nsec: int32(t.Nanosecond()), n: int32(n)})
}

// Len returns how many there are.
func (r *Rows) Len() int { return len(r.rows) }

// Info returns session n, the newest being 0.
func (r *Rows) Info(n int) Info {
	at := r.rows[n].n
	if at < 0 {
		return r.whole[-2-at]
	}
	info := r.shelf.info(int(at))
	info.Pinned = r.pins[info.Agent][info.ID]
	return info
}

// All yields the sessions, the newest first; each time anew.
func (r *Rows) All() iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for n := range r.rows {
			if !yield(r.Info(n)) {
				return
			}
		}
	}
}
