//go:build share

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/jackc/pgx/v5"
)

// TestTurns: with one connection many writers get on, each in its turn; who no
// longer waits for it leaves it to the others.
func TestTurns(t *testing.T) {
	schema := schemaOf(t)
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schema, MaxConns: 1})
	log, mark := started(t, s)
	done := make(chan error)
	for w := range 16 {
		go func() {
			mine, err := s.Open(t.Context(), fmt.Sprintf("/p/log%d", w), storage.Create)
			var at storage.Mark
			for n := 0; n < 10 && err == nil; n++ {
				at, err = mine.Append(t.Context(), at, [][]byte{fmt.Appendf(nil, "%d", n)})
			}
			done <- err
		}()
	}
	for range 16 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}

	other, err := pgx.Connect(t.Context(), shared.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), "begin; lock table "+schema+".heads in share mode"); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := log.Append(t.Context(), mark, [][]byte{[]byte("late")})
		done <- err
	}()
	if err := shared.Exec("postgres", `do $$ begin
		while not exists (select from pg_locks where not granted) loop perform pg_sleep(0.01); end loop; end $$`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := s.Stat(ctx, "/p/log")
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("who was called off: %v", err)
	}
	if _, err := other.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if info, err := s.Stat(t.Context(), "/p/log"); err != nil || info.Size != int64(len("start\nlate\n")) {
		t.Errorf("it has %d bytes, %v", info.Size, err)
	}
}
