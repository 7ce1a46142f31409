//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// foreign is a line as another program appends it.
func foreign(id, parent string) []byte {
	return append(messageLine(id, parent, userMessage("from elsewhere "+id).Int("timestamp", 1772359300000).Value(), 200), '\n')
}

// addTo appends bytes to a file as a program without locks does.
func (c *Case) addTo(path string, data []byte) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	c.must(err)
	_, err = f.Write(data)
	c.must(err)
	c.must(f.Close())
}

// changes are recipes about what becomes of a file while it is open.
func changes() []Recipe {
	return []Recipe{
		{ID: "M39", What: "file deleted mid-run, 4 appends", Run: func(c *Case) {
			path := c.opened20()
			c.must(os.Remove(path))
			c.append(4, "after")
			c.wantTold("restored")
			c.shut()
			c.wantSaved(path)
			c.reopen(path)
			c.wantContext(24)
		}},
		{ID: "M40", What: "file replaced by rename mid-run, 4 appends", Run: func(c *Case) {
			path := c.opened20()
			other := c.write("other.tmp", c.bytes(path))
			c.must(os.Rename(other, path))
			c.append(4, "after")
			c.shut()
			c.wantSaved(path)
			c.reopen(path)
			c.wantContext(24)
		}},
		{ID: "M41", What: "file truncated to 0 mid-run, 4 appends", Run: func(c *Case) {
			path := c.opened20()
			c.must(os.Truncate(path, 0))
			c.append(4, "after")
			c.wantTold("restored")
			c.shut()
			c.wantSaved(path)
			c.reopen(path)
			if c.is("cambium") {
				c.wantContext(24)
			}
		}},
		{ID: "M42", What: "another program appends, then title + 4 appends", Run: func(c *Case) {
			path := c.opened20()
			c.addTo(path, foreign("f0000000", name(19)))
			c.title("named")
			c.append(4, "after")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, foreign("f0000000", name(19)))
			c.wantNamed(path, "named")
			c.reopen(path)
		}},
		{ID: "M43", What: "same-size foreign edit, then rewrite", Run: func(c *Case) {
			path := c.opened20()
			data := c.bytes(path)
			edited := bytes.Replace(data, []byte("text e0000005"), []byte("TEXT E0000005"), 1)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			c.must(err)
			_, err = f.WriteAt(edited, 0)
			c.must(err)
			c.must(f.Close())
			if _, err := c.do("rewrite"); err != nil {
				c.errs = append(c.errs, c.strip(err.Error()))
			}
			c.append(2, "after")
			c.shut()
			c.wantLines(path, []byte("TEXT E0000005"))
			c.wantSaved(path)
		}},
		{ID: "M44", What: "slotless replacement, then title", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			path := c.write("a.jsonl", append(lineList{titleSlot("first")}, l...).bytes())
			if c.is("pi") {
				c.write("a.jsonl", l.bytes())
			}
			c.open(path)
			other := c.write("other.tmp", l.bytes())
			c.must(os.Rename(other, path))
			c.title("second")
			c.append(1, "after")
			c.shut()
			c.wantSaved(path)
			c.wantLines(path, l[1:]...)
			c.wantNamed(path, "second")
			c.reopen(path)
			c.wantContext(21)
		}},
		{ID: "M59", What: "sessions dir renamed mid-run, 4 appends", Run: func(c *Case) {
			path := c.write("d/a.jsonl", fixture(c.dir, 20).bytes())
			c.open(path)
			c.append(1, "before")
			c.flush()
			c.must(os.Rename(c.path("d"), c.path("d2")))
			c.append(4, "after")
			c.wantTold("moved")
			c.shut()
			found := c.path("d2/a.jsonl")
			if bytes.Contains(c.bytes(path), []byte("after")) {
				found = path // the program made the directory again
			}
			c.saved = slicesFrom(c.saved, "after")
			c.wantSaved(found)
		}},
		{ID: "M60", What: "session file is a symlink, title + 2", Run: func(c *Case) {
			l := fixture(c.dir, 20)
			target := c.write("elsewhere/real.jsonl", l.bytes())
			link := c.path("a.jsonl")
			c.must(os.Symlink(target, link))
			c.open(link)
			c.title("named")
			c.append(2, "new")
			c.shut()
			if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
				c.find(Lost, "the link was replaced")
			}
			c.wantSaved(target)
			c.wantLines(target, l[1:]...)
			c.wantNamed(target, "named")
		}},
		{ID: "M61", What: "dir migration, same file name in both", Run: func(c *Case) {
			c.start()
			root := filepath.Join(c.a.home(), "."+c.who, "agent", "sessions")
			kept := map[string][]byte{}
			project := filepath.Join(c.a.home(), "u", "proj")
			c.must(os.MkdirAll(project, 0o700))
			enc := strings.ReplaceAll(strings.TrimPrefix(project, "/"), "/", "-")
			for i, dir := range []string{"--" + enc + "--", "-u-proj", "-" + enc} {
				path := filepath.Join(root, dir, "a.jsonl")
				data := fixture(project, 20-i*8).bytes()
				c.must(os.MkdirAll(filepath.Dir(path), 0o700))
				c.must(os.WriteFile(path, data, 0o600))
				kept[path] = data
			}
			_, err := c.do("continue", project)
			if err != nil {
				c.errs = append(c.errs, err.Error())
			}
			if _, err := c.do("list", "", project); err != nil {
				c.errs = append(c.errs, err.Error())
			}
			c.flush() // not shut: the home of a program goes with it
			c.wantAllSomewhere(root, kept)
		}},
		{ID: "M66", What: "stale process writes last line on an old branch", Run: func(c *Case) {
			l := fixture(c.dir, 30)
			l = append(l, []byte(`{"type":"custom","customType":"session_exit","data":{"reason":"killed"},"id":"f0000000",`+
				`"parentId":"e0000019","timestamp":"2026-03-01T11:00:00.000Z"}`))
			before := l.bytes()
			path := c.write("a.jsonl", before)
			c.open(path)
			c.wantContext(30)
			c.wantBytes(path, before)
			if !c.is("cambium") {
				return
			}
			// With a message in that place the leaf goes there, and the other
			// branch is named.
			l[31] = message("f0000000", name(19), 0)
			c.reopen(c.write("b.jsonl", l.bytes()))
			c.wantTold(name(29))
		}},
	}
}

