//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/interop/peers"
)

// crash kills a process times times in each loop of appends, and in
// rewrites, and fails when something acknowledged is lost or a later entry is not
// a line of its own.
func crash(out io.Writer, times int) error {
	var all tally
	for _, size := range []int{1 << 10, 3 << 10, 256 << 10, 4 << 20} {
		t, err := underway(func(c *Case) tally { return c.appendKills(times, size) })
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "appending %7d bytes: %4d kills, %7d acknowledged, %d lost, %d torn tails\n", size, t.kills, t.acked, t.lost, t.torn)
		all.kills, all.acked, all.lost = all.kills+t.kills, all.acked+t.acked, all.lost+t.lost
	}
	t, err := underway(func(c *Case) tally { return c.rewriteKills(max(2, times/5), 500) })
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "rewriting 500 entries: %4d kills, %d lost\n", t.kills, t.lost)
	fmt.Fprintf(out, "%d kills, %d lost\n", all.kills+t.kills, all.lost+t.lost)
	return nil
}

// underway does something with cambium in a case of its own. What it finds
// besides is an error.
func underway[T any](do func(c *Case) T) (T, error) {
	var result T
	r := carryOut(Recipe{ID: "S00", Run: func(c *Case) { result = do(c) }}, "cambium", "", filepath.Join(os.TempDir(), fmt.Sprintf("cambium-suite-%d", os.Getpid())))
	if r.Verdict != OK {
		return result, fmt.Errorf("%s: %s", r.Verdict, r.Note)
	}
	return result, nil
}

// concurrent lets groups of processes append to one session at once, each with
// renames and forks between, and fails when an entry that was acknowledged, or
// that was seen in the file at any time, is not there in the end, or a line is
// damaged. Each name in others is a real program that appends as well.
func concurrent(out io.Writer, writers []int, appends int, others ...peers.Program) error {
	for _, n := range writers {
		if err := together(out, n, appends, nil); err != nil {
			return err
		}
	}
	for _, other := range others {
		if err := together(out, 1, appends, []peers.Program{other}); err != nil {
			return err
		}
	}
	return nil
}

// together is one group.
func together(out io.Writer, n, appends int, others []peers.Program) error {
	began := time.Now()
	entries, err := underway(func(c *Case) int {
		c.limit = ownLimit
		path := c.write("a.jsonl", fixture(c.dir, 4).bytes())
		acked, calls := c.gather(path, n, appends, others)
		seen, stop := watch(path)
		var group sync.WaitGroup
		errs := make([]error, len(calls))
		for i, call := range calls {
			group.Go(func() { errs[i] = call() })
		}
		group.Wait()
		close(stop)
		was := <-seen
		for i, err := range errs {
			if err != nil && i < n {
				c.find(Dead, "writer %d: %s", i, c.strip(err.Error()))
			}
		}
		return c.wantGathered(path, acked, was)
	})
	if err != nil {
		return fmt.Errorf("%d processes of cambium, %v: %w", n, others, err)
	}
	fmt.Fprintf(out, "%d of cambium %v: %d entries in the end, 0 lost, 0 damaged lines, %v\n", n, others, entries, time.Since(began).Round(100*time.Millisecond))
	return nil
}

// gather starts the processes and returns where each of cambium notes what was
// acknowledged, and the calls that let them work.
func (c *Case) gather(path string, n, appends int, others []peers.Program) (acked []string, calls []func() error) {
	if len(others) == 0 {
		c.env = append(c.env, syncVariable+"=none")
	} // else as slow as usual, so that the others have their turns
	for i := range n {
		c.a = nil
		c.open(path)
		w, log := c.a, filepath.Join(c.dir, fmt.Sprintf("acks-%d", i))
		acked = append(acked, log)
		calls = append(calls, func() error {
			_, err := w.call("mixed", appends, fmt.Sprintf("w%d-", i), log, c.path("forks"))
			if err == nil {
				_, err = w.call("close")
			}
			return err
		})
	}
	for _, other := range others {
		p, err := startPeer(other, c.dir)
		c.must(err)
		w := &watched{actor: p, limit: c.limit, memory: c.memory}
		c.actors = append(c.actors, w)
		_, err = c.ask(w, "open", path)
		c.must(err)
		calls = append(calls, func() error {
			_, err := w.call("many", appends, "other-", "")
			return err
		})
	}
	return acked, calls
}

