//go:build share

package jetstream_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/nats-io/nats.go"
	client "github.com/nats-io/nats.go/jetstream"
)

// noise is a line of n bytes that does not compress to nothing.
func noise(r *rand.Rand, n int) []byte {
	line := make([]byte, 0, n)
	for len(line) < n {
		line = append(line, fmt.Sprintf("word%d ", r.IntN(5000))...)
	}
	return line[:n]
}

// filled makes a log of lines of 12 KiB, appended one by one, as an agent does,
// or a MiB at once.
func filled(b *testing.B, s wholeStore, name string, bytes int, single bool) (storage.Log, storage.Mark) {
	b.Helper()
	log, err := s.Open(b.Context(), name, storage.Create)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var mark storage.Mark
	for have := 0; have < bytes; {
		var lines [][]byte
		for size := 0; size < 1<<20 && have < bytes && (!single || size == 0); {
			line := noise(r, 12<<10)
			lines, size, have = append(lines, line), size+len(line), have+len(line)
		}
		if mark, err = log.Append(b.Context(), mark, lines); err != nil {
			b.Fatal(err)
		}
	}
	return log, mark
}

// benches are the servers that are measured: one, one that syncs each append, and
// three. Each bench has a stream of its own.
func benches(b *testing.B, run func(b *testing.B, s wholeStore, url string)) {
	number := 0
	kinds := []struct {
		name    string
		servers int
		config  natstest.Config
	}{
		{"R1", 1, natstest.Config{}},
		{"R1sync", 1, natstest.Config{JetStream: []string{"  sync_interval: always"}}},
		{"R3", 3, natstest.Config{}},
	}
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			servers, err := natstest.Cluster(b.TempDir(), kind.servers, kind.config)
			if err != nil {
				b.Fatal(err)
			}
			var urls []string
			for _, server := range servers {
				start(b, server)
				urls = append(urls, server.URL())
			}
			url := strings.Join(urls, ",")
			number++
			s := openWhenReady(b, url, jetstream.Options{Stream: fmt.Sprintf("B%d", number), Replicas: kind.servers})
			run(b, s, url)
		})
	}
}

