package agent

import (
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/entry"
)

// A Lane is one of the queues of messages that wait for the agent.
type Lane int

// The published queues.
const (
	// Steering messages are said between two calls of tools.
	Steering Lane = iota
	// FollowUp messages are said when the agent would stop.
	FollowUp
	// NextTurn messages go with the next prompt.
	NextTurn
	lanes
)

// Queues hold messages that wait for the agent. The zero value is empty and safe
// for concurrent use.
type Queues struct {
	mu  sync.Mutex
	all [lanes][]entry.JSON // guarded by mu
}

// Add puts a message at the end of a lane.
func (q *Queues) Add(l Lane, message entry.JSON) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all[l] = append(q.all[l], message)
}

// Take empties a lane and returns what was in it, oldest first.
func (q *Queues) Take(l Lane) []entry.JSON {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.all[l]
	q.all[l] = nil
	return taken
}

// clear empties the lanes that are named and returns what puts their messages
// back, before those that came since.
func (q *Queues) clear(which ...Lane) (putBack func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := q.all
	for _, l := range which {
		q.all[l] = nil
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, l := range which {
			q.all[l] = slices.Concat(was[l], q.all[l])
		}
	}
}
