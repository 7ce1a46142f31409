//go:build share

package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/jackc/pgx/v5"
)

// noise is a line of n bytes that does not compress to nothing.
func noise(r *rand.Rand, n int) []byte {
	line := make([]byte, 0, n)
	for len(line) < n {
		line = append(line, fmt.Sprintf("word%d ", r.IntN(5000))...)
	}
	return line[:n]
}

func filled(b *testing.B, s wholeStore, name string, bytes int) (storage.Log, storage.Mark) {
	b.Helper()
	log, err := s.Open(b.Context(), name, storage.Create)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var mark storage.Mark
	for have := 0; have < bytes; {
		var lines [][]byte
		for size := 0; size < 1<<20 && have < bytes; {
			line := noise(r, 12<<10)
			lines, size, have = append(lines, line), size+len(line), have+len(line)
		}
		if mark, err = log.Append(b.Context(), mark, lines); err != nil {
			b.Fatal(err)
		}
	}
	return log, mark
}

// fillSession begins a session of so many bytes: messages of 12 KB.
func fillSession(b *testing.B, s wholeStore, name string, bytes int) {
	b.Helper()
	log, err := s.Open(b.Context(), name, storage.Create)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	lines := [][]byte{[]byte(`{"type":"session","version":3,"id":"0123456789abcdef","timestamp":"2026-01-02T03:04:05.006Z","cwd":"/p"}`)}
	var mark storage.Mark
	for n, have := 0, 0; have < bytes; n++ {
		line := fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"%s","timestamp":1}}`,
			n+1, n, noise(r, 12<<10))
		if n == 0 {
			line = []byte(strings.Replace(string(line), `"00000000"`, "null", 1))
		}
		lines, have = append(lines, line), have+len(line)
		if len(lines) == 100 || have >= bytes {
			if mark, err = log.Append(b.Context(), mark, lines); err != nil {
				b.Fatal(err)
			}
			lines = nil
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchStore(b *testing.B, schema string) wholeStore {
	b.Helper()
	s, err := opened(postgres.Open(b.Context(), shared.URL("postgres"), postgres.Options{Schema: schema, MaxConns: 20}))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = s.Close()
		if err := shared.Exec("postgres", "drop schema "+schema+" cascade"); err != nil {
			b.Error(err)
		}
	})
	return s
}

// BenchmarkAppend: one line of 600 bytes to logs of several sizes.
func BenchmarkAppend(b *testing.B) {
	for _, mb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			s := benchStore(b, "b")
			log, mark := filled(b, s, "/p/log", mb<<20)
			line := [][]byte{noise(rand.New(rand.NewPCG(3, 4)), 600)}
			var err error
			for b.Loop() {
				if mark, err = log.Append(b.Context(), mark, line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOneText: one line of 600 bytes to a session that is one text, as omp
// keeps it in a database: the column is written again with each append.
func BenchmarkOneText(b *testing.B) {
	for _, mb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			conn, err := pgx.Connect(b.Context(), shared.URL("postgres"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = conn.Close(context.Background()) })
			r := rand.New(rand.NewPCG(1, 2))
			if _, err := conn.Exec(b.Context(), `drop table if exists one_text;
				create table one_text (path text primary key, content text not null, mtime bigint not null)`); err != nil {
				b.Fatal(err)
			}
			if _, err := conn.Exec(b.Context(), `insert into one_text values ('/p/log', $1, 0)`, string(noise(r, mb<<20))); err != nil {
				b.Fatal(err)
			}
			line := string(noise(r, 600))
			for b.Loop() {
				if _, err := conn.Exec(b.Context(), `insert into one_text (path, content, mtime) values ('/p/log', $1, 1)
					on conflict (path) do update set content = one_text.content || excluded.content, mtime = excluded.mtime`, line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendAtOnce: 16 logs, one writer each; and what the server alone
// takes to commit a row of that size, on connections that are there.
func BenchmarkAppendAtOnce(b *testing.B) {
	line := noise(rand.New(rand.NewPCG(3, 4)), 600)
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			s := benchStore(b, "b")
			logs, marks := make([]storage.Log, writers), make([]storage.Mark, writers)
			for w := range writers {
				logs[w], marks[w] = filled(b, s, fmt.Sprintf("/p%d/log", w), 1000)
			}
			storagetest.AtOnce(b, writers, func(w int) (err error) {
				marks[w], err = logs[w].Append(b.Context(), marks[w], [][]byte{line})
				return err
			})
		})
	}
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("bare/%d", writers), func(b *testing.B) {
			if err := shared.Exec("postgres", "drop table if exists bare; create table bare (body bytea)"); err != nil {
				b.Fatal(err)
			}
			conns := make([]*pgx.Conn, writers)
			for w := range conns {
				conn, err := pgx.Connect(b.Context(), shared.URL("postgres"))
				if err == nil {
					b.Cleanup(func() { _ = conn.Close(context.Background()) })
					_, err = conn.Exec(b.Context(), "insert into bare values ($1)", line)
				}
				if err != nil {
					b.Fatal(err)
				}
				conns[w] = conn
			}
			storagetest.AtOnce(b, writers, func(w int) error {
				_, err := conns[w].Exec(b.Context(), "insert into bare values ($1)", line)
				return err
			})
		})
	}
}

// BenchmarkRead: all of a log of 110 MB, beside the rows read raw.
func BenchmarkRead(b *testing.B) {
	s := benchStore(b, "b")
	log, _ := filled(b, s, "/p/log", 110<<20)
	b.Run("log", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for line, err := range log.Read(b.Context(), storage.Mark{}) {
				if err != nil {
					b.Fatal(err)
				}
				n += len(line.Bytes)
			}
			b.SetBytes(int64(n))
		}
	})
	const name = "/.cambium/agent/sessions/--p--/2026-01-02T03-04-05-006Z_0123456789abcdef.jsonl"
	fillSession(b, s, name, 110<<20)
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			one, err := session.Open(b.Context(), name, session.Options{
				Store: s, Blobs: s.Blobs(), ReadOnly: true, Env: layout.Env{Home: "/"},
			})
			if err != nil {
				b.Fatal(err)
			}
			if err := one.Close(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(110 << 20)
		}
	})
	b.Run("raw", func(b *testing.B) {
		conn, err := pgx.Connect(b.Context(), shared.URL("postgres"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			rows, err := conn.Query(b.Context(), "select body from b.lines where gen = (select gen from b.heads where base = 'log') order by seq")
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for rows.Next() {
				n += len(rows.RawValues()[0])
			}
			if rows.Err() != nil {
				b.Fatal(rows.Err())
			}
			b.SetBytes(int64(n))
		}
	})
}

// BenchmarkList: 10,000 logs in a directory.
func BenchmarkList(b *testing.B) {
	s := benchStore(b, "b")
	filled(b, s, "/p/log", 1000)
	if err := shared.Exec("postgres", `insert into b.heads (dir, base, id, project, gen, lines, bytes, token)
		select '/p', 'session-' || i, nextval('b.numbers'), 1, nextval('b.numbers'), 10, 1000, i
		from generate_series(1, 10000) as i; analyze b.heads`); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		for _, err := range s.List(b.Context(), "/p") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 10001 {
			b.Fatal(n)
		}
	}
}
