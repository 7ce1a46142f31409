package postgres_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// A fake is a server that a test plays. It keeps what clients send.
type fake struct {
	address string
	talks   sync.WaitGroup // connections that are played

	mu    sync.Mutex
	got   bytes.Buffer     // guarded by mu
	hears func(got string) // guarded by mu: told what came up to now; nil for nobody
}

// newFake plays a server on the loopback, one call of play for each connection,
// until the test ends.
func newFake(t *testing.T, play func(c net.Conn)) *fake {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{address: l.Addr().String()}
	var accepting sync.WaitGroup
	var mu sync.Mutex
	conns := map[net.Conn]bool{} // guarded by mu
	accepting.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns[c] = true
			mu.Unlock()
			f.talks.Go(func() {
				defer func() { _ = c.Close() }()
				play(heard{c, f})
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		accepting.Wait()
		mu.Lock()
		for c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		f.talks.Wait()
	})
	return f
}

// received is all that clients sent who are gone, unless it was encrypted.
func (f *fake) received() string {
	f.talks.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got.String()
}

// on has a function told what came up to now.
func (f *fake) on(hears func(got string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hears = hears
}

// heard is a connection of which the fake keeps what comes.
type heard struct {
	net.Conn
	f *fake
}

// Read reads and notes.
func (h heard) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	h.f.mu.Lock()
	h.f.got.Write(p[:n])
	if h.f.hears != nil {
		h.f.hears(h.f.got.String())
	}
	h.f.mu.Unlock()
	return n, err
}

// startup reads the first message of a client, of whatever kind.
func startup(c io.Reader) (body []byte, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		return nil, err
	}
	n := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
	body = make([]byte, max(0, min(n, 1<<16)-4))
	_, err = io.ReadFull(c, body)
	return body, err
}

// sslRequest is what a client sends who wants TLS.
const sslRequest = "\x04\xd2\x16\x2f"
