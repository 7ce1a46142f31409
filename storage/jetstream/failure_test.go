//go:build share

package jetstream_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/google/go-cmp/cmp"
)

func TestServerKilled(t *testing.T) {
	server := newServer(t, natstest.Config{})
	s := open(t, server.URL(), jetstream.Options{})
	log, mark := create(t, s, "/a")
	w := newWriter(t, log, mark, 0)
	for range 4 {
		w.more(t, 100)
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	w.more(t, 100)
	acked := w.end()
	t.Logf("%d lines acknowledged", acked)
	wantEach(t, linesOf(t, log), acked)
}

func TestLeaderKilled(t *testing.T) {
	servers := newCluster(t, natstest.Config{})
	s := openCluster(t, servers)
	log, mark := create(t, s, "/a")
	w := newWriter(t, log, mark, 0)
	for range 3 {
		w.more(t, 100)
		leader := leaderOf(t, s, servers)
		if err := leader.Kill(); err != nil {
			t.Fatal(err)
		}
		w.more(t, 50) // without it
		if err := leader.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the server caught up", func() bool {
			st, err := s.Status(t.Context())
			return err == nil && st.Current == 3
		})
	}
	acked := w.end()
	t.Logf("%d lines acknowledged", acked)
	wantEach(t, linesOf(t, log), acked)
}

// The leader is frozen while two write, another one takes over, and the old one
// wakes and knows of nothing.
func TestLeaderFrozen(t *testing.T) {
	servers := newCluster(t, natstest.Config{})
	s, other := openCluster(t, servers), openCluster(t, servers)
	log, mark := create(t, s, "/a")
	second, at := reopen(t, other, "/a")
	writers := []*writer{newWriter(t, log, mark, 0), newWriter(t, second, at, 1)}
	for range 2 {
		leader := leaderOf(t, s, servers)
		if err := leader.Freeze(); err != nil {
			t.Fatal(err)
		}
		for _, w := range writers {
			w.more(t, 30)
		}
		if err := leader.Thaw(); err != nil {
			t.Fatal(err)
		}
		for _, w := range writers {
			w.more(t, 100)
		}
		until(t, "the server caught up", func() bool {
			st, err := s.Status(t.Context())
			return err == nil && st.Current == 3
		})
	}
	acked := []int{writers[0].end(), writers[1].end()}
	t.Logf("%d lines acknowledged", acked)
	wantEach(t, linesOf(t, log), acked...)
	wantEach(t, linesOf(t, second), acked...)
}

func openCluster(t testing.TB, servers []*natstest.Server) wholeStore {
	t.Helper()
	var urls []string
	for _, server := range servers {
		urls = append(urls, server.URL())
	}
	return openWhenReady(t, strings.Join(urls, ","), jetstream.Options{Replicas: len(servers)})
}

