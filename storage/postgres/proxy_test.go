//go:build share

package postgres_test

import (
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/pgtest"
)

// A proxy stands between a client and a server, and cuts what it is told to.
type proxy struct {
	l      net.Listener
	server string

	mu    sync.Mutex
	cut   string // what to look for in what the client sends
	late  bool   // cut when the server answers, not before it has the request
	cuts  int    // how often that was done
	conns []net.Conn
}

func newProxy(t *testing.T, s *pgtest.Server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l: l, server: "127.0.0.1:" + strconv.Itoa(s.Port)}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		group.Wait()
	})
	return p
}

// url is the server's through the proxy.
func (p *proxy) url(s *pgtest.Server) string {
	_, port, _ := net.SplitHostPort(p.l.Addr().String())
	return strings.Replace(s.URL("postgres"), ":"+strconv.Itoa(s.Port)+"/", ":"+port+"/", 1)
}

// cutAt cuts the connection over which text is sent next: before the server has
// it, or when it answers.
func (p *proxy) cutAt(text string, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.late = text, late
}

func (p *proxy) done() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// meets reports whether data is to be cut, and at which end.
func (p *proxy) meets(data string) (cut, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == "" || !strings.Contains(data, p.cut) {
		return false, false
	}
	p.cut = ""
	p.cuts++
	return true, p.late
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	var mu sync.Mutex
	deaf := false // the answer is not passed on
	var group sync.WaitGroup
	group.Go(func() {
		defer client.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			mu.Lock()
			stop := deaf
			mu.Unlock()
			if n > 0 && !stop {
				_, _ = client.Write(buf[:n])
			}
			if err != nil || stop {
				return
			}
		}
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		cut, late := p.meets(string(buf[:n]))
		if cut && late {
			mu.Lock()
			deaf = true
			mu.Unlock()
		}
		if n > 0 && (!cut || late) {
			_, _ = server.Write(buf[:n])
		}
		if err != nil || cut && !late {
			break
		}
	}
	if err := server.(*net.TCPConn).CloseWrite(); err == nil {
		_, _ = io.Copy(io.Discard, client)
	}
	_ = client.Close()
	group.Wait()
	_ = server.Close()
}
