package jetstream

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A name becomes a subject that a server takes, and comes back as it was.
func TestNameAndSubject(t *testing.T) {
	s := &natsStore{names: "cambium.name."}
	rapid.Check(t, func(t *rapid.T) {
		name := path.Clean(rapid.StringN(0, 200, 300).Draw(t, "name"))
		if strings.IndexByte(name, 0) >= 0 {
			return
		}
		p, err := s.placeOf(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		for _, token := range strings.Split(p.subject, ".") {
			if token == "" || strings.ContainsAny(token, " \t\r\n*>") {
				t.Fatalf("%q: subject %q", name, p.subject)
			}
		}
		back, err := decode(strings.TrimPrefix(p.subject, s.names))
		if err != nil || back != name {
			t.Fatalf("%q comes back as %q, %v", name, back, err)
		}
	})
}

// Names that are not the same have subjects that are not the same, and what is in
// a directory has a subject below its.
func TestSubjectsDiffer(t *testing.T) {
	s := &natsStore{names: "cambium.name."}
	seen := map[string]string{}
	for _, name := range []string{"/", "/a", "a", "/a/b", "/a.b", "a.b", "/=", "/=3D", "/==", "/A", "/a /b", "/ä", "."} {
		p, err := s.placeOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[p.subject]; twice {
			t.Errorf("%q and %q have subject %q", name, other, p.subject)
		}
		seen[p.subject] = name
	}
	dir, _ := s.placeOf("/a")
	in, _ := s.placeOf("/a/b")
	if !strings.HasPrefix(in.subject, dir.subject+".") {
		t.Errorf("%q is not below %q", in.subject, dir.subject)
	}
}

// What a record says comes back, and so does a mark.
func TestRecord(t *testing.T) {
	r := ref{0xabc, 0x1234567890abcdef}
	at := time.Unix(1700000000, 5)
	for _, kind := range []byte{data, part, moved, held, sealed} {
		h := &head{ref: r, kind: kind, lines: 7, bytes: 1 << 40, token: 1 << 63, last: 99, naming: 5, mtime: 77, extra: "x"}
		got, err := parseHead(r, &message{seq: 100, time: at, record: h.record()})
		if err != nil {
			t.Fatal(err)
		}
		want := *h
		want.seq = 100
		switch kind {
		case data:
			want.last, want.mtime = 100, at.UnixNano()
		case moved:
			want.naming = 100
		}
		if diff := cmp.Diff(want, *got, cmp.AllowUnexported(head{}, ref{}), cmp.AllowUnexported(Options{})); diff != "" {
			t.Errorf("kind %c (-want +got):\n%s", kind, diff)
		}
		mark, err := storage.ParseMark(got.mark().String())
		if err != nil || seenOf(mark).mark() != got.mark() {
			t.Errorf("mark %s comes back as %s, %v", got.mark(), mark, err)
		}
	}
	for _, bad := range []string{"", "d", "d 1 2 3 4 5 6", "z 1 2 3 4 5 6 x", "d 1 2 3 4 5 g x", "d  1 2 3 4 5 6 x"} {
		if _, err := parseHead(r, &message{record: bad}); err == nil {
			t.Errorf("record %q was taken", bad)
		}
	}
	for _, bad := range []string{"", "n", "n x", "n 1.2", "n 1.2 z", "y"} {
		if _, err := parseNaming(&message{record: bad}); err == nil {
			t.Errorf("record %q of a name was taken", bad)
		}
	}
}

// The messages of a group are its lines, none larger than the server takes.
func TestDrafts(t *testing.T) {
	s := &natsStore{logs: "cambium.log.", largest: 1000}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 999, 1000, 1001, 12345} {
		lines := [][]byte{make([]byte, size), make([]byte, rnd.IntN(100))}
		g, rest := nextGroup(lines)
		if len(rest) != 0 {
			t.Fatalf("%d lines are left", len(rest))
		}
		body := 0
		drafts := s.drafts(g, ref{1, 2}, seen{lines: 5, bytes: 50, last: 8}, 9, 0)
		for i, m := range drafts {
			body += len(m.Data)
			if len(m.Data) > s.largest || (m.Header.Get(expectHeader) != "") != (i == 0) {
				t.Errorf("message %d of %d has %d bytes, header %v", i+1, len(drafts), len(m.Data), m.Header)
			}
			h, err := parseHead(ref{1, 2}, &message{seq: uint64(10 + i), record: m.Header[header][0]})
			if err != nil {
				t.Fatal(err)
			}
			if last := i == len(drafts)-1; last != (h.kind == data) || last && (h.lines != 7 || h.bytes != uint64(50+g.size)) {
				t.Errorf("message %d of %d says %+v", i+1, len(drafts), h)
			} else if !last && (h.lines != 5 || h.bytes != 50 || h.last != 8) {
				t.Errorf("part %d says %+v", i+1, h)
			}
		}
		if body != g.size {
			t.Errorf("%d bytes, want %d", body, g.size)
		}
	}
}

// Large appends go in groups; a line is never cut between them.
func TestGroups(t *testing.T) {
	var lines [][]byte
	for i := range 50 {
		lines = append(lines, make([]byte, i*10_000), nil)
	}
	lines = append(lines, make([]byte, 2*usualGroup), make([]byte, 5))
	count, groups := 0, 0
	for rest := lines; len(rest) > 0; groups++ {
		var g group
		g, rest = nextGroup(rest)
		count += len(g.lines)
		if g.size > usualGroup && len(g.lines) > 1 {
			t.Errorf("group of %d bytes and %d lines", g.size, len(g.lines))
		}
	}
	if count != len(lines) || groups < 4 {
		t.Errorf("%d lines in %d groups, want %d lines", count, groups, len(lines))
	}
}

func TestOptions(t *testing.T) {
	o := Options{Replicas: 5}
	servers, err := o.complete("nats://u:p@h:1,h2:2?replicas=3&sync=always&monitor=a:1,b:2&stream=X&storage=memory&payload=1000&creds=/c&ca=/a")
	want := Options{
		Stream: "X", Replicas: 5, memory: true, syncAlways: true, monitor: []string{"a:1", "b:2"}, minPayload: 1000,
		credentials: "/c", ca: "/a", Patience: 10 * time.Second, Timeout: 3 * time.Second, LeaseFor: 30 * time.Second,
	}
	if diff := cmp.Diff(want, o, cmp.AllowUnexported(Options{})); err != nil || diff != "" || servers != "nats://u:p@h:1,h2:2" {
		t.Errorf("servers %q, %v (-want +got):\n%s", servers, err, diff)
	}
	if got := hostsOf(servers); got != "h:1,h2:2" {
		t.Errorf("hosts are %q", got)
	}
	for _, bad := range []string{
		"", "nats://", "nats://h:1/x", "ws://h:1", "nats://h:1?replicas=9", "nats://h:1?stream=a.b", "nats://h:1?sync=never",
		"nats://h:1?storage=tape", "nats://h:1?%zz", "nats://u:hunter2@h:port",
	} {
		var o Options
		if _, err := o.complete(bad); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOldServer(t *testing.T) {
	for version, old := range map[string]bool{"2.11.9": true, "2.9.0": true, "1.4.1": true, "2.12.0": false, "2.15.2": false, "3.0.0": false, "dev": false} {
		if oldServer(version) != old {
			t.Errorf("%s: old %v", version, !old)
		}
	}
}