// watch reads a file again and again until stop is closed, and sends the ids of
// all entries that were ever in a whole line of it.
func watch(path string) (seen chan map[string]bool, stop chan struct{}) {
	seen, stop = make(chan map[string]bool, 1), make(chan struct{})
	go func() {
		all := map[string]bool{}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				seen <- all
				return
			case <-tick.C:
				data, err := os.ReadFile(path)
				if err != nil {
					continue // between two names
				}
				whole := data[:bytes.LastIndexByte(data, '\n')+1]
				for id := range idsOf(whole) {
					all[id] = true
				}
			}
		}
	}()
	return seen, stop
}

// wantGathered checks what is in the file in the end and returns how many
// entries.
func (c *Case) wantGathered(path string, acked []string, seen map[string]bool) int {
	data := c.bytes(path)
	there := idsOf(data)
	lost := 0
	for _, log := range acked {
		for _, id := range acks(log) {
			if !there[string(id)] {
				lost++
			}
		}
	}
	gone := 0
	for id := range seen {
		if !there[id] {
			gone++
		}
	}
	if lost > 0 || gone > 0 {
		c.find(Lost, "%d acknowledged and %d seen are gone", lost, gone)
	}
	if _, bad := lines(data); bad > 0 {
		c.find(Lost, "%d damaged lines", bad)
	}
	c.reopen(path)
	return len(there) - 1 // the header has an id, too
}

// sharing lets n processes of cambium append to a session of omp beside the real one,
// which gives up for good when it does not get its lock within half a second. All must
// save all they have.
func sharing(out io.Writer, n, appends int, omp peers.Program) error {
	began := time.Now()
	entries, err := underway(func(c *Case) int {
		c.limit = ownLimit
		slot := spelling.FormatSlot("", "auto", "2026-03-01T10:00:00.000Z")
		path := c.write("a.jsonl", append(slot[:], fixture(c.dir, 4).bytes()...))
		var calls []func() error
		for i := range n {
			c.a = nil
			c.open(path)
			w := c.a
			calls = append(calls, func() error {
				_, err := w.call("many", appends, fmt.Sprintf("w%d-", i), "")
				if err == nil {
					_, err = w.call("close")
				}
				return err
			})
		}
		p, err := startPeer(omp, c.dir)
		c.must(err)
		w := &watched{actor: p, limit: c.limit, memory: c.memory}
		c.actors = append(c.actors, w)
		_, err = c.ask(w, "open", path)
		c.must(err)
		calls = append(calls, func() error {
			_, err := w.call("many", appends, fmt.Sprintf("w%d-", n), "")
			return err
		})
		errs := make([]error, len(calls))
		var group sync.WaitGroup
		for i, call := range calls {
			group.Go(func() { errs[i] = call() })
		}
		group.Wait()
		data := c.bytes(path)
		for i, err := range errs {
			if err != nil {
				c.find(Dead, "writer %d: %s", i, c.strip(err.Error()))
			}
			for k := range appends {
				if text := fmt.Appendf(nil, `"w%d-%05d"`, i, k); bytes.Count(data, text) != 1 {
					c.find(Lost, "writer %d: entry %d is there %d times", i, k, bytes.Count(data, text))
					break
				}
			}
		}
		if _, bad := lines(data); bad > 0 {
			c.find(Lost, "%d damaged lines", bad)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.lock")); len(left) > 0 {
			c.find(Lost, "a lock file is left: %s", left)
		}
		c.reopen(path)
		return len(idsOf(data)) - 1
	})
	if err != nil {
		return fmt.Errorf("%d processes of cambium beside %s: %w", n, omp, err)
	}
	fmt.Fprintf(out, "%d of cambium, a session of %s beside it: %d entries in the end, all saved, %v\n", n, omp, entries, time.Since(began).Round(100*time.Millisecond))
	return nil
}
