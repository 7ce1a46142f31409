package rpc

import "sync"

// Turns are calls that run one after the other, in the order in which they came.
type turns struct {
	mu    sync.Mutex
	queue []func() // guarded by mu
	busy  bool     // guarded by mu: somebody works through the queue
}

// push adds to what is to be done.
func (t *turns) push(work *sync.WaitGroup, run func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, run)
	if !t.busy {
		t.busy = true
		work.Go(t.serve)
	}
}

// serve does what is in the queue until there is nothing more.
func (t *turns) serve() {
	for {
		t.mu.Lock()
		if len(t.queue) == 0 {
			t.busy = false
			t.mu.Unlock()
			return
		}
		run := t.queue[0]
		t.queue[0] = nil
		t.queue = t.queue[1:]
		t.mu.Unlock()
		run()
	}
}

// idle reports whether nothing is done or to be done.
func (t *turns) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.busy
}
