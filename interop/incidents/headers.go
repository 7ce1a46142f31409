//go:build linux

package main

import (
	"bytes"
)

// reading checks that what was refused for writing can be read, by cambium: in
// a process of its own, to the last entry, and without a byte changed.
func (c *Case) reading(path string, n int) {
	if !c.is("cambium") {
		return
	}
	before := c.bytes(path)
	c.start()
	if _, err := c.do("read", path); err != nil {
		c.find(Opaque, "read: %s", c.strip(err.Error()))
		return
	}
	c.wantContext(n)
	c.wantTold()
	c.wantBytes(path, before)
}

// tryOpen opens, and goes on after a refusal.
func (c *Case) tryOpen(path string) bool {
	before := c.bytes(path)
	c.start()
	if _, err := c.do("open", path); err != nil {
		c.refusedBy(err, path, before)
		return false
	}
	return true
}

// headers are recipes about the first lines of a file.
func headers() []Recipe {
	spoiled := func(first ...[]byte) func(c *Case) {
		return func(c *Case) {
			l := append(lineList(first), fixture(c.dir, 20)[1:]...)
			before := l.bytes()
			path := c.write("a.jsonl", before)
			if c.tryOpen(path) {
				c.wantContext(20)
			}
			c.wantLines(path, l...)
			c.reading(path, 20)
		}
	}
	return []Recipe{
		{ID: "M06", What: "header line missing", Run: spoiled()},
		{ID: "M07", What: "header torn at byte 40", Run: spoiled(header(3, "/tmp")[:40])},
		{ID: "M08", What: "omp title slot as line 1", Run: func(c *Case) {
			l := append(lineList{titleSlot("a title")}, fixture(c.dir, 20)...)
			path := c.write("a.jsonl", l.bytes())
			if c.tryOpen(path) {
				c.wantContext(20)
				c.wantListed(path, false)
			}
			c.wantLines(path, l...)
		}},
		{ID: "M09", What: "title slot torn", Run: func(c *Case) {
			l := append(lineList{titleSlot("a title")[:60]}, fixture(c.dir, 20)...)
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.wantContext(20)
			c.wantLines(path, l...)
		}},
		{ID: "M10", What: "CRLF line ends", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			path := c.write("a.jsonl", bytes.ReplaceAll(l.bytes(), []byte("\n"), []byte("\r\n")))
			c.open(path)
			c.append(2, "new")
			c.flush()
			c.wantContext(22)
			c.wantSaved(path)
			c.wantLines(path, l...)
		}},
		{ID: "M11", What: "UTF-8 BOM, then title change + 4 appends", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			path := c.write("a.jsonl", append([]byte("\xef\xbb\xbf"), l.bytes()...))
			c.open(path)
			c.title("named")
			c.append(4, "new")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l[1:]...)
			c.reopen(path)
			c.wantContext(24)
		}},
		{ID: "M30", What: "header version 99", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[0] = header(99, c.dir)
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			if _, err := c.do("append", "new", "user"); err != nil {
				c.refusedBy(err, path, before)
				c.wantContext(20)
				return
			}
			c.shut()
			c.find(Silent, "appends, no warning")
		}},
		{ID: "M38", What: "header cwd not a string", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[0] = bytes.Replace(l[0], []byte(`"cwd":"`+c.dir+`"`), []byte(`"cwd":{"a":1}`), 1)
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(20)
			c.wantBytes(path, before)
			c.wantListed(path, false)
		}},
	}
}
