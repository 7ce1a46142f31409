//go:build share

package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/nats-io/nats.go"
	client "github.com/nats-io/nats.go/jetstream"
)

// admin is a client of the server's own kind.
func admin(t testing.TB, url string) client.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := client.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func streams(t testing.TB, js client.JetStream) (names []string) {
	t.Helper()
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	return names
}

func TestRefused(t *testing.T) {
	plain := newServer(t, natstest.Config{NoJetStream: true})
	small := newServer(t, natstest.Config{Lines: []string{"max_payload: 32KB"}})
	syncing := newServer(t, natstest.Config{JetStream: []string{"  sync_interval: always"}})
	monitor := func(s *natstest.Server) string { return fmt.Sprintf("&monitor=127.0.0.1:%d", s.Monitor) }
	wrong := func(s *natstest.Server) string { return strings.Replace(s.URL(), natstest.Password, "hunter2", 1) }
	tests := []struct {
		name, url string
		want      error
		say       string
	}{
		{"unreachable", "nats://user:hunter2@127.0.0.1:1", jetstream.ErrAway, "127.0.0.1:1"},
		{"wrong password", wrong(shared), jetstream.ErrRefused, "wrong user or password"},
		{"no JetStream", plain.URL(), jetstream.ErrNoJetStream, "not enabled"},
		{"replicas", shared.URL() + "?stream=REFUSED&replicas=3", jetstream.ErrWeak, "3 servers"},
		{"payload", small.URL() + "?stream=REFUSED", jetstream.ErrWeak, "32768"},
		{"payload asked for", shared.URL() + "?stream=REFUSED&payload=9000000", jetstream.ErrWeak, "9000000"},
		{"sync unknown", shared.URL() + "?stream=REFUSED&sync=always", jetstream.ErrWeak, "monitor=HOST:PORT"},
		{"sync", shared.URL() + "?stream=REFUSED&sync=always" + monitor(shared), jetstream.ErrWeak, "every 2m0s"},
		{"monitor", shared.URL() + "?stream=REFUSED&sync=always&monitor=127.0.0.1:1", jetstream.ErrAway, "monitoring"},
		{"option", shared.URL() + "?strem=X", nil, `"strem"`},
		{"no replicas", shared.URL() + "?stream=REFUSED&replicas=0", nil, "want 1 to 5"},
		{"no payload", shared.URL() + "?stream=REFUSED&payload=0", nil, "want 1 or more bytes"},
		{"credentials", shared.URL() + "?creds=" + t.TempDir() + "/none", fs.ErrNotExist, "read credentials: open /"},
		{"@ in the password", "nats://user:x@hunter2@127.0.0.1:1", nil, "write %40"},
		{"number", shared.URL() + "?replicas=many", nil, "want a number"},
		{"scheme", "http://user:hunter2@127.0.0.1:1", nil, "want nats://"},
		{"URL", "nats://user:hunter2@[::1", nil, "want nats://"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := jetstream.Open(t.Context(), test.url, jetstream.Options{})
			wantRefusal(t, err, test.want, test.say)
		})
	}
	for _, name := range streams(t, admin(t, shared.URL())) {
		if strings.Contains(name, "REFUSED") {
			t.Errorf("stream %q was made", name)
		}
	}
	open(t, syncing.URL()+"?sync=always"+monitor(syncing), jetstream.Options{})
}

func wantRefusal(t *testing.T, err, want error, say string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
	text := err.Error()
	t.Log(text)
	for _, bad := range []string{"hunter2", natstest.Password, "\n"} {
		if strings.Contains(text, bad) {
			t.Errorf("error has %q in it", bad)
		}
	}
	if !strings.Contains(text, say) {
		t.Errorf("error does not say %q", say)
	}
}

// TestExisting: who only wants what is there makes nothing; what is there is
// counted, and not taken for one in memory.
func TestExisting(t *testing.T) {
	server := newServer(t, natstest.Config{})
	_, err := jetstream.Open(t.Context(), server.URL(), jetstream.Options{Existing: true})
	wantRefusal(t, err, fs.ErrNotExist, "no store yet")
	if names := streams(t, admin(t, server.URL())); len(names) > 0 {
		t.Errorf("made %q", names)
	}
	open(t, server.URL(), jetstream.Options{})
	s := open(t, server.URL(), jetstream.Options{Existing: true})
	for _, data := range []string{"one", ""} {
		if _, err := s.Blobs().Put(t.Context(), []byte(data), ""); err != nil {
			t.Fatal(err)
		}
	}
	log, err := s.Open(t.Context(), "/a/b", storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	if _, err := log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte("x")}); err != nil {
		t.Fatal(err)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Blobs != 2 || st.Logs != 1 || st.About {
		t.Errorf("status is %+v, %v", st, err)
	}
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	_, err = jetstream.Open(t.Context(), server.URL()+"?storage=memory", jetstream.Options{})
	wantRefusal(t, err, nil, "kept in files")
}

