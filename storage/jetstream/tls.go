package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/nats-io/nats.go"
)

// explainTLS makes one clear line of what the client says of certificates; nil if
// the error is of something else. Trying again does not help, so that none of
// them is ErrAway, but one that may have another cause.
func (s *natsStore) explainTLS(err error) error {
	var check *tls.CertificateVerificationError
	var path *fs.PathError
	switch {
	case errors.As(err, &check):
		var unknown x509.UnknownAuthorityError
		hint := ""
		if errors.As(err, &unknown) && s.opt.ca == "" {
			hint = " (?ca=FILE names the one of its authority)"
		}
		why := strings.TrimPrefix(check.Err.Error(), "x509: ")
		why, _, _ = strings.Cut(why, " (possibly")
		return fmt.Errorf("%s: its certificate is not to be trusted: %s%s", s.where, lease.OneLine(why), hint)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%s: it does not speak TLS, so nothing was sent (?tls=off sends all in clear text)", s.where)
	case errors.Is(err, errFrame):
		return fmt.Errorf("%s: %w", s.where, err)
	case s.js == nil && errors.As(err, &path) && (path.Path == s.opt.ca || path.Path == s.opt.certificate || path.Path == s.opt.key):
		return fmt.Errorf("read certificate: %w", path)
	case s.js == nil && errors.As(err, &path) && path.Path == s.opt.credentials:
		return fmt.Errorf("read credentials: %w", path)
	case s.js == nil && s.opt.certificate == "" && strings.Contains(err.Error(), "tls: certificate required"):
		return fmt.Errorf("%w: %s: it wants a certificate of this user's (?cert=FILE&key=FILE)", ErrRefused, s.where)
	case s.js == nil && s.opt.certificate == "" && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)):
		// What the server said may be lost with the connection.
		return fmt.Errorf("%w: %s: it ended the connection; perhaps it wants a certificate of this user's (?cert=FILE&key=FILE)", ErrAway, s.where)
	}
	return nil
}

// distant reports whether one of the servers of a URL is not on this machine.
func distant(servers string) bool {
	for _, host := range strings.Split(hostsOf(servers), ",") {
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// monitorClient speaks to the monitoring of the servers, with the same
// certificates as to them.
func (s *natsStore) monitorClient() (*http.Client, error) {
	if s.opt.ca == "" && s.opt.certificate == "" {
		return http.DefaultClient, nil
	}
	c, err := s.opt.tlsConfig()
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c, IdleConnTimeout: time.Second}}, nil
}
