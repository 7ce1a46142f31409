//go:build share

package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

// The suite on three servers, each test in a stream of its own.
func TestStoreOnCluster(t *testing.T) {
	servers := newCluster(t, natstest.Config{})
	var urls []string
	for _, server := range servers {
		urls = append(urls, server.URL())
	}
	number := 0
	storagetest.Run(t, func(t *testing.T) storagetest.Fixture {
		number++
		return storagetest.Fixture{
			Store: openWhenReady(t, strings.Join(urls, ","), jetstream.Options{Stream: fmt.Sprintf("T%d", number), Replicas: 3}),
			Dir:   "/logs",
		}
	})
}

func TestBlobs(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	blobs := s.Blobs()
	for _, data := range [][]byte{nil, []byte("small"), bytes.Repeat([]byte("large "), 1<<19)} {
		for range 2 {
			ref, err := blobs.Put(t.Context(), data, "png")
			if err != nil || ref != blob.RefOf(data) {
				t.Fatalf("put %d bytes: %s, %v", len(data), ref, err)
			}
			got, err := blobs.Read(t.Context(), ref)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("read %d bytes: %d, %v", len(data), len(got), err)
			}
		}
	}
	if _, err := blobs.Read(t.Context(), blob.RefOf([]byte("none"))); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("read what is not there: %v", err)
	}
	if _, err := blobs.Read(t.Context(), blob.Ref{}); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("read nothing: %v", err)
	}
	// Somebody puts other bytes under the name.
	right := []byte("right")
	bucket, err := admin(t, shared.URL()).ObjectStore(t.Context(), streamOf(t)+"_BLOBS")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.PutBytes(t.Context(), blob.RefOf(right).Hash(), []byte("wrong")); err != nil {
		t.Fatal(err)
	}
	if _, err := blobs.Read(t.Context(), blob.RefOf(right)); !errors.Is(err, blob.ErrMismatch) {
		t.Errorf("read wrong bytes: %v", err)
	}
	if _, err := blobs.Put(t.Context(), right, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := blobs.Read(t.Context(), blob.RefOf(right)); err != nil || string(got) != "right" {
		t.Errorf("read %q, %v", got, err)
	}
}

