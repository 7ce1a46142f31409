//go:build share

package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// The connection is cut before the server has an append, and when it answers: no
// error, each line once.
func TestConnectionCut(t *testing.T) {
	p := newProxy(t, shared.Port)
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	want := []string{"start"}
	for i := range 40 {
		line := fmt.Sprintf("0-%d word", i)
		if i%8 > 5 {
			line += string(bytes.Repeat([]byte("x"), 600<<10))
		}
		word := "word"
		if i%8 == 7 {
			word = "Nats-Batch-Commit"
		}
		seen := p.cutAt(word, before+i%2)
		next, err := log.Append(t.Context(), mark, [][]byte{[]byte(line)})
		if err != nil {
			t.Fatalf("append %d: %v", i, err)
		}
		<-seen
		mark = next
		want = append(want, line)
	}
	if diff := cmp.Diff(want, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%.2000s", diff)
	}
}

// The same when a log is begun, replaced, renamed and removed: it is done.
func TestConnectionCutAtChange(t *testing.T) {
	p := newProxy(t, shared.Port)
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	upper := func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for line, err := range lines {
				if !yield(bytes.ToUpper(line.Bytes), err) {
					return
				}
			}
		}
	}
	for i := range 12 {
		where := before + i%2
		word := []string{"Nats-Batch-Commit", "Nats-Batch-Id", "Nats-Batch-Sequence: 2"}[i/2%3]
		name, other := fmt.Sprintf("/a%d", i), fmt.Sprintf("/b%d", i)
		seen := p.cutAt(word, where)
		log, mark := create(t, s, name)
		<-seen
		seen = p.cutAt(word, where)
		mark, err := log.Replace(t.Context(), mark, upper)
		if err != nil {
			t.Fatalf("replace, cut %d at %s: %v", where, word, err)
		}
		<-seen
		seen = p.cutAt(word, where)
		if err := s.Rename(t.Context(), name, other); err != nil {
			t.Fatalf("rename, cut %d at %s: %v", where, word, err)
		}
		<-seen
		if _, err := appendAny(t.Context(), log, mark, "more"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"START", "more"}, linesOf(t, log)); diff != "" {
			t.Errorf("lines differ (-want +got):\n%s", diff)
		}
		seen = p.cutAt(word, where)
		if err := s.Remove(t.Context(), other); err != nil {
			t.Fatalf("remove, cut %d at %s: %v", where, word, err)
		}
		<-seen
		for _, gone := range []string{name, other} {
			if _, err := s.Stat(t.Context(), gone); !errors.Is(err, storage.ErrNotExist) {
				t.Errorf("stat of %q: %v", gone, err)
			}
		}
	}
}

// The server is frozen during an append, and wakes: the call ends, and the line is
// there once.
func TestServerFrozen(t *testing.T) {
	server := newServer(t, natstest.Config{})
	s := open(t, server.URL(), jetstream.Options{Timeout: time.Second, Patience: 100 * time.Millisecond})
	log, mark := create(t, s, "/a")
	for i := range 3 {
		if err := server.Freeze(); err != nil {
			t.Fatal(err)
		}
		lines := [][]byte{fmt.Appendf(nil, "0-%d", i)}
		_, err := log.Append(t.Context(), mark, lines)
		if !errors.Is(err, jetstream.ErrAway) {
			t.Fatalf("append to a frozen server: %v", err)
		}
		if err := server.Thaw(); err != nil {
			t.Fatal(err)
		}
		until(t, "the line is taken", func() bool {
			next, err := log.Append(t.Context(), mark, lines)
			if err == nil {
				mark = next
			} else if !errors.Is(err, jetstream.ErrAway) {
				t.Fatal(err)
			}
			return err == nil
		})
	}
	if diff := cmp.Diff([]string{"start", "0-0", "0-1", "0-2"}, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

// Others append as fast as they can while a log is replaced: it is done all the
// same, and nothing is lost.
func TestReplaceAmongWriters(t *testing.T) {
	opt := jetstream.Options{Stream: streamOf(t)}
	s := open(t, shared.URL(), opt)
	_, mark := create(t, s, "/a")
	var others []storage.Log
	for range 3 {
		log, _ := reopen(t, open(t, shared.URL(), opt), "/a")
		others = append(others, log)
	}
	log, _ := reopen(t, s, "/a")
	total := make([]int, 0, 12)
	for range 4 {
		var writers []*writer
		// What a writer sent before it was stopped may still come.
		mark, err := appendAny(t.Context(), log, mark, "go")
		if err != nil {
			t.Fatal(err)
		}
		_, err = log.Replace(t.Context(), mark, func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				for line, err := range lines {
					if !yield(line.Bytes, err) {
						return
					}
				}
				for _, other := range others {
					w := newWriter(t, other, mark, len(total)+len(writers))
					writers = append(writers, w)
					w.more(t, 10)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range writers {
			w.more(t, 10) // behind the new content
			total = append(total, w.end())
		}
	}
	t.Logf("%v lines were acknowledged", total)
	wantEach(t, linesOf(t, log), total...)
}

// A replacement asked writers to wait, and died: they wait a while only.
func TestHeldByNobody(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	js := admin(t, shared.URL())
	stream, err := js.Stream(t.Context(), streamOf(t))
	if err != nil {
		t.Fatal(err)
	}
	last, err := stream.GetLastMsgForSubject(t.Context(), strings.ToLower(streamOf(t))+".log.>")
	if err != nil {
		t.Fatal(err)
	}
	hold := nats.NewMsg(last.Subject)
	record := strings.Fields(last.Header.Get("Cambium"))
	record[0], record[4], record[7] = "h", fmt.Sprintf("%x", last.Sequence), "00000001.0000000000000002"
	hold.Header.Set("Cambium", strings.Join(record, " "))
	if _, err := js.PublishMsg(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"0-0", "0-1"} {
		if mark, err = log.Append(t.Context(), mark, [][]byte{[]byte(line)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"start", "0-0", "0-1"}, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}
