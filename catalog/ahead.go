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
	shelf *shelf

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

// newScan looks for the files, and meanwhile asks the index what it keeps of them,
// which is nothing without one. The error is that of Options.files.
func newScan(ctx context.Context, o *Options) (*scan, error) {
	s := &scan{o: o, begun: o.now().UnixNano()}
	var kept *pages
	if o.Index != nil {
		kept = pagesOf(ctx, o.Index)
	}
	files, err := s.look()
	s.files, s.kin, s.pins = files, newKin(o, files), o.pins()
	s.shelf = newShelf(files, kept, s.fits)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		if err := <-kept.err; err != nil {
			s.trouble(ctx, err)
			s.shelf.forget()
		}
	}
	var changed []file
	for n, b := range s.shelf.held {
		if b == nil {
			changed = append(changed, files[n])
		}
	}
	ctx, s.stop = context.WithCancel(ctx)
	if len(changed) > 0 {
		s.start(ctx, changed)
	}
	return s, nil
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

// look finds the files. What it tells of directories is told when all are found:
// the index may be telling something meanwhile.
func (s *scan) look() ([]file, error) {
	type unread struct {
		dir string
		err error
	}
	var dirs []unread
	if tell := s.o.Unread; tell != nil {
		s.o.Unread = func(dir string, err error) { dirs = append(dirs, unread{dir, err}) }
		defer func() {
			s.o.Unread = tell
			for _, d := range dirs {
				tell(d.dir, d.err)
			}
		}()
	}
	return s.o.files()
}

// info returns what is said of file n, and false for what is not listed. It is
// called for each file in turn.
func (s *scan) info(ctx context.Context, n int) (Info, bool) {
	if b := s.shelf.held[n]; b != nil {
		if _, ok := s.picks(b); !ok {
			return Info{}, false
		}
		return s.pinned(s.shelf.info(n)), true
	}
	j, ok := <-s.queue
	if !ok {
		return Info{}, false // it was stopped
	}
	got := <-j.out
	s.learn(ctx, n, got)
	return s.pinned(got.info), !got.none && s.o.wants(&got.info)
}

// picks looks at a record that is held, and reports whether its session is among
// those that were asked for.
func (s *scan) picks(b []byte) (glanced, bool) {
	g, _ := glanceAt(b)
	return g, !g.none && s.o.picks(string(g.cwd), g.messages, g.damaged)
}

// pinned notes whether its agent's list of pins has a session.
func (s *scan) pinned(i Info) Info {
	i.Pinned = s.pins[i.Agent][i.ID]
	return i
}

// wants reports whether a session is among those that were asked for.
func (o *Options) wants(i *Info) bool { return o.picks(i.CWD, i.Messages, i.Damaged) }

// picks is wants of what it asks for.
func (o *Options) picks(cwd string, messages int, damaged bool) bool {
	if o.CWD != "" && !o.same(cwd) {
		return false
	}
	return o.Empty || messages > 0 || damaged
}

// close ends the reading and gives the index what was found.
func (s *scan) close(ctx context.Context) {
	s.stop()
	s.done.Wait()
	s.remember(ctx, s.gone())
}