// A stream that is there and is not what was asked for is refused and left as it
// is.
func TestRefusedStream(t *testing.T) {
	server := newServer(t, natstest.Config{})
	js := admin(t, server.URL())
	tests := []struct {
		name   string
		change func(*client.StreamConfig)
		want   error
		say    string
	}{
		{"mark", func(c *client.StreamConfig) { c.Metadata = nil }, jetstream.ErrForeign, "not made by this program"},
		{"version", func(c *client.StreamConfig) { c.Metadata["cambium-store"] = "99" }, jetstream.ErrForeign, "version 99"},
		{"subjects", func(c *client.StreamConfig) { c.Subjects = []string{"orders.>"} }, jetstream.ErrForeign, "orders.>"},
		{"memory", func(c *client.StreamConfig) { c.Storage = client.MemoryStorage }, jetstream.ErrWeak, "memory"},
		{"age", func(c *client.StreamConfig) { c.MaxAge = time.Hour }, jetstream.ErrWeak, "older than 1h"},
		{"discard", func(c *client.StreamConfig) { c.MaxBytes, c.Discard = 1<<20, client.DiscardOld }, jetstream.ErrWeak, "drops"},
		{"per subject", func(c *client.StreamConfig) { c.MaxMsgsPerSubject = 5 }, jetstream.ErrWeak, "only 5"},
		{"batches", func(c *client.StreamConfig) { c.AllowAtomicPublish = false }, jetstream.ErrWeak, "allow_atomic"},
		{"message size", func(c *client.StreamConfig) { c.MaxMsgSize = 4096 }, jetstream.ErrWeak, "4096"},
	}
	s, err := opened(jetstream.Open(t.Context(), server.URL(), jetstream.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	usual, err := js.Stream(t.Context(), "CAMBIUM")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := usual.CachedInfo().Config
			c.Metadata = map[string]string{"cambium-store": "1"}
			test.change(&c)
			if err := js.DeleteStream(t.Context(), "CAMBIUM"); err != nil {
				t.Fatal(err)
			}
			made, err := js.CreateStream(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			_, err = jetstream.Open(t.Context(), server.URL(), jetstream.Options{})
			wantRefusal(t, err, test.want, test.say)
			after, err := made.Info(t.Context())
			if err != nil || after.State.Msgs != 0 || after.State.LastSeq != 0 {
				t.Errorf("stream was written to: %+v, %v", after, err)
			}
		})
	}
}

// A stream whose subjects another one has is not made.
func TestRefusedSubjects(t *testing.T) {
	server := newServer(t, natstest.Config{})
	_, err := admin(t, server.URL()).CreateStream(t.Context(), client.StreamConfig{Name: "OTHER", Subjects: []string{"cambium.>"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = jetstream.Open(t.Context(), server.URL(), jetstream.Options{})
	wantRefusal(t, err, jetstream.ErrForeign, "another stream")
}

// A user who may read but not write, or nothing, is told so.
func TestRefusedUser(t *testing.T) {
	server := newServer(t, natstest.Config{Lines: []string{`accounts { A { jetstream: enabled, users: [
		{ user: tester, password: "s3cret+word" },
		{ user: reader, password: hunter2, permissions: { publish: { deny: ["cambium.>", "$KV.>", "$O.>"] } } }
	] } }`}, NoAuth: true})
	at := func(user string) string {
		return strings.Replace(server.URL(), natstest.User+":"+natstest.Password, user, 1)
	}
	s := open(t, server.URL(), jetstream.Options{})
	create(t, s, "/a")
	reader := open(t, at("reader:hunter2"), jetstream.Options{Timeout: time.Second, Patience: time.Millisecond})
	log, mark := reopen(t, reader, "/a")
	_, err := log.Append(t.Context(), mark, [][]byte{[]byte("x")})
	wantRefusal(t, err, jetstream.ErrRefused, "may not")
	if lines := linesOf(t, log); len(lines) != 1 {
		t.Errorf("lines are %q", lines)
	}
}

func TestStatus(t *testing.T) {
	s := open(t, shared.URL()+fmt.Sprintf("?monitor=127.0.0.1:%d", shared.Monitor), jetstream.Options{Stream: streamOf(t)})
	create(t, s, "/a")
	st, err := s.Status(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if st.Replicas != 1 || st.Current != 1 || st.Sync != "every 2m0s" || st.Memory || st.Messages != 2 || st.MaxPayload != 1<<20 {
		t.Errorf("status is %+v", st)
	}
	if want := "on the disk of one server; synced to disk every 2m0s"; st.Durability() != want {
		t.Errorf("durability is %q, want %q", st.Durability(), want)
	}
}
