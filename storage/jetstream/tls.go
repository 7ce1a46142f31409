package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
)

// explainTLS makes one clear line of what the client says of certificates; nil if
// the error is of something else. Trying again does not help, so that none of
// them is ErrAway, but one that may have another cause.
func (s *Store) explainTLS(err error) error {
	var check *tls.CertificateVerificationError
	var path *fs.PathError
	switch {
	case errors.As(err, &check):
		var unknown x509.UnknownAuthorityError
		hint := ""
		if errors.As(err, &unknown) && s.opt.CA == "" {
			hint = " (?ca=FILE names the one of its authority)"
		}
		why := strings.TrimPrefix(check.Err.Error(), "x509: ")
		why, _, _ = strings.Cut(why, " (possibly")
		return fmt.Errorf("%s: its certificate is not to be trusted: %s%s", s.where, oneLine(why), hint)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%s: it does not speak TLS, which the URL asks for with tls:// or ca", s.where)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("%s: it speaks TLS only: write tls://", s.where)
	case s.js == nil && errors.As(err, &path) && (path.Path == s.opt.CA || path.Path == s.opt.Certificate || path.Path == s.opt.Key):
		return fmt.Errorf("read certificate: %w", path)
	case s.js == nil && errors.As(err, &path) && path.Path == s.opt.Credentials:
		return fmt.Errorf("read credentials: %w", path)
	case s.js == nil && s.opt.Certificate == "" && strings.Contains(err.Error(), "tls: certificate required"):
		return fmt.Errorf("%w: %s: it wants a certificate of this user's (?cert=FILE&key=FILE)", ErrRefused, s.where)
	case s.js == nil && s.opt.Certificate == "" && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)):
		// What the server said may be lost with the connection.
		return fmt.Errorf("%w: %s: it ended the connection; perhaps it wants a certificate of this user's (?cert=FILE&key=FILE)", ErrAway, s.where)
	}
	return nil
}

// monitorClient speaks to the monitoring of the servers, with the same
// certificates as to them.
func (s *Store) monitorClient() (*http.Client, error) {
	if s.opt.CA == "" && s.opt.Certificate == "" {
		return http.DefaultClient, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.opt.CA != "" {
		data, err := os.ReadFile(s.opt.CA)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%q holds no certificate", s.opt.CA)
		}
	}
	if s.opt.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(s.opt.Certificate, s.opt.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c, IdleConnTimeout: time.Second}}, nil
}
