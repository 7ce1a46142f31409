//go:build share

package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// started begins the log that the failure tests write to.
func started(t *testing.T, s wholeStore) (storage.Log, storage.Mark) {
	t.Helper()
	log, err := s.Open(t.Context(), "/p/log", storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	mark, err := log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte("start")})
	if err != nil {
		t.Fatal(err)
	}
	return log, mark
}

// check reads the log through a new store: all that was acknowledged is there
// once and in order, and nothing is there twice. acked has the numbers of each
// writer.
func check(t *testing.T, url, schema string, acked map[string]int) {
	t.Helper()
	s := open(t, url, postgres.Options{Schema: schema})
	log, err := s.Open(t.Context(), "/p/log", storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		who, number, ok := strings.Cut(string(line.Bytes), "-")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err != nil || n != seen[who] {
			t.Fatalf("line %q of %s where %d was to come", line.Bytes, who, seen[who])
		}
		seen[who]++
	}
	for who, n := range acked {
		if seen[who] < n {
			t.Errorf("%s: %d lines, of %d that were acknowledged", who, seen[who], n)
		}
	}
}

// writeOn appends numbered lines until stop is closed, going on after errors
// with the same lines as the contract says, and returns how many were
// acknowledged.
func writeOn(t *testing.T, log storage.Log, mark storage.Mark, who string, stop <-chan struct{}) int {
	for n := 0; ; n++ {
		for {
			next, err := appendAny(t.Context(), log, mark, fmt.Sprintf("%s-%d", who, n))
			if mark = next; err == nil {
				break
			}
			if !errors.Is(err, postgres.ErrAway) {
				t.Errorf("%s: append: %v", who, err)
				return n
			}
		}
		select {
		case <-stop:
			return n + 1
		default:
		}
	}
}

// TestServerKilled: the server is killed while several write, and started again.
func TestServerKilled(t *testing.T) {
	server := newServer(t)
	const schema = "s"
	s := open(t, server.URL("postgres"), postgres.Options{Schema: schema, Patience: 300 * time.Millisecond})
	log, mark := started(t, s)
	stop := make(chan struct{})
	acked := map[string]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		group.Go(func() {
			mine, err := s.Open(t.Context(), "/p/log", storage.Write)
			for errors.Is(err, postgres.ErrAway) { // it is killed already
				mine, err = s.Open(t.Context(), "/p/log", storage.Write)
			}
			if err != nil {
				t.Error(err)
				return
			}
			n := writeOn(t, mine, mark, who, stop)
			mu.Lock()
			acked[who] = n
			mu.Unlock()
		})
	}
	for range 5 {
		waitLines(t, log, 100)
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	waitLines(t, log, 100)
	close(stop)
	group.Wait()
	check(t, server.URL("postgres"), schema, acked)
	t.Logf("acknowledged: %v", acked)
}

// waitLines waits until a log has grown by so many bytes.
func waitLines(t *testing.T, log storage.Log, more int64) {
	t.Helper()
	first := int64(-1)
	for {
		info, err := log.Stat(t.Context())
		if err != nil && !errors.Is(err, postgres.ErrAway) {
			t.Fatal(err)
		}
		if err == nil && first < 0 {
			first = info.Size
		}
		if err == nil && info.Size >= first+more {
			return
		}
	}
}

