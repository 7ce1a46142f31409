//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/entry"
)

// runs is how often a process is killed: fewer times where it takes a second to
// begin.
func (c *Case) runs(n int) int {
	if c.is("cambium") {
		return n
	}
	return 5
}

// acks are the ids that a process noted as acknowledged before it was killed.
func acks(path string) [][]byte {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		return bytes.Split(data[:i], []byte("\n"))
	}
	return nil
}

// kill starts an endless call, lets it work for a part of within, and kills the
// process.
func (c *Case) kill(w *watched, within time.Duration, working func() bool, op string, args ...any) {
	done := make(chan error, 1)
	go func() {
		_, err := w.actor.call(op, args...)
		done <- err
	}()
	for began := time.Now(); !working(); {
		select {
		case err := <-done:
			done <- err // it ended by itself, and says why below
		case <-time.After(2 * time.Millisecond):
		}
		if len(done) > 0 || time.Since(began) > c.limit {
			w.kill()
			c.must(fmt.Errorf("the process does not begin: %w", <-done))
		}
	}
	time.Sleep(rand.N(within))
	w.kill()
	var s *said
	if err := <-done; errors.As(err, &s) {
		c.must(err)
	}
	_ = w.close() // killed
}

// A tally counts what killing did.
type tally struct{ kills, acked, lost, torn int }

// appendKills kills a process in an append loop, n times, each in a file of its
// own, and wants all that was acknowledged, and whole lines after the next
// append.
func (c *Case) appendKills(n, size int) tally {
	c.env = append(c.env, syncVariable+"=none")
	var t tally
	for range n {
		path := c.write("a.jsonl", fixture(c.dir, 4).bytes())
		log := filepath.Join(c.dir, "acks")
		c.a = nil
		c.open(path)
		c.kill(c.a, 20*time.Millisecond+time.Duration(size)*20, func() bool { return len(acks(log)) > 0 }, "loop", size, log)
		c.a = nil
		t.kills++
		if data := c.bytes(path); len(data) > 0 && data[len(data)-1] != '\n' {
			t.torn++
		}
		c.reopen(path)
		c.saved = nil
		c.append(1, "next")
		c.shut()
		c.wantSaved(path)
		there := idsOf(c.bytes(path))
		for _, id := range acks(log) {
			if t.acked++; !there[string(id)] {
				t.lost++
			}
		}
		c.must(errors.Join(os.Remove(path), os.Remove(log)))
	}
	c.found = onlyWorst(c.found)
	if t.lost > 0 {
		c.find(Lost, "%d of %d acknowledged lost", t.lost, t.acked)
	}
	c.note("%d kills, %d of %d acknowledged lost, %d torn tails", t.kills, t.lost, t.acked, t.torn)
	return t
}

// idsOf are the ids of the entries that stand in whole lines.
func idsOf(data []byte) map[string]bool {
	good, _ := lines(data)
	ids := make(map[string]bool, len(good))
	for _, line := range good {
		var e entry.Envelope
		if e.Scan(line) == nil {
			ids[string(e.ID)] = true
		}
	}
	return ids
}

// onlyWorst drops remarks when many runs say the same.
func onlyWorst(all []finding) []finding {
	var kept []finding
	for _, f := range all {
		if f.verdict != OK {
			kept = append(kept, f)
		}
	}
	return kept
}

// kills are recipes about processes that are killed.
func kills() []Recipe {
	return []Recipe{
		{ID: "M49", What: "kill -9 in append loop × 100", Run: func(c *Case) { c.appendKills(c.runs(100), 1000) }},
		{ID: "M50", What: "kill -9, 256 KiB entries × 60", Run: func(c *Case) { c.appendKills(c.runs(60), 256<<10) }},
		{ID: "M51", What: "kill -9 during full rewrite of 3,000 × 60", Run: func(c *Case) { c.rewriteKills(c.runs(60), 3000) }},
		{ID: "M62", What: "killed before the first answer", Run: func(c *Case) {
			c.start()
			_, err := c.do("create", c.dir, c.path("new"))
			c.must(err)
			c.append(1, "prompt")
			c.a.kill()
			_ = c.a.close() // killed
			if !c.anywhere(c.saved[0]) {
				c.find(Lost, "prompt not on disk")
			}
		}},
	}
}

// anywhere reports whether a text is in any file of the case.
func (c *Case) anywhere(text string) bool {
	found := false
	c.must(filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && bytes.Contains(c.bytes(path), []byte(text)) {
			found = true
		}
		return err
	}))
	return found
}

// rewriteKills kills a process that rewrites a session of some entries over and
// over, n times.
func (c *Case) rewriteKills(n, entries int) tally {
	whole := fixture(c.dir, entries).bytes()
	path := c.write("d/a.jsonl", whole)
	var t tally
	left := 0
	for range n {
		c.a = nil
		t.kills++
		if !c.tryOpenAgain(path) {
			t.lost++
			c.write("d/a.jsonl", whole)
			continue
		}
		before, err := os.Stat(path)
		c.must(err)
		changed := func() bool {
			now, err := os.Stat(path)
			return err == nil && (!os.SameFile(before, now) || !now.ModTime().Equal(before.ModTime()))
		}
		c.kill(c.a, 20*time.Millisecond, changed, "rewriteLoop")
		c.a = nil
		t.acked += entries
		if gone := c.entriesGone(path, entries); gone > 0 {
			t.lost++
			c.write("d/a.jsonl", whole)
		}
		left = max(left, len(c.beside(path)))
	}
	if t.lost > 0 {
		c.find(Lost, "%d of %d runs lost entries", t.lost, t.kills)
	}
	c.reopen(path)
	c.append(1, "next")
	c.shut()
	c.wantSaved(path)
	c.note("%d kills, %d lost, %d files left beside it at most, %d at the end", t.kills, t.lost, left, len(c.beside(path)))
	return t
}

func (c *Case) tryOpenAgain(path string) bool {
	c.start()
	_, err := c.do("open", path)
	return err == nil
}

// entriesGone counts the fixture's entries that no whole line of the file has.
func (c *Case) entriesGone(path string, n int) int {
	there := idsOf(c.bytes(path))
	gone := 0
	for i := range n {
		if !there[name(i)] {
			gone++
		}
	}
	return gone
}

// beside are the names in a session's folder other than its own.
func (c *Case) beside(path string) []string {
	list, err := os.ReadDir(filepath.Dir(path))
	c.must(err)
	var names []string
	for _, e := range list {
		if e.Name() != filepath.Base(path) {
			names = append(names, e.Name())
		}
	}
	return names
}
