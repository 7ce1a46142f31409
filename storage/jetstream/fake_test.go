package jetstream_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A fake is a server that a test plays. It keeps what clients send, as they mean
// it.
type fake struct {
	address string
	info    string               // what it says of itself, JSON members
	cert    *tls.Certificate     // nil for a server that has no TLS
	answer  func(request) []byte // what it answers to a request; nil for nothing
	ends    bool                 // each connection ends when its client was let in

	mu  sync.Mutex
	got bytes.Buffer // guarded by mu
}

// A request is what a client publishes and wants an answer to.
type request struct {
	subject, reply string
	body           []byte
}

// msg is a message to a client as the protocol has it.
func (r request) msg(body []byte) []byte {
	return fmt.Appendf(nil, "MSG %s 1 %d\r\n%s\r\n", r.reply, len(body), body)
}

// play begins to serve on the loopback, until the test ends.
func (f *fake) play(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	var accepting, talks sync.WaitGroup
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
			talks.Go(func() {
				defer func() { _ = c.Close() }()
				f.talk(c)
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
		talks.Wait()
	})
}

// talk serves one connection.
func (f *fake) talk(c net.Conn) {
	info := strings.ReplaceAll(f.info, "SELF", f.address)
	if _, err := fmt.Fprintf(c, "INFO {%s}\r\n", info); err != nil {
		return
	}
	if f.cert != nil {
		c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*f.cert}})
	}
	from := bufio.NewReader(c)
	for {
		line, err := from.ReadString('\n')
		f.note(line)
		if err != nil {
			return
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.EqualFold(words[0], "PING"):
			_, _ = io.WriteString(c, "PONG\r\n") // a client that is gone is noticed when it is read
			if f.ends {
				return
			}
		case strings.EqualFold(words[0], "PUB") || strings.EqualFold(words[0], "HPUB"):
			r, err := f.take(words, from)
			if err != nil {
				return
			}
			if f.answer == nil || r.reply == "" {
				continue
			}
			if _, err := c.Write(f.answer(r)); err != nil {
				return
			}
		}
	}
}

// take reads what is published.
func (f *fake) take(words []string, from *bufio.Reader) (request, error) {
	n, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return request{}, err
	}
	r := request{subject: words[1], body: make([]byte, n)}
	if _, err := io.ReadFull(from, r.body); err != nil {
		return r, err
	}
	if _, err := from.Discard(2); err != nil {
		return r, err
	}
	// PUB subject [reply] size; HPUB subject [reply] size-of-headers size.
	if with := map[bool]int{true: 4, false: 5}[strings.EqualFold(words[0], "PUB")]; len(words) == with {
		r.reply = words[2]
	}
	return r, nil
}

func (f *fake) note(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got.WriteString(text)
}

// received is all that clients said.
func (f *fake) received() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got.String()
}
