//go:build share

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/nats-io/nats.go"
	client "github.com/nats-io/nats.go/jetstream"
)

// shared is the server that the tests have together, each in a stream of its
// own.
var shared *natstest.Server

func TestMain(m *testing.M) {
	if name := os.Getenv("CAMBIUM_TEST_CHILD"); name != "" {
		os.Exit(child(name))
	}
	os.Exit(withServer(m.Run))
}

func withServer(run func() int) int {
	dir, err := os.MkdirTemp("", "cambium-js-")
	if err == nil {
		defer os.RemoveAll(dir)
		shared, err = natstest.New(dir, natstest.Config{})
	}
	if err == nil {
		err = shared.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := run()
	if err := shared.Kill(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// newServer starts a server for one test, which may do with it what it likes.
func newServer(t testing.TB, c natstest.Config) *natstest.Server {
	t.Helper()
	s, err := natstest.New(t.TempDir(), c)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s)
	return s
}

// newCluster starts three servers.
func newCluster(t testing.TB, c natstest.Config) []*natstest.Server {
	t.Helper()
	list, err := natstest.Cluster(t.TempDir(), 3, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		start(t, s)
	}
	return list
}

func start(t testing.TB, s *natstest.Server) {
	t.Helper()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Error(err)
		}
	})
}

// streamOf is a stream's name made of a test's, on the shared server. It is gone
// when the test has ended.
func streamOf(t testing.TB) string {
	t.Helper()
	name := nameOf(t)
	t.Cleanup(func() {
		nc, err := nats.Connect(shared.URL())
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		js, err := client.New(nc)
		if err != nil {
			t.Error(err)
			return
		}
		for _, stream := range []string{name, "KV_" + name + "_LEASES", "OBJ_" + name + "_BLOBS"} {
			if err := js.DeleteStream(context.Background(), stream); err != nil && !errors.Is(err, client.ErrStreamNotFound) {
				t.Error(err)
			}
		}
	})
	return name
}

// nameOf makes a stream's name of a test's.
func nameOf(t testing.TB) string {
	var b strings.Builder
	for _, c := range t.Name() {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		}
	}
	name := b.String()
	return "T" + name[max(0, len(name)-31):]
}

// open opens a store that the test closes.
func open(t testing.TB, url string, opt jetstream.Options) wholeStore {
	t.Helper()
	s, err := opened(jetstream.Open(t.Context(), url, opt))
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
