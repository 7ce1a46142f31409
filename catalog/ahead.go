package catalog

import (
	"context"
	"runtime"
	"sync"
	"time"
)

const (
	// eager is how many files each worker may be ahead of who asks.
	eager = 8
	// settled is how long a file must have been left alone before it is read
	// for the index to keep what was found, in nanoseconds: within the grain of
	// a file system's clock it may change again and look the same.
	settled = int64(50 * time.Millisecond)
)

// A scan reads files ahead of who asks, on all cores, and answers in order.
type scan struct {
	*look
	o     *Options
	kin   *kin
	pins  pins
	begun int64 // when, in nanoseconds since 1970

	stop  context.CancelFunc
	queue chan *job // in the order of items
	done  sync.WaitGroup

	fresh []Record // for the index
	batch int      // how many of them at most
}

// A job is one file to be read.
type job struct {
	file  file
	known bool         // a record is right, and not enough
	out   chan finding // takes one
}

// newScan looks for the files, and meanwhile asks the index what it keeps of them,
// which is nothing without one. They are in order if that is asked for, else those
// of one directory come one after the other. The error is that of Options.look.
func newScan(ctx context.Context, o *Options, ordered bool) (*scan, error) {
	s := &scan{o: o, begun: o.now().UnixNano(), pins: o.pins(ctx)}
	var err error
	if s.look, err = o.look(ctx, o.Index); err != nil {
		return nil, err
	}
	if s.trouble != nil {
		s.tell(ctx, s.trouble)
	}
	if s.batch = keptOfFew; ordered {
		s.batch = keptOfMany
		s.inOrder()
	}
	s.kin = newKin(o, s.look)
	unread := 0
	for i := range s.items {
		if s.items[i].at < 0 {
			unread++
		}
	}
	ctx, s.stop = context.WithCancel(ctx)
	if unread > 0 {
		s.start(ctx, unread)
	}
	return s, nil
}

// start has so many files read.
func (s *scan) start(ctx context.Context, unread int) {
	workers := min(runtime.GOMAXPROCS(0), unread)
	work := make(chan *job)
	s.queue = make(chan *job, eager*workers)
	s.done.Go(func() {
		defer close(work)
		defer close(s.queue)
		for _, at := range s.items {
			if at.at >= 0 {
				continue
			}
			d := &s.folders[at.folder]
			j := &job{file: d.file(at.at), known: d.known != nil && d.known[^at.at], out: make(chan finding, 1)}
			select {
			case s.queue <- j:
			case <-ctx.Done():
				return
			}
			select {
			case work <- j:
			case <-ctx.Done():
				j.out <- finding{none: true} // nobody will look at it
				return
			}
		}
	})
	for range workers {
		s.done.Go(func() {
			r := newReader(s.o, s.kin)
			for j := range work {
				j.out <- r.describe(ctx, j.file)
			}
		})
	}
}

// info returns what is said of item n and its file, and false for what is not
// listed. It is called for each item in turn.
func (s *scan) info(ctx context.Context, n int) (Info, file, bool) {
	at := s.items[n]
	if d := &s.folders[at.folder]; at.at >= 0 {
		info, ok := d.info(at.at)
		f := d.file(at.at)
		if !ok { // it could not be packed so
			got := newReader(s.o, s.kin).describe(ctx, f)
			return s.pinned(got.info), f, s.o.takes(&got, f)
		}
		return s.pinned(info), f, true
	}
	j, ok := <-s.queue
	if !ok {
		return Info{}, file{}, false // it was stopped
	}
	got := <-j.out
	s.learn(ctx, j, got)
	return s.pinned(got.info), j.file, s.o.takes(&got, j.file)
}

// pinned notes whether its agent's list of pins has a session.
func (s *scan) pinned(i Info) Info {
	i.Pinned = s.pins[i.Agent][i.ID]
	return i
}

// takes reports whether what was found in a file is among what was asked for. A file of
// the project that cannot be read is.
func (o *Options) takes(got *finding, f file) bool {
	return !got.none && (o.wants(&got.info) || got.away && o.CWD != "" && o.lies(f))
}

// wants reports whether a session is among those that were asked for.
func (o *Options) wants(i *Info) bool {
	if o.CWD != "" && !o.same(i.CWD) {
		return false
	}
	return o.Empty || !i.hollow() || i.Damaged
}

// close ends the reading and gives the index what was found.
func (s *scan) close(ctx context.Context) {
	s.stop()
	s.done.Wait()
	s.remember(ctx, s.gone)
}
