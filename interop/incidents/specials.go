//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// goodBeside makes a healthy session in the folder of the case.
func (c *Case) goodBeside() string {
	return c.write("2026-03-01T10-00-00-000Z_good.jsonl", fixture(c.dir, 4).bytes())
}

// specials are recipes about files that are no sessions.
func specials() []Recipe {
	return []Recipe{
		{ID: "M34", What: "open a 24,890 B non-session log", Run: func(c *Case) {
			var b bytes.Buffer
			for i := 0; b.Len() < 24_890; i++ {
				fmt.Fprintf(&b, "{\"level\":\"info\",\"n\":%d,\"msg\":\"served\"}\n", i)
			}
			before := b.Bytes()[:24_890]
			path := c.write("a.jsonl", before)
			c.open(path)
			c.append(1, "new")
			c.shut()
			c.wantBytes(path, before)
			c.find(Silent, "opened as a session")
		}},
		{ID: "M35", What: "FIFO named *.jsonl: list", Run: func(c *Case) {
			good := c.goodBeside()
			c.must(syscall.Mkfifo(c.path("2026-03-01T10-00-01-000Z_pipe.jsonl"), 0o600))
			c.wantListed(good, false)
			c.wantTable("good")
		}},
		{ID: "M36", What: "symlink to /dev/zero named *.jsonl: picker", Run: func(c *Case) {
			good := c.goodBeside()
			c.must(os.Symlink("/dev/zero", c.path("2026-03-01T10-00-01-000Z_zero.jsonl")))
			c.wantListed(good, false)
			c.wantTable("good")
		}},
		{ID: "M37", What: "dangling symlink *.jsonl: --continue", Run: func(c *Case) {
			good := c.goodBeside()
			link := c.path("2026-03-01T10-00-01-000Z_gone.jsonl")
			c.must(os.Symlink("/nowhere/at/all.jsonl", link))
			c.start()
			v, err := c.do("continue", c.dir, c.path("."))
			if err != nil {
				c.find(Opaque, "%s", c.strip(err.Error()))
				return
			}
			if path, _ := splitText(v); path != good {
				c.find(Silent, "goes on with %s", c.strip(path))
			}
		}},
		{ID: "M65", What: "one 700 MiB newline-less file beside a good one: list", Run: func(c *Case) {
			good := c.goodBeside()
			big := c.path("2026-03-01T10-00-01-000Z_big.jsonl")
			c.must(writing(big, func(w *bufio.Writer) {
				chunk := bytes.Repeat([]byte("0123456789abcdef"), 4096)
				for range (700 << 20) / len(chunk) {
					_, _ = w.Write(chunk) // Flush tells
				}
			}))
			c.deferred(func() { _ = os.Remove(big) }) // the folder goes anyway
			c.wantListed(good, false)
			c.note("%d MB", c.a.peak>>20)
			if c.is("cambium") && c.a.peak > 64<<20 {
				c.find(Silent, "%d MB to list", c.a.peak>>20)
			}
			c.wantTable("good")
		}},
	}
}

// wantTable checks that the command's list on a terminal, which stands for a
// picker, names a session and ends well.
func (c *Case) wantTable(word string) {
	if !c.is("cambium") {
		return
	}
	out, code, err := onTerminal(c.dir, "ls", "--empty", "--session-dir", c.path("."), "--no-color")
	c.must(err)
	if code != 0 || !strings.Contains(out, "text e0000000") {
		c.find(Opaque, "ls on a terminal: exit %d, %.200q (%s)", code, out, word)
	}
}
