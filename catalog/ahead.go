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
	o     *Options
	files []file
	kin   *kin
	pins  pins
	begun int64 // when, in nanoseconds since 1970
	known map[string]*Record

	stop  context.CancelFunc
	queue chan *job // in the order of files
	done  sync.WaitGroup

	fresh []Record // for the index
}

// A job is one file to be read.
type job struct {
	file file
	out  chan finding // takes one
}

func newScan(ctx context.Context, o *Options, files []file) *scan {
	s := &scan{o: o, files: files, kin: newKin(o, files), pins: o.pins(), begun: o.now().UnixNano()}
	s.recall(ctx)
	var unread []file
	for _, f := range files {
		if s.remembered(f) == nil {
			unread = append(unread, f)
		}
	}
	ctx, s.stop = context.WithCancel(ctx)
	if len(unread) > 0 {
		s.start(ctx, unread)
	}
	return s
}

// start has the files read.
func (s *scan) start(ctx context.Context, unread []file) {
	workers := min(runtime.GOMAXPROCS(0), len(unread))
	work := make(chan *job)
	s.queue = make(chan *job, eager*workers)
	s.done.Go(func() {
		defer close(work)
		defer close(s.queue)
		for _, f := range unread {
			j := &job{file: f, out: make(chan finding, 1)}
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

// info returns what is said of file n, and false for what is not listed. It is
// called for each file in turn.
func (s *scan) info(n int) (Info, bool) {
	f := s.files[n]
	got := finding{}
	if r := s.remembered(f); r != nil {
		got.info, got.none = r.Info, r.None
		delete(s.known, f.path) // who asked has it; what is left is gone
	} else {
		j, ok := <-s.queue
		if !ok {
			return Info{}, false // it was stopped
		}
		got = <-j.out
		s.learn(f, got)
	}
	got.info.Pinned = s.pins[got.info.Agent][got.info.ID]
	return got.info, !got.none && s.o.wants(&got.info)
}

// wants reports whether a session is among those that were asked for.
func (o *Options) wants(i *Info) bool {
	if o.CWD != "" && !o.same(i.CWD) {
		return false
	}
	return o.Empty || i.Messages > 0 || i.Damaged
}

// close ends the reading and gives the index what was found.
func (s *scan) close(ctx context.Context) {
	s.stop()
	s.done.Wait()
	s.remember(ctx)
}
