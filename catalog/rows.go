package catalog

import (
	"cmp"
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/source"
)

// Rows are sessions in the order of [List], of which little is held: as much as an
// index would keep of them. It is safe for concurrent use.
type Rows struct {
	pins pins
	look *look
	rows []item
	// Of what was read there are further bundles, the records of which rows say
	// as complements, and those that no record can say, the rows of folder -1.
	bundles []Bundle
	whole   []Info
}

// ReadRows finds what List finds. It takes much less memory, most of all where
// sessions are known to the index.
func ReadRows(ctx context.Context, o Options) (*Rows, error) {
	s, err := newScan(ctx, &o, false)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	all := &Rows{pins: s.pins, look: s.look, rows: make([]item, 0, len(s.items))}
	total := len(s.items)
	rest := binder{rows: all, folder: -1}
	for n, at := range s.items {
		if at.at >= 0 && n%1024 != 0 {
			all.add(at)
			continue
		}
		if err = ctx.Err(); err != nil {
			break
		}
		if o.Progress != nil {
			o.Progress(n, total)
		}
		if at.at >= 0 {
			all.add(at)
			continue
		}
		info, f, ok := s.info(ctx, n)
		switch {
		case !ok:
		case o.Text || !packs(info.Created) || !packs(info.Modified):
			all.whole = append(all.whole, info)
			all.rows = append(all.rows, item{folder: -1, at: int32(len(all.whole) - 1), key: keyOfTime(info.Modified)})
		default:
			rest.bind(at.folder, f.stamp, info)
		}
	}
	rest.close()
	if err = cmp.Or(err, ctx.Err()); err == nil {
		for i := range s.folders {
			s.folders[i].roll = nil // all of it was read
		}
		if s.items = nil; o.Progress != nil {
			o.Progress(total, total)
		}
	}
	order(all.rows, all.sooner)
	return all, err
}

// packs reports whether a record can say a time.
func packs(t time.Time) bool {
	return t.IsZero() || t.Unix() > math.MinInt64/1_000_000_000 && t.Unix() < math.MaxInt64/1_000_000_000
}

// keyOfTime orders times: those that are too far away are all alike.
func keyOfTime(t time.Time) int64 {
	switch {
	case t.Unix() >= math.MaxInt64/1_000_000_000:
		return math.MaxInt64
	case t.Unix() <= math.MinInt64/1_000_000_000:
		return math.MinInt64
	}
	return t.UnixNano()
}

// record returns the bundle of a row, and which record of it is the row's.
func (r *Rows) record(at *item) (Bundle, int) {
	if at.at < 0 {
		return r.bundles[^at.at/maxRecords], int(^at.at % maxRecords)
	}
	return r.look.folders[at.folder].record(at.at)
}

// add adds the row of a session that a record tells of.
func (r *Rows) add(at item) {
	b, n := r.record(&at)
	at.key = b.brief(n).modified
	r.rows = append(r.rows, at)
}

// A binder puts what was read of one directory into bundles.
type binder struct {
	rows    *Rows
	folder  int32 // -1 for none yet
	records []Record
}

// bind takes what was found in a file that was in that state before.
func (b *binder) bind(folder int32, stamp source.Stamp, info Info) {
	if folder != b.folder || len(b.records) == maxRecords {
		b.close()
		b.folder = folder
	}
	stamp.Size, stamp.ModTime = info.Size, info.ModTime.UnixNano()
	b.records = append(b.records, Record{Path: info.Path, Stamp: stamp, Info: info})
}

// close adds the rows of what was taken.
func (b *binder) close() {
	if len(b.records) == 0 {
		return
	}
	r := b.rows
	for _, made := range Rebundle(nil, b.records, nil) {
		first := len(r.bundles) * maxRecords
		r.bundles = append(r.bundles, made)
		for n := range made.len() {
			r.add(item{folder: b.folder, at: int32(^(first + n))})
		}
	}
	clear(b.records)
	b.records = b.records[:0]
}

// sooner orders rows of sessions that changed at the same time.
func (r *Rows) sooner(a, b *item) int {
	if a.folder < 0 || b.folder < 0 || a.key == math.MaxInt64 || a.key == math.MinInt64 {
		x, y := r.of(*a), r.of(*b)
		return cmp.Or(y.Modified.Compare(x.Modified), y.ModTime.Compare(x.ModTime), cmp.Compare(y.Path, x.Path))
	}
	x, n := r.record(a)
	y, m := r.record(b)
	if is, other := x.brief(n).stamp.ModTime, y.brief(m).stamp.ModTime; is != other {
		return cmp.Compare(other, is)
	}
	return comparePaths(r.look.folders[b.folder].dir, y.name(m), r.look.folders[a.folder].dir, x.name(n))
}

