package serve

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A certificate is read from two files, and again when one of them changes.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu   sync.Mutex
	seen [2]vfs.Info      // guarded by mu: the files that were tried last
	now  *tls.Certificate // guarded by mu: the last one that was good
}

// config returns how connections are encrypted. The error is that of files that
// cannot be used.
func (c *certificate) config() (*tls.Config, error) {
	if _, err := c.current(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current()
		},
	}, nil
}

// current returns the certificate. One that was changed into something unusable
// leaves the one before in use: the two files are seldom replaced at once.
func (c *certificate) current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var seen [2]vfs.Info
	for i, path := range []string{c.cert, c.key} {
		seen[i], _ = vfs.OS().Stat(path) // reading says what is wrong
	}
	if c.now != nil && seen == c.seen {
		return c.now, nil
	}
	c.seen = seen
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	switch {
	case err == nil:
		if c.now != nil {
			c.log.Info("certificate read again", "file", c.cert)
		}
		c.now = &pair
	case c.now == nil:
		return nil, fmt.Errorf("read certificate %q with key %q: %w", c.cert, c.key, err)
	default:
		c.log.Warn("certificate not read again", "file", c.cert, "error", err)
	}
	return c.now, nil
}
