package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// strangersMost is how many strangers the floods of these tests find room for, and
// flood how many come.
const (
	strangersMost = 16
	flood         = 200
)

// besiege opens connections that say what each is given, and nothing else. They
// are closed with the test.
func besiege(t *testing.T, network, address string, says func(i int) string) []net.Conn {
	t.Helper()
	all := make([]net.Conn, flood)
	for i := range all {
		c, err := net.Dial(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, says(i)) // it may be ended already
		all[i] = c
	}
	return all
}

// host is where the server listens for HTTP.
func (x *site) host() string {
	_, host, _ := strings.Cut(x.url, "://")
	return host
}

// pieces are beginnings of what a client might send who never goes on.
func pieces(i int) string {
	return []string{
		"", "G", "POST /rpc HTTP/1.1\r\nHost: x\r\n", "POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 1000000000\r\n\r\n[",
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\x00\x01", "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n{",
	}[i%7]
}

// TestFlood: hundreds of connections without a token, silent or in the middle of
// something, are ended for those who come, but for a few; who has a token gets in,
// and who is in stays.
func TestFlood(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			o, x := options(t)
			o.Limits.Strangers = strangersMost
			if scheme == "https" {
				dir := t.TempDir()
				x.web = trusts(issue(t, dir, 1))
				o.Cert, o.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
			}
			x.run(o)
			x.must(x.write, "", "listAll", "{}") // it is in
			all := besiege(t, "tcp", x.host(), pieces)
			for _, c := range all[:flood-3*strangersMost] { // some of the last are refused at once
				_, _ = io.Copy(io.Discard, c) // it comes back: the connection was ended
			}
			if n := x.strangers(); n > strangersMost {
				t.Errorf("there are %d strangers", n)
			}
			again := false
			trace := &httptrace.ClientTrace{GotConn: func(g httptrace.GotConnInfo) { again = g.Reused }}
			r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET", x.url+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+x.read)
			answer, err := x.web.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if !again || answer.StatusCode != http.StatusOK {
				t.Errorf("who was in got %s, over the same connection: %v", answer.Status, again)
			}
			x.web.CloseIdleConnections()
			x.must(x.write, "", "listAll", "{}") // and over a new one
		})
	}
}

// TestFloodOfSocket: the same for the socket, where a message makes the difference.
func TestFloodOfSocket(t *testing.T) {
	o, x := options(t)
	o.Limits.Strangers = strangersMost
	x.run(o)
	l := x.dial()
	if r := l.call("listAll", "{}"); r.code() != "" {
		t.Fatalf("answered %s", r.body)
	}
	all := besiege(t, "unix", x.socket, func(i int) string { return []string{"", `{"jsonrpc":"2.0",`, "\x00"}[i%3] })
	for _, c := range all[:flood-strangersMost] {
		_, _ = io.Copy(io.Discard, c)
	}
	for _, l := range []*line{l, x.dial()} {
		if r := l.call("listAll", "{}"); r.code() != "" {
			t.Errorf("answered %s", r.body)
		}
	}
}

// TestBodyWithoutToken: of a request without a token the body is not waited for,
// and the connection is ended with the answer.
func TestBodyWithoutToken(t *testing.T) {
	x := start(t)
	for _, token := range []string{"", "Authorization: Bearer wrong\r\n"} {
		c, err := net.Dial("tcp", x.host())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST /rpc HTTP/1.1\r\nHost: x\r\n%sContent-Length: 1000000000\r\n\r\n{", token); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusUnauthorized || !answer.Close {
			t.Errorf("answered %s, closing: %v, %v", answer.Status, answer.Close, err)
		}
		_, _ = io.Copy(io.Discard, c) // it comes back: the connection was ended
	}
}

// strangers asks how many there are.
func (x *site) strangers() int {
	x.t.Helper()
	for line := range strings.Lines(string(x.ask("GET", "/metrics", x.read).body)) {
		if n, ok := strings.CutPrefix(line, `cambium_connections{kind="stranger"} `); ok {
			count, err := strconv.Atoi(strings.TrimSpace(n))
			if err != nil {
				x.t.Error(err)
			}
			return count
		}
	}
	x.t.Error("the metrics do not tell of strangers")
	return 0
}
