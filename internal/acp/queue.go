package acp

import (
	"errors"
	"io"
	"sync"
	"time"
)

// maxQueued is how much may wait for a client that reads slowly, in bytes, before
// who writes waits too.
const maxQueued = 4 << 20

// errGone is what is written to a client that is not there any more.
var errGone = errors.New("the client is gone")

// A queue writes in the background, so that a client that does not read keeps
// nobody from stopping a turn. Each Write is one message.
type queue struct {
	out io.Writer

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][]byte // guarded by mu
	size    int      // guarded by mu
	hurried bool     // guarded by mu; nobody waits
	closed  bool     // guarded by mu; nothing more is taken
	err     error    // guarded by mu; the first of out
	done    chan struct{}
}

func newQueue(out io.Writer) *queue {
	q := &queue{out: out, done: make(chan struct{})}
	q.changed = sync.NewCond(&q.mu)
	go q.run()
	return q
}

// Write takes a message. It waits while too much is waiting. The error is for a
// queue that was closed or a client that is gone.
func (q *queue) Write(p []byte) (int, error) {
	if err := q.take(append([]byte(nil), p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// take is Write of what nobody else changes any more.
func (q *queue) take(p []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > maxQueued && !q.hurried && !q.closed && q.err == nil {
		q.changed.Wait()
	}
	switch {
	case q.err != nil:
		return q.err
	case q.closed:
		return errGone
	}
	q.waiting = append(q.waiting, p)
	q.size += len(p)
	q.changed.Broadcast()
	return nil
}

func (q *queue) run() {
	defer close(q.done)
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.waiting) == 0 && !q.closed {
			q.changed.Wait()
		}
		if len(q.waiting) == 0 || q.err != nil {
			return
		}
		next := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		_, err := q.out.Write(next)
		q.mu.Lock()
		q.size -= len(next)
		if err != nil {
			q.err = err
		}
		q.changed.Broadcast()
	}
}

// hurry lets nobody wait any more for a client that reads slowly: there is none.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hurried = true
	q.changed.Broadcast()
}

// close writes what waits and takes nothing more. It waits no longer than most.
func (q *queue) close(most time.Duration) {
	q.mu.Lock()
	q.closed = true
	q.changed.Broadcast()
	q.mu.Unlock()
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-q.done:
	case <-t.C:
	}
}