// opened20 opens a fixture of 20.
func (c *Case) opened20() string {
	path := c.write("a.jsonl", fixture(c.dir, 20).bytes())
	c.open(path)
	return path
}

// wantNamed checks that a name stands in the file.
func (c *Case) wantNamed(path, name string) {
	if !bytes.Contains(c.bytes(path), jsonedit.Quoted(name)) {
		if len(c.errs) > 0 {
			c.find(Dead, "the name is not saved: %s", c.errs[0])
			return
		}
		c.find(Lost, "the name is not saved, no error")
	}
}

// wantAllSomewhere checks that the bytes of all files are in some file below.
func (c *Case) wantAllSomewhere(root string, want map[string][]byte) {
	var all [][]byte
	c.must(filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, c.bytes(path))
		}
		return err
	}))
	gone := 0
	for _, data := range want {
		there := false
		for _, have := range all {
			there = there || bytes.Equal(have, data)
		}
		if !there {
			gone++
		}
	}
	if gone > 0 {
		c.find(Lost, "%d of %d files gone", gone, len(want))
		return
	}
	c.note("%d/%d files", len(want), len(want))
}

// slicesFrom keeps the texts with a word in them.
func slicesFrom(all []string, word string) []string {
	var kept []string
	for _, s := range all {
		if strings.Contains(s, word) {
			kept = append(kept, s)
		}
	}
	return kept
}