// TestAnswerLost: the connection is cut on the way there and on the way back.
func TestAnswerLost(t *testing.T) {
	p := newProxy(t, shared)
	schema := schemaOf(t)
	s := open(t, p.url(shared), postgres.Options{Schema: schema})
	log, err := s.Open(t.Context(), "/p/log", storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	var mark storage.Mark
	for n := range 40 {
		line := fmt.Sprintf("a-%d", n)
		p.cutAt(line, n%2 == 0)
		if mark, err = log.Append(t.Context(), mark, [][]byte{[]byte(line)}); err != nil {
			t.Fatalf("append %d: %v", n, err)
		}
		if p.done() != n+1 {
			t.Fatalf("%d cuts after %d appends", p.done(), n+1)
		}
	}
	info, err := log.Stat(t.Context())
	if err != nil || info.Mark != mark {
		t.Errorf("the log ends at %v, %v; the last append at %v", info.Mark, err, mark)
	}
	check(t, shared.URL("postgres"), schema, map[string]int{"a": 40})
}

// TestAnswerOwed: an append that nothing was heard of is found when it is given
// again, with more behind it, and is not written twice.
func TestAnswerOwed(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, first := range []bool{false, true} {
			t.Run(fmt.Sprintf("late=%v,first=%v", late, first), func(t *testing.T) {
				p := newProxy(t, shared)
				schema := schemaOf(t)
				s := open(t, p.url(shared), postgres.Options{Schema: schema, Patience: time.Nanosecond})
				log, err := s.Open(t.Context(), "/p/log", storage.Create)
				if err != nil {
					t.Fatal(err)
				}
				var mark storage.Mark
				if !first {
					if mark, err = log.Append(t.Context(), mark, [][]byte{[]byte("start")}); err != nil {
						t.Fatal(err)
					}
				}
				p.cutAt("a-0", late)
				lines := [][]byte{[]byte("a-0"), []byte("a-1")}
				if _, err := log.Append(t.Context(), mark, lines); !errors.Is(err, postgres.ErrAway) {
					t.Fatalf("append over a cut connection: %v", err)
				}
				next, err := log.Append(t.Context(), mark, append(lines, []byte("a-2")))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := log.Append(t.Context(), next, [][]byte{[]byte("a-3")}); err != nil {
					t.Fatal(err)
				}
				check(t, shared.URL("postgres"), schema, map[string]int{"a": 4})
			})
		}
	}
}

// TestClientKilled: a client is killed at any moment, and another goes on behind
// what it left.
func TestClientKilled(t *testing.T) {
	schema := schemaOf(t)
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	log, _ := started(t, s)
	acked, next := 0, 0
	for range 8 {
		c := begin(t, "append", shared.URL("postgres")+"&application_name="+doomed, schema, "a", strconv.Itoa(next), "100000")
		for range 25 {
			n, err := strconv.Atoi(c.line())
			if err != nil {
				t.Fatal(err)
			}
			acked = n + 1
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for line := c.line(); line != ""; line = c.line() {
			acked++
		}
		_ = c.Wait()
		next = settled(t, log)
	}
	check(t, shared.URL("postgres"), schema, map[string]int{"a": acked})
}

// doomed is what a writer that is to be killed calls itself.
const doomed = "doomed"

// settled returns how many lines "a-N" a log has, when what its dead writer sent
// has been done: the server's processes for it have seen that it is dead, which
// comes behind all that it sent.
func settled(t *testing.T, log storage.Log) int {
	t.Helper()
	if err := shared.Exec("postgres", `do $$ begin
		while exists (select from pg_stat_activity where application_name = '`+doomed+`') loop
			perform pg_sleep(0.01); perform pg_stat_clear_snapshot(); end loop; end $$`); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(line.Bytes), "a-") {
			n++
		}
	}
	return n
}

