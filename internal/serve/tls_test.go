package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/serve"
)

// issue makes a certificate for the loopback with a serial number, as two PEM
// files in dir, and returns it.
func issue(t *testing.T, dir string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name+".new"), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// trusts returns a client that trusts certificates.
func trusts(certs ...*x509.Certificate) *http.Client {
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

func TestTLS(t *testing.T) {
	o, x := options(t)
	dir := t.TempDir()
	one := issue(t, dir, 1)
	o.Cert, o.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	x.web = trusts(one)
	x.run(o)
	if !strings.HasPrefix(x.url, "https://127.0.0.1:") {
		t.Fatalf("served at %q", x.url)
	}
	id := x.must(x.write, "", "inMemory", "{}").session()
	watch := x.events(x.write, "Cambium-Session", id)
	x.must(x.write, id, "appendCustomEntry", appendOne)
	if got := watch.next(); !strings.HasPrefix(got, "1||") {
		t.Errorf("event %s", got)
	}
	plainly, err := http.Get("http" + strings.TrimPrefix(x.url, "https") + "/healthz")
	if err == nil {
		if plainly.StatusCode != http.StatusBadRequest {
			t.Errorf("in plain text: %s", plainly.Status)
		}
		_ = plainly.Body.Close()
	}
	// Half of a new pair leaves the old one in use.
	key, err := os.ReadFile(o.Key)
	if err != nil {
		t.Fatal(err)
	}
	two := issue(t, dir, 2)
	good, err := os.ReadFile(o.Key)
	if err != nil {
		t.Fatal(err)
	}
	x.file(o.Key, string(key))
	x.web.CloseIdleConnections()
	x.web = trusts(one)
	x.must(x.write, "", "listAll", "{}")
	x.file(o.Key+".new", string(good))
	if err := os.Rename(o.Key+".new", o.Key); err != nil {
		t.Fatal(err)
	}
	x.web.CloseIdleConnections()
	x.web = trusts(two)
	x.must(x.write, "", "listAll", "{}")
	if err := x.ended(); err != nil {
		t.Error(err)
	}
}

func TestWhereHTTPIsNotSpoken(t *testing.T) {
	o, _ := options(t)
	for address, want := range map[string]error{
		":0": serve.ErrExposed, "0.0.0.0:0": serve.ErrExposed, "[::]:0": serve.ErrExposed, "192.0.2.1:80": serve.ErrExposed,
		"127.0.0.1": nil, "127.0.0.1:port": nil,
	} {
		o := o
		o.Listen = address
		err := serve.Run(t.Context(), o)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
	}
	half := o
	half.Cert = "cert.pem"
	if err := serve.Run(t.Context(), half); err == nil || !strings.Contains(err.Error(), "a certificate needs its key") {
		t.Errorf("half a pair: %v", err)
	}
	missing := o
	missing.Cert, missing.Key = filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "k")
	if err := serve.Run(t.Context(), missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no pair: %v", err)
	}
	nobody := o
	nobody.Tokens = filepath.Join(scratch.OwnDir(t), "tokens.json")
	if err := serve.Run(t.Context(), nobody); !errors.Is(err, serve.ErrNoToken) {
		t.Errorf("without tokens: %v", err)
	}
	if err := os.Chmod(o.Tokens, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := serve.Run(t.Context(), o); !errors.Is(err, serve.ErrToken) {
		t.Errorf("tokens that others can read: %v", err)
	}
}
