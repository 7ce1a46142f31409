//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
)

// one returns a change of one message's line, and what the line is then.
func one(i int, with []byte) func(l lineList) lineList {
	return func(l lineList) lineList {
		l[i+1] = with
		return l
	}
}

// contents are recipes about what is in a line.
func contents() []Recipe {
	text := func(s string) []byte {
		return messageLine(name(10), name(9), userMessage(s).Int("timestamp", 1772359210000).Value(), 10)
	}
	// titled opens a fixture with one line replaced, names it, appends n, and
	// wants all bytes of all entries kept.
	titled := func(n int, line []byte) func(c *Case) {
		return func(c *Case) {
			l := one(10, line)(fixture(c.dir, 20))
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.title("named")
			c.append(n, "new")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l[1:]...)
		}
	}
	long := func(n int) string { return strings.Repeat("0123456789abcdef", n/16) }
	return []Recipe{
		{ID: "M21", What: "assistant entry without `usage`", Run: func(c *Case) {
			m := userMessage("text").Value()
			m = bytes.Replace(m, []byte(`"user"`), []byte(`"assistant"`), 1)
			c.open(c.write("a.jsonl", one(11, messageLine(name(11), name(10), m, 11))(fixture(c.dir, 20)).bytes()))
			c.wantContext(20)
		}},
		{ID: "M23", What: "raw U+2028/2029 in text", Run: func(c *Case) {
			l := one(10, text("a\u2028b\u2029c"))(fixture(c.dir, 20))
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.wantContext(20)
			c.wantBytes(path, l.bytes())
		}},
		{ID: "M24", What: "invalid UTF-8 in one message, then title + 4 appends",
			Run: titled(4, bytes.Replace(text("bad @ byte"), []byte("@"), []byte("\xff\xfe\xc3"), 1))},
		{ID: "M25", What: "lone surrogate escape", Run: func(c *Case) {
			l := one(10, bytes.Replace(text("x@y"), []byte("@"), []byte(`\ud83d`), 1))(fixture(c.dir, 20))
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(20)
			c.wantOutgoing(`\ud83dy`, "\xed\xa0\xbd")
			c.wantBytes(path, before)
		}},
		{ID: "M26", What: "64 MiB line, then title", Run: func(c *Case) { titled(0, text(long(64<<20)))(c) }},
		{ID: "M27", What: "1,000,000-char text written by pi, then title", Run: titled(0, text(long(1_000_000)))},
		{ID: "M28", What: "600 MiB line", Run: func(c *Case) {
			c.limit *= 3
			path := c.path("a.jsonl")
			c.must(longLine(path, fixture(c.dir, 20), text("@"), 600<<20))
			c.open(path)
			c.wantContext(20)
			c.wantListed(path, false)
			c.note("%d MB at most", c.a.peak>>20)
		}},
		{ID: "M29", What: "JSON nested 1,000,000 deep", Run: func(c *Case) {
			line := text("deep")
			line = append(append(bytes.Clone(line[:len(line)-1]), `,"more":`...), append(deep(1_000_000), '}')...)
			l := one(10, line)(fixture(c.dir, 20))
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			c.wantContext(20)
			c.append(1, "new")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l...)
		}},
		{ID: "M33", What: "unknown entry type, then title: bytes intact?", Run: titled(0, []byte(`{"type":"from_the_future","id":"e0000010",`+
			`"parentId":"e0000009","timestamp":"2026-03-01T10:00:10.000Z","n":12345678901234567890,"a":1,"a":2,"f":1.0,"s":"<>&"}`))},
		{ID: "M55", What: "blob missing on load", Run: func(c *Case) {
			ref := "blob:sha256:" + strings.Repeat("ab", 32)
			c.blobs(ref)
			c.wantOutgoing(ref)
		}},
		{ID: "M56", What: "blob bytes do not match the hash", Run: func(c *Case) {
			hash := strings.Repeat("ab", 32)
			c.start()
			for _, agent := range []string{".cambium", ".pi", ".omp", ".xcsh"} {
				dir := filepath.Join(c.a.home(), agent, "agent", "blobs")
				c.must(os.MkdirAll(dir, 0o700))
				c.must(os.WriteFile(filepath.Join(dir, hash), []byte("tampered bytes"), 0o600))
			}
			c.blobs("blob:sha256:" + hash)
			c.wantOutgoing("tampered bytes", base64.StdEncoding.EncodeToString([]byte("tampered bytes")))
			if c.is("cambium") {
				c.wantOutgoing("blob:sha256:" + hash)
			}
		}},
		{ID: "M57", What: "blob ref `../../../../secret.txt`", Run: func(c *Case) {
			c.start()
			const secret = "the secret of the house"
			for _, dir := range []string{".", ".omp", ".omp/agent", ".cambium", ".cambium/agent"} {
				c.must(os.MkdirAll(filepath.Join(c.a.home(), dir), 0o700))
				c.must(os.WriteFile(filepath.Join(c.a.home(), dir, "secret.txt"), []byte(secret), 0o600))
			}
			for _, up := range []string{"../", "../../", "../../../", "../../../../"} {
				c.blobs("blob:sha256:" + up + "secret.txt")
				c.wantOutgoing(secret, base64.StdEncoding.EncodeToString([]byte(secret)))
			}
		}},
	}
}

// blobs opens a session of omp's with an image whose bytes are a reference.
func (c *Case) blobs(ref string) {
	content := `[{"type":"text","text":"see"},{"type":"image","data":"` + ref + `","mimeType":"image/png"}]`
	line := messageLine(name(10), name(9), []byte(`{"role":"user","content":`+content+`,"timestamp":1772359210000}`), 10)
	l := append(lineList{titleSlot("blobs")}, one(10, line)(fixture(c.dir, 20))...)
	if c.is("pi") {
		l = l[1:]
	}
	path := c.write("a.jsonl", l.bytes())
	c.open(path)
	c.wantContext(20)
}

// wantOutgoing checks that what is sent to a model has none of these in it.
func (c *Case) wantOutgoing(not ...string) {
	v, err := c.do("llm")
	if err != nil {
		c.find(Opaque, "outgoing: %s", c.strip(err.Error()))
		return
	}
	out, _ := splitText(v)
	for _, s := range not {
		if strings.Contains(out, s) {
			c.find(Silent, "goes to the model: %.40q", s)
		}
	}
}
