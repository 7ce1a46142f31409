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
	rows  []row
	whole []Info // those that no record says
}

// A row is one session.
type row struct {
	sec    int64 // when it changed last
	nsec   int32
	whole  int32  // the number among those that no record says, if packed is nil
	packed []byte // its record
}

// ReadRows finds what List finds. It takes much less memory where most sessions
// are known to the index, and some less where none is.
func ReadRows(ctx context.Context, o Options) (*Rows, error) {
	s, err := newScan(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	all := &Rows{pins: s.pins, rows: make([]row, 0, len(s.files))}
	var page []byte
	for n := range s.files {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if o.Progress != nil {
			o.Progress(n, len(s.files))
		}
		if b := s.held[n]; b != nil {
			if g, _ := glanceAt(b); !g.none && s.o.picks(string(g.cwd), g.messages, g.damaged) {
				all.add(unix(g.modified), row{packed: b})
			}
			continue
		}
		info, ok := s.info(ctx, n)
		switch {
		case !ok:
		case o.Text || !packs(info.Created) || !packs(info.Modified):
			all.add(info.Modified, row{whole: int32(len(all.whole))})
			all.whole = append(all.whole, info)
		default:
			start := len(page)
			page = AppendRecord(page, &Record{Path: info.Path, Info: info})
			all.add(info.Modified, row{packed: page[start:len(page):len(page)]})
			if len(page) > pageful {
				page = make([]byte, 0, 2*pageful)
			}
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

// pageful is about how much memory is asked for at once for records, in bytes.
const pageful = 128 << 10

// packs reports whether a record can say a time.
func packs(t time.Time) bool {
	return t.IsZero() || t.Unix() > math.MinInt64/1_000_000_000 && t.Unix() < math.MaxInt64/1_000_000_000
}

// add adds a row of a session that changed at a time.
func (r *Rows) add(t time.Time, one row) {
	one.sec, one.nsec = t.Unix(), int32(t.Nanosecond())
	r.rows = append(r.rows, one)
}

// Len returns how many there are.
func (r *Rows) Len() int { return len(r.rows) }

// Info returns session n, the newest being 0.
func (r *Rows) Info(n int) Info {
	one := &r.rows[n]
	if one.packed == nil {
		return r.whole[one.whole]
	}
	record, _ := ParseRecord(one.packed) // it was looked at
	record.Info.Pinned = r.pins[record.Info.Agent][record.Info.ID]
	return record.Info
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
