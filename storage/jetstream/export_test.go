package jetstream

import (
	"context"
	"net"
	"sync"
)

// A Dialer connects to one server in the place of every other, and notes which
// were meant.
type Dialer struct {
	Server string
	// Dialed is told of each, if it is not nil.
	Dialed chan string

	mu    sync.Mutex
	meant []string // guarded by mu
}

func (d *Dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	d.meant = append(d.meant, address)
	d.mu.Unlock()
	if d.Dialed != nil {
		select {
		case d.Dialed <- address:
		case <-ctx.Done():
		}
	}
	return new(net.Dialer).DialContext(ctx, network, d.Server)
}

// Meant returns which servers were meant, in order.
func (d *Dialer) Meant() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.meant...)
}

// Over are options of a store that connects by a dialer.
func (o Options) Over(d *Dialer) Options {
	o.dial = d.dial
	return o
}

// Connect connects as Open does, and does nothing else. The caller closes what it
// returns.
func Connect(url string, o Options) (*natsStore, error) {
	servers, err := o.complete(url)
	if err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(context.Background())
	s := &natsStore{opt: o, where: hostsOf(servers), done: make(chan struct{}), stop: stop, life: life}
	return s, s.connect(servers)
}
