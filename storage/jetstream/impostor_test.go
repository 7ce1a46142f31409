package jetstream_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/certtest"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// planted is a password that must not be seen on any wire.
const planted = "planted-pass-4711"

// plainInfo is what a server says of itself that has no TLS.
const plainInfo = `"server_id":"X","version":"2.12.0","proto":1,"headers":true,"max_payload":1048576,"auth_required":true`

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

// TestImpostor: who is not the server gets no password, token or credentials off
// this machine; what is said names the setting that would send it.
func TestImpostor(t *testing.T) {
	forged, _ := certificateOf(t, "nats.example.org")
	misnamed, ca := certificateOf(t, "other.example.org")
	tlsInfo := plainInfo + `,"tls_required":true`
	tests := []struct {
		name, url, info string
		cert            *tls.Certificate
		say             string
	}{
		{"a password", "nats://ada:" + planted + "@nats.example.org", plainInfo, nil, "it does not speak TLS, so nothing was sent (?tls=off"},
		{"a token", "nats://" + planted + "@nats.example.org:4222", plainInfo, nil, "it does not speak TLS"},
		{"by numbers", "nats://ada:" + planted + "@192.0.2.7", plainInfo, nil, "it does not speak TLS"},
		{"one of several", "nats://localhost,ada:" + planted + "@nats.example.org", plainInfo, nil, "it does not speak TLS"},
		{"says that TLS is not needed", "tls://ada:" + planted + "@nats.example.org", plainInfo + `,"tls_required":false,"tls_available":false`, nil, "it does not speak TLS"},
		{"on this machine, tls", "tls://ada:" + planted + "@127.0.0.1", plainInfo, nil, "it does not speak TLS"},
		{"a certificate of nobody's", "nats://ada:" + planted + "@nats.example.org", tlsInfo, forged, "its certificate is not to be trusted"},
		{"a certificate of another host", "nats://ada:" + planted + "@nats.example.org?ca=" + ca, tlsInfo, misnamed, "its certificate is not to be trusted"},
		{"TLS that it only offers", "nats://ada:" + planted + "@nats.example.org", plainInfo + `,"tls_available":true`, forged, "its certificate is not to be trusted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{info: test.info, cert: test.cert}
			f.play(t)
			_, err := jetstream.Open(t.Context(), test.url, jetstream.Options{}.Over(&jetstream.Dialer{Server: f.address}))
			if err == nil {
				t.Fatal("it was opened")
			}
			if text := err.Error(); !strings.Contains(text, test.say) || strings.Contains(text, planted) || strings.Contains(text, "\n") {
				t.Errorf("got %q, want %q in one line without the password", text, test.say)
			}
			if got := f.received(); strings.Contains(got, planted) || strings.Contains(got, "CONNECT") {
				t.Errorf("it was sent %q", got)
			}
		})
	}
}

// TestImpostorAllowed: who says tls=off has the password sent as the server wants
// it; a server on this machine gets it without TLS.
func TestImpostorAllowed(t *testing.T) {
	for _, url := range []string{"nats://ada:" + planted + "@nats.example.org?tls=off", "nats://ada:" + planted + "@127.0.0.1"} {
		f := &fake{info: plainInfo, answer: func(r request) []byte { return []byte("-ERR 'no'\r\n") }}
		f.play(t)
		if _, err := jetstream.Open(t.Context(), url, jetstream.Options{}.Over(&jetstream.Dialer{Server: f.address})); err == nil {
			t.Fatal("it was opened")
		}
		if !strings.Contains(f.received(), planted) {
			t.Errorf("the password was not sent: %q", f.received())
		}
	}
	_, err := jetstream.Open(t.Context(), "tls://nats.example.org?tls=off", jetstream.Options{})
	if err == nil || !strings.Contains(err.Error(), "want one of them") {
		t.Errorf("tls:// and tls=off: %v", err)
	}
}
