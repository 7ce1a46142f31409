//go:build share

package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/jackc/pgx/v5"
)

// pooled starts a pooler with three connections before a server, so that every
// client that does anything has the connection that another one had.
func pooled(t *testing.T, s *pgtest.Server, mode string) *pgtest.Pooler {
	t.Helper()
	p, err := s.Pooler(shortDir(t), mode, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestPoolerStore: through a pooler the store does all that a store does.
func TestPoolerStore(t *testing.T) {
	p := pooled(t, shared, "transaction")
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		return storagetest.Fixture{
			Store: open(t, p.URL("postgres"), postgres.Options{Schema: schemaOf(t)}), Dir: "/logs",
		}
	})
}

// TestPoolerManyOpen: programs that begin at once make the tables once, through
// the pooler and beside it.
func TestPoolerManyOpen(t *testing.T) {
	p := pooled(t, shared, "transaction")
	schema := schemaOf(t)
	errs := make(chan error)
	urls := []string{p.URL("postgres"), shared.URL("postgres"), p.URL("postgres"), p.URL("postgres")}
	for _, url := range urls {
		go func() {
			s, err := opened(postgres.Open(t.Context(), url, postgres.Options{Schema: schema}))
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range urls {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if err := shared.Exec("postgres", `do $$ begin
		if exists (select from pg_locks where locktype = 'advisory') then raise 'a lock is left'; end if; end $$`); err != nil {
		t.Error(err)
	}
}

// TestPoolerFollow: who follows through a pooler hears of what is appended through
// it and beside it, and who follows beside it of what is appended through it.
func TestPoolerFollow(t *testing.T) {
	p := pooled(t, shared, "transaction")
	schema := schemaOf(t)
	through := open(t, p.URL("postgres"), postgres.Options{Schema: schema})
	beside := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	log, mark := started(t, through)
	for _, reading := range []wholeStore{through, beside} {
		reader, err := reading.Open(t.Context(), "/p/log", storage.Read)
		if err != nil {
			t.Fatal(err)
		}
		marks := make(chan storage.Mark)
		go func() {
			for m, err := range powers.Watch(t.Context(), reader, mark, 0) {
				if err != nil {
					t.Errorf("watch: %v", err)
				}
				select {
				case marks <- m:
				case <-t.Context().Done():
				}
			}
		}()
		for range 3 {
			if mark, err = appendAny(t.Context(), log, mark, "more"); err != nil {
				t.Fatal(err)
			}
			if got := <-marks; got != mark {
				t.Errorf("watch gave %v, want %v", got, mark)
			}
		}
	}
}

// TestPoolerLeases: a lease is seen by others, is renewed over whatever connection
// there is, and may be taken over.
func TestPoolerLeases(t *testing.T) {
	p := pooled(t, shared, "transaction")
	schema := schemaOf(t)
	one := open(t, p.URL("postgres"), postgres.Options{Schema: schema, LeaseFor: time.Second})
	two := open(t, p.URL("postgres"), postgres.Options{Schema: schema, LeaseFor: time.Second})
	started(t, one)
	held, err := one.Lease(t.Context(), "/p/log", storage.Holder{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 2*time.Second; { // longer than it lasts without renewal
		list, err := two.Holders(t.Context(), "/p/log")
		if err != nil || len(list) != 1 || list[0].ID != "one" {
			t.Fatalf("held by %v, %v", list, err)
		}
	}
	if _, err := two.TakeOver(t.Context(), "/p/log", storage.Holder{ID: "two"}); err != nil {
		t.Fatal(err)
	}
	<-held.Lost()
}

// TestPoolerKilled: the pooler, then the server behind it, is killed while several
// write, and started again.
func TestPoolerKilled(t *testing.T) {
	server := newServer(t)
	p := pooled(t, server, "transaction")
	const schema = "s"
	s := open(t, p.URL("postgres"), postgres.Options{Schema: schema, Patience: 300 * time.Millisecond})
	log, mark := started(t, s)
	stop := make(chan struct{})
	acked := map[string]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, who := range []string{"a", "b", "c", "d"} {
		mine, err := s.Open(t.Context(), "/p/log", storage.Write)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			n := writeOn(t, mine, mark, who, stop)
			mu.Lock()
			acked[who] = n
			mu.Unlock()
		})
	}
	for range 3 {
		waitLines(t, log, 100)
		if err := errors.Join(p.Kill(), p.Start()); err != nil {
			t.Fatal(err)
		}
		waitLines(t, log, 100)
		if err := errors.Join(server.Kill(), server.Start()); err != nil {
			t.Fatal(err)
		}
	}
	waitLines(t, log, 100)
	close(stop)
	group.Wait()
	check(t, server.URL("postgres"), schema, acked)
	t.Logf("acknowledged: %v", acked)
}

// TestPoolerSessions: one that gives a connection for as long as a client has it
// does as well.
func TestPoolerSessions(t *testing.T) {
	p := pooled(t, shared, "session")
	s := open(t, p.URL("postgres"), postgres.Options{Schema: schemaOf(t), MaxConns: 2})
	log, mark := started(t, s)
	if _, err := log.Replace(t.Context(), mark, upper); err != nil {
		t.Error(err)
	}
}

// TestPoolerRefused: what is wrong with a pooler, or what it says is wrong, is one
// clear line.
func TestPoolerRefused(t *testing.T) {
	server := newServer(t)
	p := pooled(t, server, "transaction")
	narrow, err := server.Pooler(shortDir(t), "transaction", 1, "max_client_conn = 1")
	if err == nil {
		t.Cleanup(func() { _ = narrow.Kill() })
	} else {
		t.Fatal(err)
	}
	var only *pgx.Conn
	for only == nil { // the one that asked whether it runs is being given back
		if only, err = pgx.Connect(t.Context(), narrow.URL("postgres")); err != nil && t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	defer only.Close(t.Context())
	statement, err := server.Pooler(shortDir(t), "statement", 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = statement.Kill() })
	for _, test := range []struct {
		name, url, say string
		is             error
	}{
		{"wrong password", strings.Replace(p.URL("postgres"), "s3cret", "hidden", 1), "password", postgres.ErrRefused},
		{"no database", p.URL("none"), "none", nil},
		{"a parameter", p.URL("postgres") + "&default_transaction_read_only=on", "default_transaction_read_only", nil},
		{"too many", narrow.URL("postgres"), "no more connections", postgres.ErrAway},
		{"a statement at a time", statement.URL("postgres") + "&schema=statement", "transaction blocks not allowed in statement pooling mode", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), test.url, postgres.Options{})
			if err == nil {
				t.Fatal("it was opened")
			}
			text := err.Error()
			t.Log(text)
			if test.is != nil && !errors.Is(err, test.is) || test.is == nil && errors.Is(err, postgres.ErrAway) {
				t.Errorf("got %v, want %v", err, test.is)
			}
			if !strings.Contains(text, test.say) || strings.Contains(text, "hidden") || strings.Contains(text, "\n") {
				t.Errorf("got %q, want %q in one line without the password", text, test.say)
			}
		})
	}
}
