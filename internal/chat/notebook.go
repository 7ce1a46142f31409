package chat

import (
	"sync"

	"github.com/cambium-dev/cambium/session"
)

// A notebook notes which sessions were used, one after the other, while those
// who use them go on. It is safe for concurrent use.
type notebook struct {
	to   func(session.Visit)
	done sync.WaitGroup // nothing is left to note

	mu      sync.Mutex
	visits  []session.Visit // guarded by mu
	writing bool            // guarded by mu
}

// note is a session.Options.OnVisit.
func (n *notebook) note(v session.Visit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.visits = append(n.visits, v)
	if !n.writing {
		n.writing = true
		n.done.Add(1)
		go n.write()
	}
}

func (n *notebook) write() {
	defer n.done.Done()
	for {
		n.mu.Lock()
		if len(n.visits) == 0 {
			n.writing = false
			n.mu.Unlock()
			return
		}
		v := n.visits[0]
		n.visits = n.visits[1:]
		n.mu.Unlock()
		n.to(v)
	}
}

// close waits until all is noted. Nothing is noted any more then.
func (n *notebook) close() { n.done.Wait() }
