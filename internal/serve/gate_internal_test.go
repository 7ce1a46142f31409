package serve

import (
	"net"
	"sync"
	"testing"
)

// TestGateHasRoomForNoMore: however many come at once, there is no moment with more
// strangers than may be.
func TestGateHasRoomForNoMore(t *testing.T) {
	const most = 4
	g := newGate(Limits{Strangers: most})
	var come sync.WaitGroup
	for range 8 {
		come.Go(func() {
			for range 500 {
				c, other := net.Pipe()
				t.Cleanup(func() { _ = other.Close() }) // of a pipe
				_ = g.admit(c)
				if n := g.held(); n > most {
					t.Errorf("there are %d strangers, more than %d", n, most)
				}
			}
		})
	}
	come.Wait()
	if n := g.held(); n != most || len(g.from) != 1 {
		t.Errorf("%d strangers are left, from %v", n, g.from)
	}
}
