package certtest_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"

	"github.com/cambium-dev/cambium/internal/certtest"
)

// TestSign: what an authority signed is trusted by who trusts it, for its hosts
// only, and by nobody else.
func TestSign(t *testing.T) {
	a, err := certtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	other, err := certtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := a.Sign("server", "127.0.0.1", "localhost")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		ca   []byte
		host string
		good bool
	}{{a.PEM, "localhost", true}, {a.PEM, "127.0.0.1", true}, {a.PEM, "example.org", false}, {other.PEM, "localhost", false}} {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(test.ca)
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: test.host})
		if (err == nil) != test.good {
			t.Errorf("for %s: %v, want good %v", test.host, err, test.good)
		}
	}
}