// A lease goes with its log, and can be taken over.
func TestTakeOver(t *testing.T) {
	opt := jetstream.Options{Stream: streamOf(t), LeaseFor: time.Second}
	s, other := open(t, shared.URL(), opt), open(t, shared.URL(), opt)
	log, mark := create(t, s, "/a")
	lease, err := s.Lease(t.Context(), "/a", storage.Holder{ID: "first", Since: time.Unix(5, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), "/a", "/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := appendAny(t.Context(), log, mark, "x"); err != nil {
		t.Fatal(err)
	}
	list, err := other.Holders(t.Context(), "/b")
	if err != nil || len(list) != 1 || list[0].ID != "first" || !list[0].Since.Equal(time.Unix(5, 0)) {
		t.Fatalf("holders are %+v, %v", list, err)
	}
	second, err := powers.TakeOver(t.Context(), other, "/b", storage.Holder{ID: "second", Since: time.Unix(6, 0)})
	if err != nil {
		t.Fatal(err)
	}
	<-lease.Lost()
	list, err = s.Holders(t.Context(), "/b")
	if err != nil || len(list) != 1 || list[0].ID != "second" {
		t.Errorf("holders are %+v, %v", list, err)
	}
	if err := errors.Join(lease.Release(t.Context()), second.Release(t.Context())); err != nil {
		t.Error(err)
	}
	if list, err = s.Holders(t.Context(), "/b"); err != nil || len(list) != 0 {
		t.Errorf("holders are %+v, %v", list, err)
	}
}

// A follower hears of what another client writes, before and after the server was
// killed.
func TestWatchOverRestart(t *testing.T) {
	server := newServer(t, natstest.Config{})
	s, other := open(t, server.URL(), jetstream.Options{}), open(t, server.URL(), jetstream.Options{})
	log, mark := create(t, s, "/a")
	follower, _ := reopen(t, other, "/a")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	next, stop := iter.Pull2(follower.(storage.Watcher).Watch(ctx, mark))
	defer stop()
	for i := range 4 {
		if i == 2 {
			if err := errors.Join(server.Kill(), server.Start()); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if mark, err = appendAny(ctx, log, mark, fmt.Sprintf("0-%d", i)); err != nil {
			t.Fatal(err)
		}
		if got, err, ok := next(); !ok || err != nil || got != mark {
			t.Fatalf("watch gave %s, %v, %v; want %s", got, err, ok, mark)
		}
	}
}

// Names of all kinds are kept, and those that were are no directories.
func TestNames(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	names := []string{
		"/p/a.jsonl", "/p/--home-me--/2026-01-01T00:00:00.000Z_x.jsonl", "/p/ünïcode *.> $", "/p/with space/=20", "relative/x", "/top",
	}
	for _, name := range names {
		create(t, s, name)
	}
	list := func(dir string) (got []string) {
		for info, err := range s.List(t.Context(), dir) {
			if errors.Is(err, storage.ErrNotExist) {
				return nil
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info.Name)
		}
		return got
	}
	want := []string{"/p/--home-me--", "/p/a.jsonl", "/p/with space", "/p/ünïcode *.> $"}
	if diff := cmp.Diff(want, list("/p")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/p", "/top"}, list("/")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"relative/x"}, list("relative")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if err := s.Rename(t.Context(), "/top", "/p/with space"); !errors.Is(err, storage.ErrExist) {
		t.Errorf("rename to a directory: %v", err)
	}
	if err := s.Remove(t.Context(), "/p/with space/=20"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "/p/with space"); !errors.Is(err, storage.ErrNotExist) {
		t.Errorf("stat of what was a directory: %v", err)
	}
	if err := s.Rename(t.Context(), "/top", "/p/with space"); err != nil {
		t.Errorf("rename to what was a directory: %v", err)
	}
	if diff := cmp.Diff([]string{"/p"}, list("/")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"/" + strings.Repeat("x", 4000), "/\xff", "/a\x00"} {
		if _, err := s.Open(t.Context(), bad, storage.Create); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %.20q: %v", bad, err)
		}
	}
}

// What was replaced or removed leaves little behind.
func TestPurged(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	_, mark := create(t, s, "/a")
	log, _ := reopen(t, s, "/a")
	big := bytes.Repeat([]byte("x"), 3<<20)
	if _, err := log.Append(t.Context(), mark, [][]byte{big}); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "/a"); err != nil {
		t.Fatal(err)
	}
	st, err := s.Status(t.Context())
	if err != nil || st.Bytes > 10<<10 {
		t.Errorf("status is %+v, %v", st, err)
	}
	// A replacement that is broken off leaves nothing.
	log, mark = create(t, s, "/b")
	_, err = log.Replace(t.Context(), mark, func(iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for range 2 {
				if !yield(big, nil) {
					return
				}
			}
			yield(nil, errors.New("broken off"))
		}
	})
	if err == nil {
		t.Fatal("replace went well")
	}
	if st, err = s.Status(t.Context()); err != nil || st.Bytes > 10<<10 {
		t.Errorf("status is %+v, %v", st, err)
	}
}

// Many lines in one append, and many appends: each tail is the end of all.
func TestTails(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	want := []string{"start"}
	for i := range 300 {
		var lines [][]byte
		for j := range i % 7 {
			line := strings.Repeat("x", (i*31+j*17)%5000)
			if i == 150 {
				line = strings.Repeat("y", 700<<10)
			}
			lines = append(lines, []byte(line))
			want = append(want, line)
		}
		var err error
		if mark, err = log.Append(t.Context(), mark, lines); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // others between
			create(t, s, fmt.Sprintf("/other/%d", i))
		}
	}
	if diff := cmp.Diff(want, linesOf(t, log)); diff != "" {
		t.Fatalf("lines differ: %.500s", diff)
	}
	for n := int64(1); n < 8<<20; n = n*3 + 7 {
		tail, err := log.ReadTail(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		left, first := n, len(want)
		for first > 0 && int64(len(want[first-1]))+1 <= left {
			first--
			left -= int64(len(want[first])) + 1
		}
		if len(tail) != len(want)-first {
			t.Errorf("tail of %d bytes has %d lines, want %d", n, len(tail), len(want)-first)
			continue
		}
		for i, line := range tail {
			if string(line.Bytes) != want[first+i] || line.Pos != int64(first+i) {
				t.Errorf("tail of %d bytes: line %d at %d differs", n, i, line.Pos)
			}
		}
	}
}
