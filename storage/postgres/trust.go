package postgres

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// secure reads a URL whose server must not be taken for another one: off this
// machine it is verified by its certificate, if neither the URL nor the
// environment says otherwise, and it has to prove that it knows the password. On
// this machine a password is not shown to who listens.
func secure(base string, query url.Values) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(address(base, query))
	if err != nil {
		return nil, err
	}
	if !query.Has("sslmode") && !query.Has("ssl") && preferring(&c.ConnConfig.Config) {
		query.Set("sslmode", "verify-full")
		if c, err = pgxpool.ParseConfig(address(base, query)); err != nil {
			return nil, err
		}
	}
	cc := &c.ConnConfig.Config
	switch {
	case cc.RequireAuth != "":
	case cc.Password != "" && distant(cc):
		cc.RequireAuth = "scram-sha-256"
	default:
		cc.RequireAuth = "!password,!md5"
	}
	return c, nil
}

// address is a URL with another query.
func address(base string, query url.Values) string {
	if len(query) == 0 {
		return base
	}
	// The driver takes a plus sign for itself.
	return base + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// preferring reports whether a server off this machine is to be spoken to with
// TLS or without, as it likes: what the driver does when nobody says anything.
func preferring(c *pgconn.Config) bool {
	last := servers(c)[0]
	for _, f := range servers(c)[1:] {
		if f.Host == last.Host && f.Port == last.Port && last.TLSConfig != nil && f.TLSConfig == nil && !local(f.Host) {
			return true
		}
		last = f
	}
	return false
}

// distant reports whether one of the servers is not on this machine.
func distant(c *pgconn.Config) bool {
	for _, f := range servers(c) {
		if !local(f.Host) {
			return true
		}
	}
	return false
}

// servers are all ways to a server, in the order in which they are tried.
func servers(c *pgconn.Config) []*pgconn.FallbackConfig {
	first := &pgconn.FallbackConfig{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}
	return append([]*pgconn.FallbackConfig{first}, c.Fallbacks...)
}

// local reports whether a host is this machine: the loopback, or the directory of
// a Unix socket.
func local(host string) bool {
	if network, _ := pgconn.NetworkAddress(host, 0); network == "unix" || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// unproven reports whether a server was not given the password, because it asked
// for it in a way that shows it, or did not ask.
func unproven(err error) bool {
	return strings.Contains(err.Error(), "authentication method requirement") // pgx 5.12.0 has no value for it
}

// explainAuth is the one clear line for what is unproven.
func (s *pgStore) explainAuth(err error) error {
	for way, says := range map[string]string{"password": "in clear text", "md5": "by MD5"} {
		if strings.Contains(err.Error(), "requested "+way+" authentication") {
			return fmt.Errorf("%s: it asks for the password %s; it was not sent (require_auth=%s in the URL sends it)", s.where(), says, way)
		}
	}
	return fmt.Errorf("%s: it does not prove that it knows the password, so nothing was asked of it (require_auth=none,scram-sha-256 in the URL allows that)", s.where())
}