// Len returns how many there are.
func (r *Rows) Len() int { return len(r.rows) }

// Info returns session n, the newest being 0. Its texts are parts of what is held
// of many.
func (r *Rows) Info(n int) Info {
	return r.pinned(r.of(r.rows[n]))
}

func (r *Rows) of(at item) Info {
	if at.folder < 0 {
		return r.whole[at.at]
	}
	b, n := r.record(&at)
	info, ok := b.info(n)
	return r.sure(at, info, ok)
}

// sure returns what a record says of a file; of one that cannot be read, for
// whatever wrote it, that the file is there and where.
func (r *Rows) sure(at item, info Info, ok bool) Info {
	if ok {
		return info
	}
	b, n := r.record(&at)
	return Info{Path: r.look.folders[at.folder].dir + "/" + string(b.name(n)), Modified: unix(b.brief(n).modified), Damaged: true}
}

// State returns what was seen of the file of session n, the newest being 0; false
// when it is to be looked at again: it is a link, say.
func (r *Rows) State(n int) (FileState, bool) {
	at := &r.rows[n]
	if at.folder < 0 {
		return FileState{}, false
	}
	d := &r.look.folders[at.folder]
	b, k := r.record(at)
	if d.links != nil {
		if _, is := d.links[string(b.name(k))]; is {
			return FileState{}, false
		}
	}
	is := b.brief(k).stamp
	return FileState{Dev: is.Dev, Ino: is.Ino, Size: is.Size, ModTime: is.ModTime, Beside: d.hidden}, true
}

// All yields the sessions, the newest first; each time anew.
func (r *Rows) All() iter.Seq[Info] {
	return func(yield func(Info) bool) {
		if len(r.rows) <= 2*stretch {
			r.read(r.rows, new([stretch]Info), yield)
			return
		}
		r.readAhead(yield)
	}
}

// stretch is how many rows are read together.
const stretch = 128

// read reads rows, so many at a time, and yields them until yield says no.
func (r *Rows) read(rows []item, to *[stretch]Info, yield func(Info) bool) {
	for some := range slices.Chunk(rows, stretch) {
		r.fill(to, some)
		for n := range some {
			if !yield(to[n]) {
				return
			}
		}
	}
}

// fill reads rows, no more than there is room for. They lie anywhere in memory:
// each step is taken for all of them, so that what it needs is fetched at once.
func (r *Rows) fill(to *[stretch]Info, some []item) {
	var read [stretch]reading
	for n := range some {
		if at := &some[n]; at.folder >= 0 {
			read[n].begin(r.record(at))
		}
	}
	for n := range some {
		if some[n].folder >= 0 {
			read[n].find()
		}
	}
	for n, at := range some {
		if at.folder < 0 {
			to[n] = r.pinned(r.whole[at.at])
			continue
		}
		info, ok := read[n].info()
		to[n] = r.pinned(r.sure(at, info, ok))
	}
}

// A batch is rows that were read.
type batch struct {
	infos [stretch]Info
	n     int
	done  chan struct{} // takes one
}

// readAhead is read of all rows, by all cores, some ahead of who asks.
func (r *Rows) readAhead(yield func(Info) bool) {
	workers := runtime.GOMAXPROCS(0)
	batches := make([]batch, 3*workers)
	for n := range batches {
		batches[n].done = make(chan struct{}, 1)
	}
	work := make(chan int, len(batches)) // numbers of stretches
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(work)
	for range workers {
		wait.Go(func() {
			for n := range work {
				b := &batches[n%len(batches)]
				some := r.rows[n*stretch : min((n+1)*stretch, len(r.rows))]
				r.fill(&b.infos, some)
				b.n = len(some)
				b.done <- struct{}{}
			}
		})
	}
	count := (len(r.rows) + stretch - 1) / stretch
	for n := range min(len(batches), count) {
		work <- n
	}
	for n := range count {
		b := &batches[n%len(batches)]
		<-b.done
		for i := range b.n {
			if !yield(b.infos[i]) {
				return
			}
		}
		if next := n + len(batches); next < count {
			work <- next
		}
	}
}

// pinned notes whether its agent's list of pins has a session.
func (r *Rows) pinned(i Info) Info {
	i.Pinned = r.pins[i.Agent][i.ID]
	return i
}
