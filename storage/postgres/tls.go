package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/jackc/pgx/v5/pgconn"
)

// untrusted reports whether a connection was not made because of a certificate,
// for want of TLS, or because the server does not prove who it is: to try again
// does not help.
func untrusted(err error) bool {
	var check *tls.CertificateVerificationError
	return errors.As(err, &check) || noTLS(err) || unproven(err)
}

// noTLS reports whether a server was asked for TLS and has none.
func noTLS(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) && strings.Contains(err.Error(), "server refused TLS connection") // pgx 5.12.0 has no value for it
}

// onlyTLS reports whether a server does not let in who does not speak TLS.
func onlyTLS(pg *pgconn.PgError) bool {
	return pg.Code == "28000" && strings.HasSuffix(pg.Message, "no encryption")
}

// explainTLS is the one clear line for what is untrusted.
func (s *pgStore) explainTLS(err error) error {
	var check *tls.CertificateVerificationError
	switch {
	case unproven(err):
		return s.explainAuth(err)
	case !errors.As(err, &check):
		return fmt.Errorf("%s: it does not speak TLS, so nothing was sent (sslmode in the URL says otherwise: disable sends all in clear text)", s.where())
	}
	why, _, _ := strings.Cut(strings.TrimPrefix(lease.OneLine(check.Err.Error()), "x509: "), " (possibly")
	var unknown x509.UnknownAuthorityError
	if c := s.pool.Config().ConnConfig.TLSConfig; errors.As(err, &unknown) && c != nil && c.RootCAs == nil {
		why += " (sslrootcert=FILE in the URL names the one of its authority)"
	}
	return fmt.Errorf("%s: its certificate is not to be trusted: %s", s.where(), why)
}

// errFiles is why a URL cannot be used that names files for TLS; nil if it is not
// because of them. No such file holds a password.
func errFiles(err error, query url.Values) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("read certificate: %w", file)
	}
	inner := errors.Unwrap(err)
	if inner == nil {
		return nil
	}
	for _, key := range []string{"sslrootcert", "sslcert", "sslkey"} {
		words := map[string]string{"sslrootcert": "CA", "sslcert": "cert", "sslkey": "key"}[key]
		if name := query.Get(key); name != "" && strings.Contains(inner.Error(), words) {
			return fmt.Errorf("%s %q in the URL: it holds none", key, name)
		}
	}
	return nil
}
