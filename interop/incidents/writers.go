//go:build linux

package main

import (
	"bytes"
	"fmt"
	"sync"
)

// each is how many entries a writer appends.
const each = 2000

// race lets two processes append at once; the second does something in the
// middle as well. It returns the path.
func (c *Case) race(also string) string {
	c.limit *= 3
	path := c.write("a.jsonl", fixture(c.dir, 20).bytes())
	c.open(path)
	first := c.a
	c.a = nil
	c.open(path)
	second := c.a
	var group sync.WaitGroup
	errs := make([]error, 2)
	for i, w := range []*watched{first, second} {
		do := also
		if i == 0 {
			do = ""
		}
		group.Go(func() {
			_, errs[i] = w.call("many", each, fmt.Sprintf("%s-w%d-", c.id, i), do)
			for _, op := range []string{"flush", "close"} {
				if _, err := w.call(op); err != nil && errs[i] == nil {
					errs[i] = err
				}
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			c.errs = append(c.errs, fmt.Sprintf("writer %d: %s", i, c.strip(err.Error())))
		}
	}
	return path
}

// wantAll checks that all entries of both writers are there, each in a line.
func (c *Case) wantAll(path string) {
	good, bad := lines(c.bytes(path))
	all := bytes.Join(good, []byte("\n"))
	missing := 0
	for w := range 2 {
		for i := range each {
			if !bytes.Contains(all, fmt.Appendf(nil, `"%s-w%d-%05d"`, c.id, w, i)) {
				missing++
			}
		}
	}
	if gone := c.entriesGone(path, 20); gone > 0 {
		c.find(Lost, "%d of 20 gone that were there before", gone)
	}
	switch {
	case missing > 0 && len(c.errs) > 0:
		c.find(Dead, "%d of %d lost: %s", missing, 2*each, c.errs[0])
	case missing > 0:
		c.find(Lost, "%d of %d lost", missing, 2*each)
	case bad > 0:
		c.find(Lost, "%d torn lines", bad)
	default:
		c.note("%d/%d on disk", 2*each, 2*each)
	}
}

// wantBoth checks that a program that opens a session of two writers shows both
// branches or says that there are two.
func (c *Case) wantBoth(path string) {
	c.a = nil
	c.start()
	if _, err := c.do("open", path); err != nil {
		c.find(Lost, "cannot be opened again: %s", c.strip(err.Error()))
		return
	}
	if c.is("cambium") {
		c.wantTold("tips")
		return
	}
	v, err := c.do("size")
	if err != nil {
		c.find(Opaque, "%s", c.strip(err.Error()))
		return
	}
	if n := number(v); n < 2*each {
		c.find(Silent, "context %d, the other branch not told", n)
	}
}

// writers are recipes about two processes with one session.
func writers() []Recipe {
	return []Recipe{
		{ID: "M45", What: "2 writers × 2,000 appends, no rewrite", Run: func(c *Case) {
			path := c.race("")
			c.wantAll(path)
			c.wantBoth(path)
		}},
		{ID: "M46", What: "same + title change by B (4 runs)", Run: func(c *Case) { c.times(4, "title") }},
		{ID: "M47", What: "same + full rewrite by B (4 runs)", Run: func(c *Case) { c.times(4, "rewrite") }},
		{ID: "M48", What: "stale process rewrites after B added 100 and left", Run: func(c *Case) {
			path := c.opened20()
			first := c.a
			c.a = nil
			c.open(path)
			c.append(100, "second")
			c.shut()
			c.a = first
			if _, err := c.do("rewrite"); err != nil {
				c.errs = append(c.errs, c.strip(err.Error()))
			}
			c.append(10, "first")
			c.shut()
			c.wantSaved(path)
		}},
	}
}

// times races a few times.
func (c *Case) times(n int, also string) {
	if !c.is("cambium") {
		n = 2 // they take their time
	}
	c.env = append(c.env, syncVariable+"=none") // as the peers; M45 has the default
	for range n {
		path := c.race(also)
		c.wantAll(path)
		c.finish()
		c.a, c.limit = nil, limitOf(c.who)
	}
	c.note("%d runs", n)
}
