//go:build unix

package pgtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// TLS has a server that does not run yet speak nothing but TLS over TCP, with a
// certificate and its key, in PEM. Its URL is one that does not check it.
func (s *Server) TLS(cert, key []byte) error {
	for name, data := range map[string][]byte{"server.crt": cert, "server.key": key} {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		if err := ownFile(path); err != nil {
			return err
		}
	}
	hba := filepath.Join(s.data(), "pg_hba.conf")
	rules, err := os.ReadFile(hba)
	if err != nil {
		return err
	}
	lines := strings.Split(string(rules), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "host ") {
			lines[i] = "hostssl " + strings.TrimPrefix(line, "host ")
		}
	}
	if err := os.WriteFile(hba, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("ssl = on\n")
	s.ssl = "require"
	return errors.Join(err, f.Close())
}
