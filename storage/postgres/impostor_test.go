package postgres_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/certtest"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/jackc/pgx/v5/pgproto3"
)

// planted is a password that must not be seen on any wire.
const planted = "planted-pass-4711"

// impostor plays a server that declines TLS, unless it has a certificate, and then
// answers who comes with one message after the other.
func impostor(cert *tls.Certificate, answers ...pgproto3.BackendMessage) func(net.Conn) {
	return func(c net.Conn) {
		first, err := startup(c)
		for err == nil && string(first) == sslRequest {
			if cert == nil {
				_, _ = c.Write([]byte("N"))
			} else {
				_, _ = c.Write([]byte("S"))
				c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*cert}})
			}
			first, err = startup(c)
		}
		if err != nil {
			return
		}
		for _, m := range answers {
			data, err := m.Encode(nil)
			if err != nil {
				return
			}
			if _, err := c.Write(data); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, c) // what it was to get, it has
	}
}

// certificateOf is a certificate for a host, and the file of its authority.
func certificateOf(t *testing.T, host string) (*tls.Certificate, string) {
	t.Helper()
	a, err := certtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := a.Sign("server", host)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, a.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	return &pair, ca
}

// TestImpostor: who is not the server gets no password, neither off this machine
// nor on it, whatever it asks for; what is said names the setting that would send
// it.
func TestImpostor(t *testing.T) {
	forged, _ := certificateOf(t, "db.example.org")
	misnamed, ca := certificateOf(t, "other.example.org")
	good, goodCA := certificateOf(t, "db.example.org")
	clear, md5 := &pgproto3.AuthenticationCleartextPassword{}, &pgproto3.AuthenticationMD5Password{Salt: [4]byte{1, 2, 3, 4}}
	open := []pgproto3.BackendMessage{&pgproto3.AuthenticationOk{}, &pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}}, &pgproto3.ReadyForQuery{TxStatus: 'I'}}
	const away = "postgres://ada:" + planted + "@db.example.org/d"
	tests := []struct {
		name, url string
		cert      *tls.Certificate
		answers   []pgproto3.BackendMessage
		say       string
	}{
		{"declines TLS, clear text", away, nil, []pgproto3.BackendMessage{clear}, "it does not speak TLS, so nothing was sent (sslmode"},
		{"declines TLS, MD5", away, nil, []pgproto3.BackendMessage{md5}, "it does not speak TLS"},
		{"declines TLS, lets in", away, nil, open, "it does not speak TLS"},
		{"by numbers", "postgres://ada:" + planted + "@192.0.2.7/d", nil, []pgproto3.BackendMessage{clear}, "it does not speak TLS"},
		{"one of several", "postgres://ada:" + planted + "@localhost,db.example.org/d", nil, []pgproto3.BackendMessage{clear}, "it does not speak TLS"},
		{"host as a parameter", "postgres://ada:" + planted + "@/d?host=db.example.org", nil, []pgproto3.BackendMessage{clear}, "it does not speak TLS"},
		{"a certificate of nobody's", away, forged, []pgproto3.BackendMessage{clear}, "its certificate is not to be trusted"},
		{"a certificate of another host", away + "?sslrootcert=" + ca, misnamed, []pgproto3.BackendMessage{clear}, "its certificate is not to be trusted"},
		{"its certificate, clear text", away + "?sslrootcert=" + goodCA, good, []pgproto3.BackendMessage{clear}, "it asks for the password in clear text; it was not sent (require_auth=password in the URL"},
		{"TLS unverified, clear text", away + "?sslmode=require", forged, []pgproto3.BackendMessage{clear}, "require_auth=password"},
		{"TLS unverified, lets in", away + "?sslmode=require", forged, open, "it does not prove that it knows the password"},
		{"without TLS, clear text", away + "?sslmode=disable", nil, []pgproto3.BackendMessage{clear}, "require_auth=password"},
		{"TLS if it likes, MD5", away + "?sslmode=prefer", nil, []pgproto3.BackendMessage{md5}, "by MD5; it was not sent (require_auth=md5"},
		{"on this machine, clear text", "postgres://ada:" + planted + "@127.0.0.1/d", nil, []pgproto3.BackendMessage{clear}, "require_auth=password"},
		{"on this machine, MD5", "postgres://ada:" + planted + "@localhost/d", nil, []pgproto3.BackendMessage{md5}, "require_auth=md5"},
		{"over a socket, clear text", "postgres://ada:" + planted + "@/d?host=/run/postgresql", nil, []pgproto3.BackendMessage{clear}, "require_auth=password"},
		{"the second message asks", away + "?sslmode=disable", nil, append([]pgproto3.BackendMessage{&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}}}, clear), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t, impostor(test.cert, test.answers...))
			err := postgres.Dial(t.Context(), test.url, f.address)
			if err == nil {
				t.Fatal("it was let in")
			}
			if text := err.Error(); !strings.Contains(text, test.say) || strings.Contains(text, planted) || strings.Contains(text, "\n") {
				t.Errorf("got %q, want %q in one line without the password", text, test.say)
			}
			if got := f.received(); strings.Contains(got, planted) || strings.Contains(got, "md5") {
				t.Errorf("it was sent %q", got)
			}
		})
	}
}

