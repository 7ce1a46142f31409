//go:build linux

package main

// links are recipes about which entry follows which.
func links() []Recipe {
	return []Recipe{
		{ID: "M01", What: "parent cycle a↔b: open+ctx", Run: func(c *Case) {
			c.open(c.write("a.jsonl", lineList{header(3, c.dir), message("aaaaaaaa", "bbbbbbbb", 0), message("bbbbbbbb", "aaaaaaaa", 1)}.bytes()))
			c.wantContext(2)
			c.wantTold("cycle")
		}},
		{ID: "M02", What: "self-parent leaf", Run: func(c *Case) {
			c.open(c.write("a.jsonl", lineList{header(3, c.dir), message("aaaaaaaa", "aaaaaaaa", 0)}.bytes()))
			c.wantContext(1)
			c.wantTold("cycle")
		}},
		{ID: "M03", What: "duplicate id forming a cycle: getTree()", Run: func(c *Case) {
			c.open(c.write("a.jsonl", lineList{
				header(3, c.dir), message("aaaaaaaa", "", 0), message("bbbbbbbb", "aaaaaaaa", 1),
				message("aaaaaaaa", "bbbbbbbb", 2), message("cccccccc", "aaaaaaaa", 3),
			}.bytes()))
			c.wantTree(4)
			if c.is("cambium") {
				c.wantContext(4)
			} else {
				_, err := c.do("size")
				c.note("context: %v", err == nil)
			}
			c.wantTold("duplicate id")
		}},
		{ID: "M04", What: "100,000-deep chain: open+ctx+tree+append", Run: func(c *Case) {
			path := c.write("a.jsonl", fixture(c.dir, 100_000).bytes())
			c.open(path)
			c.wantContext(100_000)
			c.wantTree(100_000)
			c.append(1, "new")
			c.flush()
			c.wantSaved(path)
		}},
		{ID: "M05", What: "1,000,000 entries, 289 MB: open+ctx", Run: func(c *Case) {
			c.limit *= 3
			path := c.path("a.jsonl")
			c.must(bigFixture(path, c.dir, 1_000_000))
			c.open(path)
			c.wantContext(1_000_000)
		}},
		{ID: "M22", What: "parentId points nowhere (mid-file)", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			l[11] = message(name(10), "deadbeef", 10)
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(20)
			c.wantTold("missing parent")
			c.wantBytes(path, before)
		}},
	}
}
