//go:build share

package postgres_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/certtest"
	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// tlsServer starts a server that speaks TLS only, with a certificate for a host,
// and returns the file of the authority.
func tlsServer(t *testing.T, host string) (s *pgtest.Server, ca string) {
	t.Helper()
	a, err := certtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := a.Sign("server", host)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = pgtest.New(shortDir(t), "fsync = off"); err == nil {
		err = s.TLS(cert, key)
	}
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, a.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	return s, ca
}

// TestTLS: a server that speaks TLS is used as any other, by appends, by what
// replaces and by followers; what cannot be trusted is one clear line.
func TestTLS(t *testing.T) {
	server, ca := tlsServer(t, "127.0.0.1")
	_, other := tlsServer(t, "127.0.0.1")
	misnamed, misca := tlsServer(t, "example.org")
	with := func(s *pgtest.Server, mode string) string {
		return strings.Replace(s.URL("postgres"), "sslmode=require", "sslmode="+mode, 1)
	}
	s := open(t, with(server, "verify-full")+"&sslrootcert="+ca, postgres.Options{})
	log, mark := started(t, s)
	reader, err := s.Open(t.Context(), "/p/log", storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan storage.Mark)
	go func() {
		for m, err := range powers.Watch(t.Context(), reader, mark, 0) {
			if err != nil {
				t.Errorf("watch: %v", err)
			}
			heard <- m
			return
		}
	}()
	if mark, err = appendAny(t.Context(), log, mark, "over TLS"); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != mark {
		t.Errorf("heard of %v, want %v", got, mark)
	}
	if _, err = log.Replace(t.Context(), mark, upper); err != nil {
		t.Error(err)
	}
	if err := server.Exec("postgres", `do $$ begin
		if exists (select from pg_stat_activity a left join pg_stat_ssl s using (pid)
			where a.application_name = 'cambium' and not coalesce(s.ssl, false))
		then raise 'a connection is not encrypted'; end if; end $$`); err != nil {
		t.Error(err)
	}

	for _, test := range []struct{ name, url, say string }{
		{"another authority", with(server, "verify-full") + "&sslrootcert=" + other, "its certificate is not to be trusted: certificate signed by unknown authority"},
		{"no authority", with(server, "verify-full"), "sslrootcert=FILE"},
		{"another host", with(misnamed, "verify-full") + "&sslrootcert=" + misca, "cannot validate certificate for 127.0.0.1"},
		{"without TLS", with(server, "disable"), "it takes no connection without TLS"},
		{"a server without", strings.Replace(shared.URL("postgres"), "disable", "verify-full", 1) + "&sslrootcert=" + ca, "it does not speak TLS"},
		{"no such file", with(server, "verify-full") + "&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem"},
		{"a file of something else", with(server, "verify-full") + "&sslrootcert=/etc/hostname", "/etc/hostname"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), test.url, postgres.Options{})
			if err == nil {
				t.Fatal("it was opened")
			}
			text := err.Error()
			t.Log(text)
			if !strings.Contains(text, test.say) || strings.Contains(text, "s3cret") || strings.Contains(text, "\n") {
				t.Errorf("got %q, want %q in one line without the password", text, test.say)
			}
		})
	}
	// By name alone, whoever it is: less, and said to be so.
	open(t, with(misnamed, "verify-ca")+"&sslrootcert="+misca, postgres.Options{})
	open(t, with(misnamed, "require"), postgres.Options{})
}
