//go:build share

package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/google/go-cmp/cmp"
)

// The servers that the tests have together.
var (
	pg *pgtest.Server
	js *natstest.Server
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the heap is small, the garbage is much
	os.Exit(withServers(m.Run))
}

func withServers(run func() int) int {
	dir, err := os.MkdirTemp("/tmp", "cambium-un-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		pg, err = pgtest.New(dir+"/s", "fsync = off", "max_wal_size = '4GB'", "shared_buffers = '128MB'")
	}
	if err == nil {
		err = pg.Start()
	}
	if err == nil {
		js, err = natstest.New(dir+"/n", natstest.Config{})
	}
	if err == nil {
		err = js.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := run()
	if err := errors.Join(pg.Stop(), js.Kill()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// stores opens a store of each kind that is a test's own.
func stores(t testing.TB) map[string]func() exchange.Side {
	name := "u" + fmt.Sprintf("%08x", rand.Uint32())
	t.Cleanup(func() {
		if err := pg.Exec("postgres", "drop schema if exists "+name+" cascade"); err != nil {
			t.Error(err)
		}
	})
	return map[string]func() exchange.Side{
		"postgres": func() exchange.Side {
			s, err := postgres.Open(context.Background(), pg.URL("postgres"), postgres.Options{Schema: name})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return exchange.Shared("pg "+name, s, s.Blobs())
		},
		"jetstream": func() exchange.Side {
			s, err := jetstream.Open(context.Background(), js.URL(), jetstream.Options{Stream: strings.ToUpper(name)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return exchange.Shared("js "+name, s, s.Blobs())
		},
	}
}

// TestShareEveryDialect: sessions of every dialect, clean and wild, of every
// version go out and come in on another home as they were.
func TestShareEveryDialect(t *testing.T) {
	for kind, open := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
			from := make(map[string]string) // paths, by their last part
			for _, d := range sessiongen.Dialects() {
				for seed := range uint64(9) {
					o := sessiongen.Options{Dialect: d, Clean: seed%2 == 0, Version: 1 + int(seed)%3}
					g := sessiongen.Random(rand.New(rand.NewPCG(seed, uint64(len(d)))), o)
					base := fmt.Sprintf("2026-01-01T00-00-00-000Z_%s-%d.jsonl", d, seed)
					from[base] = ada.write(t, string(d), "p", base, g.Bytes)
				}
			}
			side := open()
			ada.mustSync(t, side)
			bob.mustSync(t, side)
			got := files(t, bob.home)
			if len(got) != len(from) {
				t.Fatalf("%d sessions came, want %d", len(got), len(from))
			}
			for _, path := range got {
				// An entry whose parent is nowhere may have got one.
				was := linked(t, from[filepath.Base(path)], ada)
				if diff := cmp.Diff(was, linked(t, path, bob)); diff != "" {
					t.Errorf("%s: entries differ (-here +there):\n%s", path, diff)
				}
			}
			for _, m := range []*machine{ada, bob} {
				before := stamps(t, m.home, m.state)
				if rep := m.mustSync(t, side); rep.Settled != len(from) || rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
					t.Errorf("second sync: %+v", rep)
				}
				if diff := cmp.Diff(before, stamps(t, m.home, m.state)); diff != "" {
					t.Errorf("a second sync wrote\n%s", diff)
				}
			}
		})
	}
}

// TestShareArtifacts: what lies beside a session goes out and comes in.
func TestShareArtifacts(t *testing.T) {
	for kind, open := range stores(t) {
		t.Run(kind, func(t *testing.T) { throughArtifacts(t, open()) })
	}
}

// TestShareAtOnce: machines that write and sync at the same time lose nothing,
// have nothing twice, and agree in the end.
func TestShareAtOnce(t *testing.T) {
	for kind, open := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			var machines []*machine
			var sides []exchange.Side
			for i := range 3 {
				m := newMachine(t, fmt.Sprint("m", i))
				m.write(t, "pi", "p", "s.jsonl", text(header("pi", "s", m.home+"/p"), line("00000001", "", "01", "one")))
				machines, sides = append(machines, m), append(sides, open())
			}
			var wait sync.WaitGroup
			for i, m := range machines {
				wait.Go(func() {
					for n := range 12 {
						add(t, m, only(t, m.home), fmt.Sprintf("%d of %d", n, i))
						if _, failed, err := m.sync(sides[i], exchange.Options{}); err != nil || len(failed) > 0 {
							t.Errorf("machine %d: %v, %v", i, err, failed)
						}
					}
				})
			}
			wait.Wait()
			for range 2 {
				for i, m := range machines {
					m.mustSync(t, sides[i])
				}
			}
			want := stateOf(t, only(t, machines[0].home), machines[0])
			for i, m := range machines {
				data := string(read(t, only(t, m.home)))
				for j := range machines {
					for n := range 12 {
						if c := strings.Count(data, fmt.Sprintf(`"%d of %d"`, n, j)); c != 1 {
							t.Errorf("machine %d has entry %d of %d %d times", i, n, j, c)
						}
					}
				}
				if diff := cmp.Diff(want, stateOf(t, only(t, m.home), m)); diff != "" {
					t.Errorf("machine %d is not as machine 0:\n%s", i, diff)
				}
			}
		})
	}
}

// TestShareServerKilled: a sync whose server is killed ends with one line, and the
// next one does the rest.
func TestShareServerKilled(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "cambium-uk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	server, err := pgtest.New(dir + "/s")
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	store, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	side := exchange.Shared("killed", store, store.Blobs())
	ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
	corpus(t, ada, 40, 4<<20)
	for round := range 4 {
		var once sync.Once
		_, _, err := ada.sync(side, exchange.Options{Progress: func(done, total int64) {
			if done > total/10 {
				once.Do(func() {
					if err := server.Kill(); err != nil {
						t.Error(err)
					}
				})
			}
		}})
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("round %d: %v, want one line", round, err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	ada.mustSync(t, side)
	bob.mustSync(t, side)
	same(t, ada, bob)
}

// same checks that two homes have the same entries.
func same(t testing.TB, a, b *machine) {
	t.Helper()
	all := files(t, a.home)
	if n := len(files(t, b.home)); n != len(all) {
		t.Fatalf("%d sessions, want %d", n, len(all))
	}
	have := make(map[string]string)
	for _, path := range files(t, b.home) {
		have[ident.FileID(filepath.Base(path))] = path
	}
	for _, path := range all {
		if diff := cmp.Diff(entries(t, read(t, path)), entries(t, read(t, have[ident.FileID(filepath.Base(path))]))); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
