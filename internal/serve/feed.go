package serve

import (
	"sync"

	"github.com/cambium-dev/cambium/entry"
)

// What a feed keeps for who comes back, or reads slowly.
const (
	feedEvents = 1024
	feedBytes  = 512 << 10
)

// A feed holds the notifications of a connection, the newest of them. It never
// waits for its readers, and is safe for concurrent use.
type feed struct {
	mu    sync.Mutex
	kept  []entry.JSON  // guarded by mu
	size  int           // guarded by mu: their bytes
	last  int64         // guarded by mu: the number of the newest; the first is 1
	more  chan struct{} // guarded by mu: closed when there is more to read
	ended string        // guarded by mu: why there will be no more; "" while there may
}

func newFeed() *feed { return &feed{more: make(chan struct{})} }

// add adds notifications, and forgets the oldest when there are too many.
func (f *feed) add(messages ...entry.JSON) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range messages {
		f.kept = append(f.kept, m)
		f.size += len(m)
		f.last++
	}
	drop := 0
	for len(f.kept)-drop > feedEvents || f.size > feedBytes && len(f.kept)-drop > 1 {
		f.size -= len(f.kept[drop])
		drop++
	}
	if drop > 0 {
		f.kept = append([]entry.JSON(nil), f.kept[drop:]...)
	}
	f.wake()
}

// newest returns the number of the last event, 0 when there was none.
func (f *feed) newest() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// end says that nothing more will be added, and why.
func (f *feed) end(why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended == "" {
		f.ended = why
	}
	f.wake()
}

// wake has f.mu.
func (f *feed) wake() {
	close(f.more)
	f.more = make(chan struct{})
}

// A portion is what a reader gets at once.
type portion struct {
	events []entry.JSON
	first  int64           // the number of the first
	missed int64           // how many before it are forgotten
	more   <-chan struct{} // closed when there is more
	ended  string          // why there will be no more, "" while there may
}

// after returns what came after the event with a number, 0 for all.
func (f *feed) after(seen int64) portion {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldest := f.last - int64(len(f.kept)) + 1
	seen = max(0, min(seen, f.last))
	p := portion{more: f.more, ended: f.ended, first: seen + 1}
	if p.first < oldest {
		p.missed, p.first = oldest-p.first, oldest
	}
	p.events = f.kept[p.first-oldest:]
	p.events = p.events[:len(p.events):len(p.events)]
	return p
}
