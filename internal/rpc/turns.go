package rpc

import "sync"

// Turns are calls that run one after the other, in the order in which they came; one
// that waits for a lock lets those behind it go on.
type turns struct {
	mu    sync.Mutex
	queue []func(pass func()) // guarded by mu
	busy  bool                // guarded by mu: somebody works through the queue
}

// push adds to what is to be done. run may call pass, once or several times, when it
// has to wait for something that the calls behind it need not wait for.
func (t *turns) push(work *sync.WaitGroup, run func(pass func())) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, run)
	if !t.busy {
		t.busy = true
		work.Go(func() { t.serve(work) })
	}
}

// serve does what is in the queue until there is nothing more, or somebody else
// goes on with it.
func (t *turns) serve(work *sync.WaitGroup) {
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
		passed := false
		run(func() {
			if !passed {
				passed = true
				work.Go(func() { t.serve(work) })
			}
		})
		if passed {
			return
		}
	}
}

// idle reports whether nothing is done or to be done.
func (t *turns) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.busy
}