// openWhenReady opens a store as soon as a cluster has a leader.
func openWhenReady(t testing.TB, url string, opt jetstream.Options) (s wholeStore) {
	t.Helper()
	until(t, "the cluster has a leader", func() bool {
		var err error
		s, err = opened(jetstream.Open(t.Context(), url, opt))
		if err != nil && !errors.Is(err, jetstream.ErrAway) && !errors.Is(err, jetstream.ErrWeak) && !errors.Is(err, jetstream.ErrNoJetStream) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func leaderOf(t testing.TB, s wholeStore, servers []*natstest.Server) (leader *natstest.Server) {
	t.Helper()
	until(t, "the stream has a leader", func() bool {
		st, err := s.Status(t.Context())
		if err != nil {
			return false
		}
		for _, server := range servers {
			if server.Name() == st.Leader {
				leader = server
			}
		}
		return leader != nil
	})
	return leader
}

// The network between the client and the leader is cut without a word: the client
// goes on over another server of its URL.
func TestNetworkCut(t *testing.T) {
	servers := newCluster(t, natstest.Config{})
	leader := leaderOf(t, openCluster(t, servers), servers)
	p := newProxy(t, leader.Port)
	urls := []string{natstest.URLTo(p.port())}
	for _, server := range servers {
		if server != leader {
			urls = append(urls, server.URL())
		}
	}
	s := open(t, strings.Join(urls, ","), jetstream.Options{Replicas: 3})
	log, mark := create(t, s, "/a")
	w := newWriter(t, log, mark, 0)
	w.more(t, 100)
	p.set(false, true)
	w.more(t, 100)
	p.set(false, false)
	w.more(t, 100)
	acked := w.end()
	wantEach(t, linesOf(t, log), acked)
}

// An answer is lost, and the server is away for longer than the call waits: the
// same lines given again are there once.
func TestAnswerLost(t *testing.T) {
	for _, big := range []bool{false, true} {
		t.Run(fmt.Sprintf("big %v", big), func(t *testing.T) {
			p := newProxy(t, shared.Port)
			s := open(t, natstest.URLTo(p.port()), jetstream.Options{
				Stream: streamOf(t), Patience: 50 * time.Millisecond, Timeout: time.Second,
			})
			log, mark := create(t, s, "/a")
			line := "0-0 word"
			if big {
				line += strings.Repeat(" more", 1<<18)
			}
			lines := [][]byte{[]byte(line)}
			sent := p.await("word")
			p.set(true, false)
			_, err := log.Append(t.Context(), mark, lines)
			if !errors.Is(err, jetstream.ErrAway) {
				t.Fatalf("append without an answer: %v", err)
			}
			<-sent
			p.set(false, false)
			lines = append(lines, []byte("0-1"))
			until(t, "the store is there again", func() bool {
				next, err := log.Append(t.Context(), mark, lines)
				if err != nil && !errors.Is(err, jetstream.ErrAway) {
					t.Fatal(err)
				}
				if err == nil {
					mark = next
				}
				return err == nil
			})
			got := linesOf(t, log)
			if diff := cmp.Diff([]string{"start", line, "0-1"}, got); diff != "" {
				t.Errorf("lines differ (-want +got):\n%.1000s", diff)
			}
			if info, err := log.Stat(t.Context()); err != nil || info.Mark != mark {
				t.Errorf("mark of the log is %s, %v; want %s", info.Mark, err, mark)
			}
		})
	}
}

// The same for the first lines of a log.
func TestAnswerLostAtFirst(t *testing.T) {
	p := newProxy(t, shared.Port)
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{
		Stream: streamOf(t), Patience: 50 * time.Millisecond, Timeout: time.Second,
	})
	log, err := s.Open(t.Context(), "/a", storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	lines := [][]byte{[]byte("word")}
	for _, swallow := range []string{"word", "Nats-Batch-Commit"} {
		sent := p.await(swallow)
		if swallow != "word" {
			// The first of two messages is answered, the second is not.
			go func() { <-sent; p.set(true, false) }()
		} else {
			p.set(true, false)
		}
		if _, err := log.Append(t.Context(), storage.Mark{}, lines); err != nil && !errors.Is(err, jetstream.ErrAway) {
			t.Fatalf("append without an answer: %v", err)
		} else if err == nil {
			break // the answer came before the way was shut
		}
		p.set(false, false)
		until(t, "the store is there again", func() bool {
			_, err := s.Status(t.Context())
			return err == nil
		})
	}
	p.set(false, false)
	until(t, "the lines are taken", func() bool {
		_, err := log.Append(t.Context(), storage.Mark{}, lines)
		var c *storage.Changed
		if err != nil && !errors.Is(err, jetstream.ErrAway) && !errors.As(err, &c) {
			t.Fatal(err)
		}
		return !errors.Is(err, jetstream.ErrAway)
	})
	if diff := cmp.Diff([]string{"word"}, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

// A client is killed between sending and the answer.
func TestClientKilled(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	log, _ := create(t, s, "/a")
	p := newProxy(t, shared.Port)
	for i := range 5 {
		c := spawn(t, "append", natstest.URLTo(p.port()), streamOf(t), "/a", "0", fmt.Sprint(i), "1")
		c.says(t, "ready")
		sent := p.await(fmt.Sprintf("0-%d", i))
		p.set(true, false)
		if _, err := c.in.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		<-sent
		c.kill()
		p.set(false, false)
		until(t, "the line is there", func() bool { return len(linesOf(t, log)) == i+2 })
	}
	wantEach(t, linesOf(t, log), 5)
}

func TestTwoProcesses(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	const count = 150
	var all []*process
	for w := range 2 {
		c := spawn(t, "append", shared.URL(), streamOf(t), "/a", fmt.Sprint(w), "0", fmt.Sprint(count))
		c.says(t, "ready")
		all = append(all, c)
	}
	for _, c := range all {
		if _, err := c.in.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		var err error
		if mark, err = appendAny(t.Context(), log, mark, fmt.Sprintf("2-%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range all {
		c.says(t, fmt.Sprintf("acked %d", count-1))
	}
	lines := linesOf(t, log)
	wantEach(t, lines, count, count, count)
	if len(lines) != 3*count+1 {
		t.Errorf("%d lines, want %d", len(lines), 3*count+1)
	}
}

// A holder is frozen until its lease is gone, and wakes up.
func TestHolderFrozen(t *testing.T) {
	s := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	c := spawn(t, "lease", shared.URL(), streamOf(t), "/a")
	c.says(t, "held")
	holders := func() []storage.Holder {
		list, err := s.Holders(t.Context(), "/a")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := holders(); len(list) != 1 || list[0].ID != "child" {
		t.Fatalf("holders are %+v", list)
	}
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "the lease expires", func() bool { return len(holders()) == 0 })
	mine, err := s.Lease(t.Context(), "/a", storage.Holder{ID: "mine", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := appendAny(t.Context(), log, mark, "0-0"); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"lost", "told", "appended"} {
		c.says(t, word)
	}
	if list := holders(); len(list) != 1 || list[0].ID != "mine" {
		t.Errorf("holders are %+v", list)
	}
	select {
	case <-mine.Lost():
		t.Error("the new lease was lost")
	default:
	}
	if diff := cmp.Diff([]string{"start", "0-0", "1-0"}, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

// The server's storage is full: nothing is lost, and it goes on when there is
// room.
func TestStorageFull(t *testing.T) {
	server := newServer(t, natstest.Config{JetStream: []string{"  max_file_store: 4MB"}})
	s := open(t, server.URL(), jetstream.Options{})
	other, mark := create(t, s, "/other")
	if _, err := other.Append(t.Context(), mark, [][]byte{[]byte(strings.Repeat("x", 1<<20))}); err != nil {
		t.Fatal(err)
	}
	log, mark := create(t, s, "/a")
	acked := 0
	line := func() [][]byte { return [][]byte{[]byte(fmt.Sprintf("0-%d %s", acked, strings.Repeat("y", 100<<10)))} }
	var full error
	for full == nil {
		next, err := log.Append(t.Context(), mark, line())
		if err == nil {
			acked++
			mark = next
		}
		full = err
	}
	if !strings.Contains(full.Error(), "storage is full") || strings.Contains(full.Error(), "\n") {
		t.Errorf("error is %v", full)
	}
	wantEach(t, linesOf(t, log), acked)
	if err := s.Remove(t.Context(), "/other"); err != nil {
		t.Fatalf("remove on a full server: %v", err)
	}
	until(t, "there is room again", func() bool {
		next, err := log.Append(t.Context(), mark, line())
		if err == nil {
			acked++
			mark = next
		}
		return err == nil
	})
	lines := linesOf(t, log)
	wantEach(t, lines, acked)
	if len(lines) != acked+1 {
		t.Errorf("%d lines, want %d", len(lines), acked+1)
	}
}

// A server comes back without its last messages, as after a power cut.
func TestServerForgot(t *testing.T) {
	server := newServer(t, natstest.Config{})
	s := open(t, server.URL(), jetstream.Options{})
	log, old := create(t, s, "/a")
	data, saved := filepath.Join(server.Dir, "data"), filepath.Join(t.TempDir(), "saved")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	copyDir(t, data, saved)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	mark, err := appendAny(t.Context(), log, old, "0-0")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.Kill(), os.RemoveAll(data)); err != nil {
		t.Fatal(err)
	}
	copyDir(t, saved, data)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	// Another client writes where the lost line was.
	other, now := reopen(t, open(t, server.URL(), jetstream.Options{}), "/a")
	if now != old {
		t.Fatalf("mark is %s, want %s", now, old)
	}
	if _, err := other.Append(t.Context(), now, [][]byte{[]byte("1-0")}); err != nil {
		t.Fatal(err)
	}
	until(t, "the change is seen", func() bool {
		_, err := log.Append(t.Context(), mark, [][]byte{[]byte("0-1")})
		var c *storage.Changed
		switch {
		case errors.As(err, &c):
			if c.Kind != storage.Truncated {
				t.Errorf("change is %s, want truncated", c.Kind)
			}
			return true
		case err == nil || !errors.Is(err, jetstream.ErrAway):
			t.Fatalf("append: %v", err)
		}
		return false
	})
	if diff := cmp.Diff([]string{"start", "1-0"}, linesOf(t, log)); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

func copyDir(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
}

// The server's disk is full in earnest: one clear line, nothing lost; when there
// is room and the server was started again, appends succeed.
func TestDiskFull(t *testing.T) {
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", small).CombinedOutput(); err != nil {
		t.Fatalf("mount a small disk, which needs root: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", small).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	ballast := filepath.Join(small, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 12<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := natstest.New(small, natstest.Config{JetStream: []string{"  max_file_store: 1GB"}})
	if err != nil {
		t.Fatal(err)
	}
	start(t, server)
	s := open(t, server.URL(), jetstream.Options{Timeout: time.Second, Patience: time.Second})
	log, mark := create(t, s, "/a")
	acked := 0
	line := func() [][]byte { return [][]byte{[]byte(fmt.Sprintf("0-%d %s", acked, strings.Repeat("y", 100<<10)))} }
	var full error
	for full == nil && acked < 1000 {
		next, err := log.Append(t.Context(), mark, line())
		if err == nil {
			acked++
			mark = next
		}
		full = err
	}
	t.Logf("%d lines acknowledged, then: %v", acked, full)
	if full == nil || !strings.Contains(full.Error(), "disk is full: make room there and start") || strings.Contains(full.Error(), "\n") {
		t.Errorf("a full disk is said as %v", full)
	}
	if err := errors.Join(os.Remove(ballast), server.Kill()); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "there is room again", func() bool {
		next, err := log.Append(t.Context(), mark, line())
		if err == nil {
			acked++
			mark = next
		} else if !errors.Is(err, jetstream.ErrAway) {
			t.Fatal(err)
		}
		return err == nil
	})
	lines := linesOf(t, log)
	wantEach(t, lines, acked)
	if len(lines) != acked+1 {
		t.Errorf("%d lines, want %d", len(lines), acked+1)
	}
}
