//go:build share

package postgres_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// shared is the server that the tests have together, each in a schema of its
// own.
var shared *pgtest.Server

func TestMain(m *testing.M) {
	if name := os.Getenv("CAMBIUM_TEST_CHILD"); name != "" {
		os.Exit(child(name))
	}
	flag.Parse()
	os.Exit(withServer(m.Run))
}

func withServer(run func() int) int {
	dir, err := os.MkdirTemp("/tmp", "cambium-pg-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		// Tests need not survive a power cut; what is measured is durable.
		durable := "fsync = off"
		if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
			durable = "fsync = on"
		}
		shared, err = pgtest.New(dir+"/s", durable)
	}
	if err == nil {
		err = shared.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := run()
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// newServer starts a server for one test, which may do with it what it likes.
func newServer(t *testing.T, settings ...string) *pgtest.Server {
	t.Helper()
	s, err := pgtest.New(shortDir(t), settings...)
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
	return s
}

// shortDir is a temporary directory with a name short enough for a socket, that
// other users may enter.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cambium-pg-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir + "/s"
}

// schemaOf is a schema's name made of a test's, in the shared server. It is gone
// when the test has ended.
func schemaOf(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, c := range strings.ToLower(t.Name()) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		}
	}
	name := b.String()
	name = "t" + name[max(0, len(name)-39):]
	t.Cleanup(func() {
		if err := shared.Exec("postgres", "drop schema if exists "+name+" cascade"); err != nil {
			t.Error(err)
		}
	})
	return name
}

// open opens a store that the test closes.
func open(t *testing.T, url string, opt postgres.Options) wholeStore {
	t.Helper()
	s, err := opened(postgres.Open(t.Context(), url, opt))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