// BenchmarkAppend: one line of 600 bytes to logs of several sizes.
func BenchmarkAppend(b *testing.B) {
	benches(b, func(b *testing.B, s wholeStore, _ string) {
		for _, mb := range []int{1, 10, 100} {
			log, mark := filled(b, s, fmt.Sprintf("/p/log%d", mb), mb<<20, false)
			b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
				line := [][]byte{noise(rand.New(rand.NewPCG(3, 4)), 600)}
				var err error
				for b.Loop() {
					if mark, err = log.Append(b.Context(), mark, line); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkAppendAtOnce: 1 and 16 logs, one writer each; and what the server alone
// takes to store a message of that size.
func BenchmarkAppendAtOnce(b *testing.B) {
	benches(b, func(b *testing.B, s wholeStore, url string) {
		line := noise(rand.New(rand.NewPCG(3, 4)), 600)
		for _, writers := range []int{1, 16} {
			run := 0
			b.Run(fmt.Sprint(writers), func(b *testing.B) {
				run++
				logs, marks := make([]storage.Log, writers), make([]storage.Mark, writers)
				for w := range writers {
					logs[w], marks[w] = filled(b, s, fmt.Sprintf("/p%d-%d/log%d", writers, run, w), 1000, false)
				}
				storagetest.AtOnce(b, writers, func(w int) (err error) {
					marks[w], err = logs[w].Append(b.Context(), marks[w], [][]byte{line})
					return err
				})
			})
		}
		bare(b, s, url, line)
	})
}

// bare publishes to a stream of as many replicas as the store's.
func bare(b *testing.B, s wholeStore, url string, line []byte) {
	st, err := s.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	js := admin(b, url)
	if _, err := js.CreateStream(b.Context(), client.StreamConfig{Name: "BARE", Subjects: []string{"bare.>"}, Replicas: st.Replicas}); err != nil {
		b.Fatal(err)
	}
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("bare/%d", writers), func(b *testing.B) {
			storagetest.AtOnce(b, writers, func(w int) error {
				_, err := js.Publish(b.Context(), fmt.Sprintf("bare.%d", w), line)
				return err
			})
		})
	}
}

// BenchmarkRead: a log of 110 MB in lines of 12 KiB, appended one by one or a
// MiB at once, and the messages of the same without Cambium, by the client's
// ordered consumer.
func BenchmarkRead(b *testing.B) {
	benches(b, func(b *testing.B, s wholeStore, url string) {
		for _, single := range []bool{true, false} {
			name := map[bool]string{true: "single", false: "bulk"}[single]
			log, _ := filled(b, s, "/p/"+name, 110<<20, single)
			b.Run(name+"/log", func(b *testing.B) {
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
			b.Run(name+"/raw", func(b *testing.B) {
				subject := fmt.Sprintf("%s.log.>", strings.ToLower(streamName(b, s)))
				if !single {
					subject = bulkSubject(b, s, url)
				}
				for b.Loop() {
					rawRead(b, url, streamName(b, s), subject)
				}
			})
			b.Run(name+"/tail", func(b *testing.B) {
				for b.Loop() {
					if lines, err := log.ReadTail(b.Context(), 1<<20); err != nil || len(lines) < 50 {
						b.Fatal(len(lines), err)
					}
				}
			})
		}
	})
}

// BenchmarkOpen: a session of 110 MB in messages of 12 KB, opened, and its
// messages without Cambium.
func BenchmarkOpen(b *testing.B) {
	benches(b, func(b *testing.B, s wholeStore, url string) {
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
			for b.Loop() {
				rawRead(b, url, streamName(b, s), strings.ToLower(streamName(b, s))+".log.>")
			}
		})
	})
}

// fillSession begins a session of so many bytes.
func fillSession(b *testing.B, s wholeStore, name string, bytes int) {
	b.Helper()
	log, err := s.Open(b.Context(), name, storage.Create)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	mark, err := log.Append(b.Context(), storage.Mark{}, [][]byte{
		[]byte(`{"type":"session","version":3,"id":"0123456789abcdef","timestamp":"2026-01-02T03:04:05.006Z","cwd":"/p"}`),
	})
	if err != nil {
		b.Fatal(err)
	}
	parent := "null"
	for n, have := 1, 0; have < bytes; n++ {
		line := fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"%s","timestamp":1}}`,
			n, parent, noise(r, 12<<10))
		if mark, err = log.Append(b.Context(), mark, [][]byte{line}); err != nil {
			b.Fatal(err)
		}
		parent, have = fmt.Sprintf(`"%08x"`, n), have+len(line)
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
}

func streamName(b *testing.B, s wholeStore) string {
	st, err := s.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return st.Stream
}

// bulkSubject is the subject of the log that was written last.
func bulkSubject(b *testing.B, s wholeStore, url string) string {
	stream, err := admin(b, url).Stream(b.Context(), streamName(b, s))
	if err != nil {
		b.Fatal(err)
	}
	m, err := stream.GetLastMsgForSubject(b.Context(), strings.ToLower(streamName(b, s))+".log.>")
	if err != nil {
		b.Fatal(err)
	}
	return m.Subject
}

// rawRead reads all messages of a subject and counts their bytes.
func rawRead(b *testing.B, url, stream, subject string) {
	nc, err := nats.Connect(url)
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	js, err := client.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	consumer, err := js.OrderedConsumer(b.Context(), stream, client.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		b.Fatal(err)
	}
	left, bytes := int64(consumer.CachedInfo().NumPending), 0
	done := make(chan struct{})
	messages, err := consumer.Consume(func(m client.Msg) {
		bytes += len(m.Data())
		if left--; left == 0 {
			close(done)
		}
	}, client.PullMaxBytes(16<<20))
	if err != nil {
		b.Fatal(err)
	}
	<-done
	messages.Stop()
	b.SetBytes(int64(bytes))
}

// BenchmarkList: a directory of 10,000 sessions, listed for the first time by a
// client and again.
func BenchmarkList(b *testing.B) {
	s := open(b, shared.URL(), jetstream.Options{Stream: "LISTED"})
	for i := range 10_000 {
		log, err := s.Open(b.Context(), fmt.Sprintf("/p/session-%05d", i), storage.Create)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := log.Append(b.Context(), storage.Mark{}, [][]byte{noise(rand.New(rand.NewPCG(3, 4)), 600)}); err != nil {
			b.Fatal(err)
		}
	}
	list := func(b *testing.B, s wholeStore) {
		n := 0
		for _, err := range s.List(b.Context(), "/p") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatalf("%d are listed", n)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			fresh, err := opened(jetstream.Open(b.Context(), shared.URL(), jetstream.Options{Stream: "LISTED"}))
			if err != nil {
				b.Fatal(err)
			}
			list(b, fresh)
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			list(b, s)
		}
	})
}
