package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
)

// A gate counts connections as they are accepted. Those that have not shown yet
// that they may be there, by a token over HTTP or a message on the socket, are
// strangers: of too many, the oldest of the address that has the most is ended for
// one who comes. So whoever fills the server makes room with connections of his
// own, and who has a token gets in. It is safe for concurrent use.
type gate struct {
	strangers, guests int // how many there may be; less than 0: any number

	mu    sync.Mutex
	queue []*visitor     // guarded by mu: the strangers, oldest first
	from  map[string]int // guarded by mu: how many of them come from where
	known int            // guarded by mu: connections that are no strangers
}

// A visitor is a connection that came through a gate.
type visitor struct {
	net.Conn
	gate *gate
	peer string

	known, gone bool // guarded by gate.mu
}

func newGate(l Limits) *gate {
	return &gate{strangers: l.Strangers, guests: l.Connections, from: map[string]int{}}
}

// admit lets a connection in, as a stranger.
func (g *gate) admit(c net.Conn) *visitor {
	v := &visitor{Conn: c, gate: g, peer: peerOf(c.RemoteAddr())}
	g.mu.Lock()
	var leaves *visitor
	if g.strangers >= 0 && len(g.queue) >= g.strangers {
		if leaves = g.crowdLocked(); leaves != nil {
			g.dropLocked(leaves) // no moment has one too many
		}
	}
	g.queue = append(g.queue, v)
	g.from[v.peer]++
	g.mu.Unlock()
	if leaves != nil {
		_ = leaves.Conn.Close() // nobody waits for what it says
	}
	return v
}

// crowdLocked returns the oldest stranger of where the most come from, nil for
// none.
func (g *gate) crowdLocked() (oldest *visitor) {
	for _, v := range g.queue {
		if oldest == nil || g.from[v.peer] > g.from[oldest.peer] {
			oldest = v
		}
	}
	return oldest
}

// know says that a connection may be there. It returns false when there are too
// many of them.
func (v *visitor) know() bool {
	g := v.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case v.known:
		return true
	case v.gone || g.guests >= 0 && g.known >= g.guests:
		return false
	}
	g.leaveLocked(v)
	v.known = true
	g.known++
	return true
}

// leaveLocked takes a stranger out of the queue.
func (g *gate) leaveLocked(v *visitor) {
	for i, other := range g.queue {
		if other == v {
			g.queue = append(g.queue[:i:i], g.queue[i+1:]...)
			break
		}
	}
	if g.from[v.peer]--; g.from[v.peer] == 0 {
		delete(g.from, v.peer)
	}
}

// dropLocked has a connection count no more.
func (g *gate) dropLocked(v *visitor) {
	switch {
	case v.gone:
	case v.known:
		g.known--
	default:
		g.leaveLocked(v)
	}
	v.gone = true
}

// Close ends the connection, and it counts no more.
func (v *visitor) Close() error {
	g := v.gate
	g.mu.Lock()
	g.dropLocked(v)
	g.mu.Unlock()
	return v.Conn.Close()
}

// over reports whether the connection was ended, by whomever here.
func (v *visitor) over() bool {
	v.gate.mu.Lock()
	defer v.gate.mu.Unlock()
	return v.gone
}

// held returns how many strangers there are.
func (g *gate) held() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queue)
}

// peerOf is where a connection comes from: an address, of IPv6 the network in
// which somebody has as many as he likes, and "" on a socket.
func peerOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		if net, err := ip.WithZone("").Prefix(64); err == nil {
			return net.String()
		}
	}
	return ip.String()
}

// A gated listener has a gate behind it.
type gated struct {
	net.Listener
	gate *gate
}

// Accept waits for a connection and lets it in.
func (l gated) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.gate.admit(c), nil
}

// visitorKey is where the context of a request has its connection.
type visitorKey struct{}

// visited has requests know their connection.
func visited(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, visitorKey{}, c)
}

// knows says of the connection of a request that it may be there, if it came
// through a gate.
func knows(ctx context.Context) bool {
	v, ok := ctx.Value(visitorKey{}).(*visitor)
	return !ok || v.know()
}
