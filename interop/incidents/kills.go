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
)

// runs is how often a process is killed: fewer times where it takes a second to
// begin.
func (c *Case) runs(n int) int {
	if c.is("cambium") {
		return n
	}
	return max(5, n/10)
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

// kill starts an endless call, lets it work, and kills the process.
func (c *Case) kill(w *watched, working func() bool, op string, args ...any) {
	done := make(chan error, 1)
	go func() {
		_, err := w.actor.call(op, args...)
		done <- err
	}()
	if !soon(working) {
		c.must(errors.New("the process does not begin"))
	}
	time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
	w.kill()
	var s *said
	if err := <-done; errors.As(err, &s) {
		c.must(err)
	}
	_ = w.close() // killed
}

// appendKills kills a process in an append loop, n times in one file, and wants
// all that was acknowledged, and whole lines after the next append.
func (c *Case) appendKills(n, size int) {
	c.env = append(c.env, syncVariable+"=none")
	total, lost, torn := 0, 0, 0
	for i := range c.runs(n) {
		path := c.write(fmt.Sprintf("%d.jsonl", i), fixture(c.dir, 4).bytes())
		log := filepath.Join(c.dir, fmt.Sprintf("acks-%d", i))
		c.a = nil
		c.open(path)
		c.kill(c.a, func() bool { return len(acks(log)) > 0 }, "loop", size, log)
		ids := acks(log)
		c.a = nil
		if data := c.bytes(path); len(data) > 0 && data[len(data)-1] != '\n' {
			torn++
		}
		c.reopen(path)
		c.saved = nil
		c.append(1, "next")
		c.shut()
		c.wantSaved(path)
		good, _ := lines(c.bytes(path))
		all := bytes.Join(good, []byte("\n"))
		for _, id := range ids {
			if total++; !bytes.Contains(all, id) {
				lost++
			}
		}
		c.must(os.Remove(path))
	}
	if lost > 0 {
		c.find(Lost, "%d of %d acknowledged lost", lost, total)
	}
	c.found = onlyWorst(c.found)
	c.note("%d kills, 0 of %d acknowledged lost, %d torn tails", c.runs(n), total, torn)
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
		{ID: "M49", What: "kill -9 in append loop × 100", Run: func(c *Case) { c.appendKills(100, 1000) }},
		{ID: "M50", What: "kill -9, 256 KiB entries × 60", Run: func(c *Case) { c.appendKills(60, 256<<10) }},
		{ID: "M51", What: "kill -9 during full rewrite of 3,000 × 60", Run: func(c *Case) { c.rewriteKills(60) }},
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

// rewriteKills kills a process that rewrites a session over and over.
func (c *Case) rewriteKills(n int) {
	l := fixture(c.dir, 3000)
	path := c.write("d/a.jsonl", l.bytes())
	lost, left := 0, 0
	for range c.runs(n) {
		c.a = nil
		if !c.tryOpenAgain(path) {
			lost++
			c.write("d/a.jsonl", l.bytes())
			continue
		}
		before := c.bytes(path)
		c.kill(c.a, func() bool { return !bytes.Equal(before, c.bytes(path)) }, "rewriteLoop")
		c.a = nil
		if gone := c.entriesGone(path, 3000); gone > 0 {
			lost++
			c.write("d/a.jsonl", l.bytes())
		}
		left = max(left, len(c.beside(path)))
	}
	if lost > 0 {
		c.find(Lost, "%d of %d runs lost entries", lost, c.runs(n))
	}
	c.reopen(path)
	c.append(1, "next")
	c.shut()
	c.wantSaved(path)
	c.note("%d kills, %d left beside it at most, %d at the end", c.runs(n), left, len(c.beside(path)))
}

func (c *Case) tryOpenAgain(path string) bool {
	c.start()
	_, err := c.do("open", path)
	return err == nil
}

// entriesGone counts the fixture's entries that no whole line of the file has.
func (c *Case) entriesGone(path string, n int) int {
	good, _ := lines(c.bytes(path))
	all := bytes.Join(good, []byte("\n"))
	gone := 0
	for i := range n {
		if !bytes.Contains(all, []byte(`"id":"`+name(i)+`"`)) {
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