// TestTwoProcesses: two machines append to one log at once.
func TestTwoProcesses(t *testing.T) {
	const each = 300
	schema := schemaOf(t)
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	started(t, s)
	a := begin(t, "append", shared.URL("postgres"), schema, "a", "0", strconv.Itoa(each))
	b := begin(t, "append", shared.URL("postgres"), schema, "b", "0", strconv.Itoa(each))
	for _, c := range []*process{a, b} {
		for c.line() != "" {
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	check(t, shared.URL("postgres"), schema, map[string]int{"a": each, "b": each})
}

// TestLeaseFrozen: who is frozen loses its lease, is told when it wakes, and
// what it writes then harms nobody.
func TestLeaseFrozen(t *testing.T) {
	schema := schemaOf(t)
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	log, mark := started(t, s)
	c := begin(t, "lease", shared.URL("postgres"), schema)
	if got := c.line(); got != "held" {
		t.Fatalf("child says %q", got)
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for {
		list, err := s.Holders(t.Context(), "/p/log")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		if list[0].ID != "child" || list[0].Host != "there" {
			t.Fatalf("holders are %+v", list)
		}
	}
	lease, err := s.Lease(t.Context(), "/p/log", storage.Holder{ID: "us", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), mark, [][]byte{[]byte("ours")}); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"lost", "grown", "done"} {
		if got := c.line(); got != want {
			t.Fatalf("child says %q, want %q", got, want)
		}
	}
	list, err := s.Holders(t.Context(), "/p/log")
	if err != nil || len(list) != 1 || list[0].ID != "us" {
		t.Errorf("holders are %+v, %v", list, err)
	}
	select {
	case <-lease.Lost():
		t.Error("our lease is lost")
	default:
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	check(t, shared.URL("postgres"), schema, nil)
}

// TestTakeOver: a lease that is taken over is lost.
func TestTakeOver(t *testing.T) {
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schemaOf(t), LeaseFor: 300 * time.Millisecond})
	first, err := s.Lease(t.Context(), "/p/log", storage.Holder{ID: "first", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	second, err := powers.TakeOver(t.Context(), s, "/p/log", storage.Holder{ID: "second", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	<-first.Lost()
	list, err := s.Holders(t.Context(), "/p/log")
	if err != nil || len(list) != 1 || list[0].ID != "second" {
		t.Errorf("holders are %+v, %v", list, err)
	}
	for _, l := range []storage.Lease{first, second} {
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestPromoted: the primary is killed, its synchronous standby takes over, and
// nothing that was acknowledged is lost.
func TestPromoted(t *testing.T) {
	primary := newServer(t)
	standby, err := primary.Standby(shortDir(t), "second")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	for _, sql := range []string{"alter system set synchronous_standby_names = 'second'", "select pg_reload_conf()"} {
		if err := primary.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	const schema = "s"
	url := strings.Replace(primary.URL("postgres"), "/postgres?", ",127.0.0.1:"+strconv.Itoa(standby.Port)+"/postgres?", 1)
	s := open(t, url, postgres.Options{Schema: schema, Patience: time.Minute})
	log, mark := started(t, s)
	for {
		st, err := s.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if st.Standbys == 1 {
			break
		}
	}
	stop := make(chan struct{})
	count := make(chan int)
	mine, err := s.Open(t.Context(), "/p/log", storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	go func() { count <- writeOn(t, mine, mark, "a", stop) }()
	waitLines(t, log, 500)
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), standby.URL("postgres"), postgres.Options{Schema: "other"}); !errors.Is(err, postgres.ErrReadOnly) {
		t.Errorf("a new schema on a standby: %v", err)
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	waitLines(t, log, 500)
	close(stop)
	check(t, standby.URL("postgres"), schema, map[string]int{"a": <-count})
}

// TestDiskFull: a full disk is said clearly, loses nothing, and is forgotten
// when there is room. Needs root, to make a small disk.
func TestDiskFull(t *testing.T) {
	server := newServer(t)
	small := shortDir(t) + "-small"
	if err := os.Mkdir(small, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m,mode=0777", "tmpfs", small).CombinedOutput(); err != nil {
		t.Fatalf("make a small disk: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
		if out, err := exec.Command("umount", small).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	space := small + "/space"
	if err := pgtest.Own(space); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"create tablespace small location '" + space + "'", "alter role " + pgtest.User + " set default_tablespace = small"} {
		if err := server.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	const schema = "s"
	s := open(t, server.URL("postgres"), postgres.Options{Schema: schema})
	log, mark := started(t, s)
	pad := strings.Repeat("0123456789abcdef", 4)
	n, full := 0, error(nil)
	for ; full == nil; n++ {
		var noise strings.Builder
		for i := range 100 {
			fmt.Fprintf(&noise, "%d%s%d", i, pad, n*i)
		}
		lines := [][]byte{[]byte(fmt.Sprintf("a-%d", n)), []byte(noise.String())}
		var next storage.Mark
		if next, full = log.Append(t.Context(), mark, lines); full == nil {
			mark = next
		}
	}
	if text := full.Error(); !strings.Contains(text, "disk is full") || strings.Contains(text, "\n") {
		t.Errorf("a full disk is said as %q", text)
	}
	info, err := log.Stat(t.Context())
	if err != nil || info.Mark != mark {
		t.Errorf("after the failed append: %v, %v; want %v", info.Mark, err, mark)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=64m", small).CombinedOutput(); err != nil {
		t.Fatalf("make room: %v: %s", err, out)
	}
	if _, err := log.Append(t.Context(), mark, [][]byte{[]byte(fmt.Sprintf("a-%d", n-1))}); err != nil {
		t.Errorf("append when there is room: %v", err)
	}
	check(t, server.URL("postgres"), schema, map[string]int{"a": n})
}
