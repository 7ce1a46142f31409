//go:build share

package jetstream_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/certtest"
	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// A trust is an authority with files: its certificate, that of a server and that
// of a client.
type trust struct{ ca, cert, key, user, userKey string }

func newTrust(t *testing.T, host string) trust {
	t.Helper()
	a, err := certtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := trust{ca: file("ca.pem", a.PEM)}
	cert, key, err := a.Sign("server", host)
	if err != nil {
		t.Fatal(err)
	}
	c.cert, c.key = file("server.pem", cert), file("server.key", key)
	if cert, key, err = a.Sign("user"); err != nil {
		t.Fatal(err)
	}
	c.user, c.userKey = file("user.pem", cert), file("user.key", key)
	return c
}

// serverOf starts a server that speaks TLS only.
func (c trust) server(t *testing.T, more string) *natstest.Server {
	t.Helper()
	return newServer(t, natstest.Config{CA: c.ca, Lines: []string{
		fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q%s }", c.cert, c.key, c.ca, more),
	}})
}

// TestTLS: a server that speaks TLS is used as any other; what cannot be trusted
// is one clear line.
func TestTLS(t *testing.T) {
	good, other := newTrust(t, "127.0.0.1"), newTrust(t, "127.0.0.1")
	server := good.server(t, "")
	tls := strings.Replace(server.URL(), "nats://", "tls://", 1)
	for _, url := range []string{server.URL() + "?ca=" + good.ca, tls + "?ca=" + good.ca} {
		s := open(t, url+"&stream=TLS", jetstream.Options{})
		name := fmt.Sprintf("/p/%d", strings.Index(url, "://"))
		log, err := s.Open(t.Context(), name, storage.Create)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte("over TLS")}); err != nil {
			t.Fatal(err)
		}
		if lines, err := log.ReadTail(t.Context(), 100); err != nil || len(lines) != 1 || string(lines[0].Bytes) != "over TLS" {
			t.Errorf("read %v, %v", lines, err)
		}
	}
	misnamed := newTrust(t, "example.org")
	elsewhere := newServer(t, natstest.Config{NoJetStream: true})
	for _, test := range []struct{ name, url, say string }{
		{"another authority", server.URL() + "?ca=" + other.ca, "its certificate is not to be trusted: certificate signed by unknown authority"},
		{"no authority", server.URL(), "?ca=FILE"},
		{"tls without one", tls, "?ca=FILE"},
		{"no such file", server.URL() + "?ca=/nowhere/ca.pem", "/nowhere/ca.pem"},
		{"a file of something else", server.URL() + "?ca=" + good.key, "server.key"},
		{"a server without", elsewhere.URL() + "?ca=" + good.ca, "it does not speak TLS"},
		{"a server without, by tls", strings.Replace(elsewhere.URL(), "nats://", "tls://", 1), "it does not speak TLS"},
		{"half a pair", server.URL() + "?ca=" + good.ca + "&cert=" + good.user, "want both or neither"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := jetstream.Open(t.Context(), test.url, jetstream.Options{})
			wantRefusal(t, err, nil, test.say)
		})
	}
	t.Run("another host", func(t *testing.T) {
		s, err := natstest.New(t.TempDir(), natstest.Config{CA: misnamed.ca, AnyHost: true, Lines: []string{
			fmt.Sprintf("tls { cert_file: %q, key_file: %q }", misnamed.cert, misnamed.key),
		}})
		if err != nil {
			t.Fatal(err)
		}
		start(t, s)
		_, err = jetstream.Open(t.Context(), s.URL()+"?ca="+misnamed.ca, jetstream.Options{})
		wantRefusal(t, err, nil, "cannot validate certificate for 127.0.0.1")
	})
}

// TestTLSOfUsers: a server that wants a certificate of its users takes who has one.
func TestTLSOfUsers(t *testing.T) {
	good := newTrust(t, "127.0.0.1")
	server, err := natstest.New(t.TempDir(), natstest.Config{JetStream: []string{"  sync_interval: always"}, TLSMonitor: true, CA: good.ca, Cert: good.user, Key: good.userKey, Lines: []string{
		fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", good.cert, good.key, good.ca),
	}})
	if err != nil {
		t.Fatal(err)
	}
	start(t, server)
	open(t, server.URL()+fmt.Sprintf("?monitor=https://127.0.0.1:%d&sync=always&ca=", server.Monitor)+good.ca+"&cert="+good.user+"&key="+good.userKey, jetstream.Options{})
	_, err = jetstream.Open(t.Context(), server.URL()+"?ca="+good.ca, jetstream.Options{})
	wantRefusal(t, err, nil, "wants a certificate of this user's (?cert=FILE&key=FILE)")
}
