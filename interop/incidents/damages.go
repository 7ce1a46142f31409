//go:build linux

package main

import (
	"bytes"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// damages are recipes about lines that are torn, glued or not what they were.
func damages() []Recipe {
	// spoil opens a fixture of 20 after change, and wants n messages in context.
	spoil := func(n int, change func(l lineList) []byte) func(c *Case) {
		return func(c *Case) {
			before := change(fixture(c.dir, 20))
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(n)
			c.wantTold()
			c.wantBytes(path, before)
		}
	}
	// goOn opens it, appends 2, and wants n in the context of the next process.
	goOn := func(n int, change func(l lineList) []byte) func(c *Case) {
		return func(c *Case) {
			before := change(fixture(c.dir, 20))
			path := c.write("a.jsonl", before)
			c.open(path)
			c.append(2, "new")
			c.shut()
			c.wantSaved(path)
			if !bytes.HasPrefix(c.bytes(path), before) {
				c.note("what was there is changed")
			}
			c.reopen(path)
			c.wantContext(n)
		}
	}
	return []Recipe{
		{ID: "M12", What: "1,728 NULs at the tail, then append", Run: goOn(22, func(l lineList) []byte {
			return append(l.bytes(), make([]byte, 1728)...)
		})},
		{ID: "M13", What: "one line overwritten by NULs", Run: spoil(19, func(l lineList) []byte {
			l[11] = append(make([]byte, len(l[11])+1), l[12]...)
			return append(l[:12:12], l[13:]...).bytes()
		})},
		{ID: "M14", What: "file of 4,096 zero bytes", Run: func(c *Case) {
			before := make([]byte, 4096)
			path := c.write("a.jsonl", before)
			c.open(path)
			c.append(1, "new")
			c.shut()
			c.find(Lost, "taken for a session")
			c.wantBytes(path, before)
		}},
		{ID: "M15", What: "two whole entries glued on one line", Run: spoil(20, func(l lineList) []byte {
			l[11] = append(bytes.Clone(l[11]), l[12]...)
			return append(l[:12:12], l[13:]...).bytes()
		})},
		{ID: "M16", What: "torn prefix + whole entry glued", Run: spoil(19, func(l lineList) []byte {
			l[11] = append(bytes.Clone(l[11][:60]), l[12]...)
			return append(l[:12:12], l[13:]...).bytes()
		})},
		{ID: "M17", What: "torn tail, then resume + append 2", Run: goOn(21, func(l lineList) []byte {
			data := l.bytes()
			return data[:len(data)-len(l[20])/2]
		})},
		{ID: "M18", What: "valid last line without newline, then append 2", Run: goOn(22, func(l lineList) []byte {
			data := l.bytes()
			return data[:len(data)-1]
		})},
		{ID: "M19", What: "a line `null`", Run: spoil(20, func(l lineList) []byte {
			return append(append(l[:11:11], []byte("null")), l[11:]...).bytes()
		})},
		{ID: "M20", What: "`\"message\":null` in one entry", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[11] = messageLine(name(10), name(9), []byte("null"), 10)
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(19)
			c.wantTold("unusable")
			c.wantListed(path, false)
			c.wantBytes(path, before)
		}},
		{ID: "M31", What: "bad line mid-file, then append / title", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[11] = bytes.Clone(l[11][:len(l[11])/2])
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.append(2, "new")
			c.title("named")
			c.append(2, "more")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l[1:]...)
		}},
		{ID: "M32", What: "v2 file with one bad line: open (+append)", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[0] = header(2, c.dir)
			l[11] = bytes.Clone(l[11][:len(l[11])/2])
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.append(1, "new")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l[1:]...)
			c.reopen(path)
			c.wantContext(20)
		}},
		{ID: "M63", What: "fork a file with one bad line", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[11] = bytes.Clone(l[11][:len(l[11])/2])
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.start()
			v, err := c.do("fork", path, c.dir, c.path("forks"))
			if err != nil {
				c.refusedBy(err, path, before)
				c.stop()
			}
			c.wantBytes(path, before)
			fork, _ := splitText(v)
			want := append(l[1:11:11], l[12:]...)
			if c.is("cambium") { // what hung on the bad line hangs on the one before it
				want[10] = jsonedit.Set(want[10], "parentId", jsonedit.Quoted(name(9)))
			}
			c.wantLines(fork, want...)
			c.reopen(fork)
			c.wantContext(19)
		}},
	}
}
