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
	held  [][]byte // by file, the record that says what it is; nil to read it
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
	var group sync.WaitGroup
	var trouble error
	type unread struct {
		dir string
		err error
	}
	var dirs []unread
	if tell := o.Unread; tell != nil && o.Index != nil { // one thing is told at a time
		o.Unread = func(dir string, err error) { dirs = append(dirs, unread{dir, err}) }
		defer func() {
			o.Unread = tell
			for _, d := range dirs {
				tell(d.dir, d.err)
			}
		}()
	}
	if o.Index != nil {
		group.Go(func() { s.shelf, trouble = shelfOf(ctx, o.Index) })
	}
	files, err := o.files()
	s.pins = o.pins()
	group.Wait()
	if err != nil {
		return nil, err
	}
	if trouble != nil {
		s.trouble(ctx, trouble)
	}
	s.files, s.kin, s.held = files, newKin(o, files), make([][]byte, len(files))
	var changed []file
	for n := range files {
		if b, g := s.shelf.of(files[n].path); b != nil && s.fits(&files[n], &g) {
			s.held[n] = b
		} else {
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

// info returns what is said of file n, and false for what is not listed. It is
// called for each file in turn.
func (s *scan) info(ctx context.Context, n int) (Info, bool) {
	if b := s.held[n]; b != nil {
		if g, _ := glanceAt(b); g.none || !s.o.picks(string(g.cwd), g.messages, g.damaged) {
			return Info{}, false
		}
		r, _ := ParseRecord(b) // it was looked at
		return s.pinned(r.Info), true
	}
	j, ok := <-s.queue
	if !ok {
		return Info{}, false // it was stopped
	}
	got := <-j.out
	s.learn(ctx, s.files[n], got)
	return s.pinned(got.info), !got.none && s.o.wants(&got.info)
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