// TestImpostorElsewhere: a password that comes from the environment or a file is
// kept as one in the URL is, and what the environment says of TLS counts.
func TestImpostorElsewhere(t *testing.T) {
	pass := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(pass, []byte("*:*:*:*:"+planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	service := filepath.Join(t.TempDir(), "service")
	if err := os.WriteFile(service, []byte("[shared]\nhost=db.example.org\npassword="+planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, url, say string
		env            map[string]string
	}{
		{"PGPASSWORD", "postgres://ada@db.example.org/d", "it does not speak TLS", map[string]string{"PGPASSWORD": planted}},
		{"PGPASSFILE", "postgres://ada@db.example.org/d", "it does not speak TLS", map[string]string{"PGPASSFILE": pass}},
		{"passfile", "postgres://ada@db.example.org/d?passfile=" + pass, "it does not speak TLS", nil},
		{"PGHOST", "postgres://ada:" + planted + "@/d", "it does not speak TLS", map[string]string{"PGHOST": "db.example.org"}},
		{"PGSERVICE", "postgres://ada@/d", "it does not speak TLS", map[string]string{"PGSERVICE": "shared", "PGSERVICEFILE": service}},
		{"PGSSLMODE=disable", "postgres://ada:" + planted + "@db.example.org/d", "require_auth=password", map[string]string{"PGSSLMODE": "disable"}},
		{"PGSSLMODE=prefer", "postgres://ada:" + planted + "@db.example.org/d", "it does not speak TLS", map[string]string{"PGSSLMODE": "prefer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for key, value := range test.env {
				t.Setenv(key, value)
			}
			f := newFake(t, impostor(nil, &pgproto3.AuthenticationCleartextPassword{}))
			err := postgres.Dial(t.Context(), test.url, f.address)
			if err == nil || !strings.Contains(err.Error(), test.say) {
				t.Errorf("got %v, want %q", err, test.say)
			}
			if got := f.received(); strings.Contains(got, planted) {
				t.Errorf("it was sent %q", got)
			}
		})
	}
}

// TestImpostorAllowed: who says so in the URL, or in the environment, has the
// password sent as the server wants it.
func TestImpostorAllowed(t *testing.T) {
	clear := &pgproto3.AuthenticationCleartextPassword{}
	for _, test := range []struct{ name, url, env string }{
		{"in the URL", "postgres://ada:" + planted + "@db.example.org/d?sslmode=disable&require_auth=password", ""},
		{"in the environment", "postgres://ada:" + planted + "@localhost/d", "password"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.env != "" {
				t.Setenv("PGREQUIREAUTH", test.env)
			}
			f := newFake(t, impostor(nil, clear))
			ctx, cancel := context.WithCancel(t.Context())
			f.on(func(got string) {
				if strings.Contains(got, planted) {
					cancel() // it has what was to be sent, and says nothing more
				}
			})
			if err := postgres.Dial(ctx, test.url, f.address); !errors.Is(err, context.Canceled) && ctx.Err() == nil {
				t.Fatal(err)
			}
			if !strings.Contains(f.received(), planted) {
				t.Error("the password was not sent")
			}
		})
	}
}
