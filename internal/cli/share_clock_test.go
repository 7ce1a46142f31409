//go:build share

package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// brief opens a store whose leases last no longer than they must.
func brief(t *testing.T, url string) (storage.Store, func() error) {
	t.Helper()
	if strings.HasPrefix(url, "nats") {
		s, err := jetstream.Open(t.Context(), url, jetstream.Options{LeaseFor: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return s, s.Close
	}
	s, err := postgres.Open(t.Context(), url, postgres.Options{LeaseFor: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.Close
}

// TestShareClocks: machines whose clocks are hours apart, both ways, agree on who
// has a session open, since when, in which order, and when that ends: all is by the
// server's clock.
func TestShareClocks(t *testing.T) { eachStore(t, testShareClocks) }

func testShareClocks(t *testing.T, url string) {
	began := time.Now().Add(-time.Second)
	type machine struct {
		host  string
		apart time.Duration
		store storage.Store
		close func() error
		s     *session.Session
	}
	machines := []*machine{
		{host: "ahead", apart: 2 * time.Hour}, {host: "right"}, {host: "behind", apart: -47 * time.Minute},
		{host: "far behind", apart: -40 * 24 * time.Hour},
	}
	options := func(m *machine) session.Options {
		return session.Options{
			Store: m.store, Env: layout.Env{Home: "/"}, FirstWrite: session.Immediately, Dialect: "pi",
			Now:    func() time.Time { return time.Now().Add(m.apart) },
			Holder: storage.Holder{Host: m.host, PID: 1},
		}
	}
	var path string
	for i, m := range machines {
		m.store, m.close = brief(t, url)
		var err error
		if i == 0 {
			m.s, err = session.Create(t.Context(), "/work", options(m))
		} else {
			m.s, err = session.Open(t.Context(), path, options(m))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.s.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":"said on ` + m.host + `","timestamp":1767323998000}`)}); err != nil {
			t.Fatal(err)
		}
		path = m.s.Path()
	}
	hosts := func(m *machine) string {
		t.Helper()
		list, _, err := powers.Holders(t.Context(), m.store, path)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, h := range list {
			all = append(all, h.Host)
			if h.Since.Before(began) || h.Since.After(time.Now().Add(time.Second)) {
				t.Errorf("%s is told that %s has it since %v", m.host, h.Host, h.Since)
			}
		}
		return strings.Join(all, ", ")
	}
	// Each lease is renewed meanwhile, whatever its holder's clock says.
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		for _, m := range machines {
			if got := hosts(m); got != "ahead, right, behind, far behind" {
				t.Fatalf("%s is told that %s have it", m.host, got)
			}
		}
	}
	// The store of one is closed under its session, as if the machine had died: its
	// lease is there until the server lets it end, and then for nobody.
	dead := machines[0]
	if err := dead.close(); err != nil {
		t.Fatal(err)
	}
	if got := hosts(machines[3]); !strings.HasPrefix(got, "ahead") {
		t.Errorf("just after it died %s have it", got)
	}
	for hosts(machines[1]) != "right, behind, far behind" {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s have it", hosts(machines[1]))
		}
	}
	for _, m := range machines[1:] {
		if got := hosts(m); got != "right, behind, far behind" {
			t.Errorf("%s is told that %s have it", m.host, got)
		}
	}
	// One takes it over from those whose clocks say that they had it for long, or not yet.
	late, closeLate := brief(t, url)
	taking := options(&machine{host: "taker", apart: -time.Hour, store: late})
	taking.TakeOver = true
	taker, err := session.Open(t.Context(), path, taking)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := taker.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":"taken","timestamp":1767323998000}`)}); err != nil {
		t.Fatal(err)
	}
	if got := hosts(machines[1]); got != "taker" {
		t.Errorf("after it was taken over %s have it", got)
	}
	for _, s := range []*session.Session{taker, machines[1].s, machines[2].s, machines[3].s} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, end := range []func() error{closeLate, machines[1].close, machines[2].close, machines[3].close} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}
