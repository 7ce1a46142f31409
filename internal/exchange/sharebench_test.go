//go:build share

package exchange_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// BenchmarkSyncStore: all sessions to an empty store, again with nothing to do, and
// into an empty home. On PostgreSQL "of-raw" is the speed of the first beside that
// of one copy of all lines into a table of numbers and lines, in the same run, and
// "of-keyed" beside one into such a table whose lines can be found by their number.
func BenchmarkSyncStore(b *testing.B) {
	n, size := benchSize(b)
	ada := newMachine(b, "ada")
	size = corpus(b, ada, n, size)
	for _, kind := range []string{"postgres", "jetstream"} {
		b.Run(kind+"/first", func(b *testing.B) {
			b.SetBytes(size)
			var raw, keyed, took time.Duration
			for b.Loop() {
				b.StopTimer()
				side := stores(b)[kind]()
				ada.state = b.TempDir()
				if kind == "postgres" {
					raw += rawCopy(b, ada, "")
					keyed += rawCopy(b, ada, "primary key")
				}
				b.StartTimer()
				begun := time.Now()
				if rep := ada.mustSync(b, side); rep.Out.Sessions != int64(n) {
					b.Fatalf("%+v", rep)
				}
				took += time.Since(begun)
			}
			if raw > 0 {
				b.ReportMetric(raw.Seconds()/took.Seconds(), "of-raw")
				b.ReportMetric(keyed.Seconds()/took.Seconds(), "of-keyed")
			}
		})
		side := stores(b)[kind]()
		b.Run(kind+"/second", func(b *testing.B) {
			ada.state = b.TempDir()
			ada.mustSync(b, side)
			for b.Loop() {
				if rep := ada.mustSync(b, side); rep.Settled != n {
					b.Fatalf("%+v", rep)
				}
			}
		})
		b.Run(kind+"/in", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				b.StopTimer()
				bob := newMachine(b, "bob")
				b.StartTimer()
				if rep := bob.mustSync(b, side); rep.In.Sessions != int64(n) {
					b.Fatalf("%+v", rep)
				}
			}
		})
	}
}

// rawCopy copies every line of a home into a table, whose numbers are as key says,
// and says how long it took.
func rawCopy(b *testing.B, m *machine, key string) time.Duration {
	b.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pg.URL("postgres"))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `drop table if exists raw; create table raw (seq bigint `+key+`, body bytea compression lz4)`); err != nil {
		b.Fatal(err)
	}
	all := files(b, m.home)
	begun := time.Now()
	seq := int64(0)
	var lines [][]byte
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"raw"}, []string{"seq", "body"}, pgx.CopyFromFunc(func() ([]any, error) {
		for len(lines) == 0 {
			if len(all) == 0 {
				return nil, nil
			}
			lines = split(read(b, all[0]))
			all = all[1:]
		}
		line := lines[0]
		lines = lines[1:]
		seq++
		return []any{seq, line}, nil
	}))
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

func split(data []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// BenchmarkSyncGrown: a session of 10,000 entries, of 1 KB each, that both sides
// had, and ten more on one of them: sent, and received.
func BenchmarkSyncGrown(b *testing.B) {
	for _, kind := range []string{"postgres", "jetstream"} {
		for _, way := range []string{"out", "in"} {
			b.Run(kind+"/"+way, func(b *testing.B) {
				side := stores(b)[kind]()
				ada, bob := newMachine(b, "ada"), newMachine(b, "bob")
				lines, n := []string{header("pi", "s", "/p")}, 0
				next := func() string {
					parent := ""
					if n > 0 {
						parent = fmt.Sprintf("%08x", n)
					}
					n++
					return line(fmt.Sprintf("%08x", n), parent, "01", strings.Repeat(fmt.Sprint("word ", n, " "), 85))
				}
				for range 10_000 {
					lines = append(lines, next())
				}
				path := ada.write(b, "pi", "p", "s.jsonl", text(lines...))
				ada.mustSync(b, side)
				bob.mustSync(b, side)
				grow := func() {
					for range 10 {
						appendTo(b, path, next())
					}
				}
				grow()
				ada.mustSync(b, side)
				bob.mustSync(b, side)
				for b.Loop() {
					b.StopTimer()
					grow()
					if way == "in" {
						ada.mustSync(b, side)
						b.StartTimer()
						bob.mustSync(b, side)
						continue
					}
					b.StartTimer()
					ada.mustSync(b, side)
				}
			})
		}
	}
}
