//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// failures are recipes about writes that fail.
func failures() []Recipe {
	return []Recipe{
		{ID: "M52", What: "read-only dir + file", Run: func(c *Case) {
			c.env = append(c.env, denyVariable+"=1")
			path := c.opened20()
			allow := c.denyWrites(path)
			c.append(4, "denied")
			silent := len(c.saved)
			if len(c.refused) > 0 && !clear(c.errs[0], path) && c.is("cambium") {
				c.find(Opaque, "error does not name the file: %s", c.errs[0])
			}
			allow()
			c.append(1, "allowed")
			c.shut()
			if !c.is("cambium") {
				c.refused = nil // that they were refused was said; here they are kept
			}
			if silent > 0 {
				c.find(Silent, "%d of 4 appends returned without an error", silent)
			}
			c.wantSaved(path)
		}},
		{ID: "M53", What: "disk full on 1 MiB tmpfs, then space freed", Run: fullDisk},
		{ID: "M54", What: "blob store unwritable + 4 text appends", Run: func(c *Case) {
			c.start()
			root := c.a.home()
			for _, agent := range []string{".cambium", ".pi", ".omp", ".xcsh"} {
				dir := filepath.Join(root, agent, "agent")
				c.must(os.MkdirAll(dir, 0o700))
				c.must(os.WriteFile(filepath.Join(dir, "blobs"), []byte("not a directory"), 0o600))
			}
			l := append(lineList{titleSlot("blobs")}, fixture(c.dir, 20)...)
			if c.is("pi") {
				l = l[1:]
			}
			path := c.write("a.jsonl", l.bytes())
			c.open(path)
			if _, err := c.do("image", "see", picture64()); err != nil {
				c.errs = append(c.errs, c.strip(err.Error()))
			}
			c.append(4, "text")
			c.shut()
			c.wantSaved(path)
			if !bytes.Contains(c.bytes(path), []byte(picture64()[:1000])) {
				c.find(Dead, "the image is not saved")
			}
		}},
		{ID: "M58", What: "rename over target gives EPERM (chattr +a), 6 appends", Run: func(c *Case) {
			path := c.opened20()
			allow := c.denyRename(path)
			c.title("named")
			named := len(c.errs)
			c.append(6, "after")
			c.flush()
			allow()
			c.wantSaved(path)
			if named > 0 {
				c.note("the name: %s", c.errs[0])
			}
			c.shut()
		}},
		{ID: "M64", What: "`.x.jsonl.lock` naming a live pid", Run: func(c *Case) {
			l := append(lineList{titleSlot("locked")}, fixture(c.dir, 20)...)
			if c.is("pi") {
				l = l[1:]
			}
			path := c.write("x.jsonl", l.bytes())
			c.write(".x.jsonl.lock", fmt.Appendf(nil, "%d:%d\n", os.Getpid(), time.Now().UnixMilli()))
			c.open(path)
			began := time.Now()
			c.append(8, "after")
			c.flush()
			c.note("%d ms an append", time.Since(began).Milliseconds()/8)
			c.wantSaved(path)
			c.wantTold()
		}},
	}
}

// picture64 is 96 KiB in base64.
func picture64() string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("picture ", 12<<10)))
}

// fullDisk fills a file system of 1 MiB with entries of 8 KB, frees room, and
// wants all that was appended.
func fullDisk(c *Case) {
	dir := c.path("small")
	c.must(os.MkdirAll(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		c.must(fmt.Errorf("mount a small tmpfs (run as root or in unshare -Urm): %w", err))
	}
	c.deferred(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	filler := filepath.Join(dir, "filler")
	c.must(os.WriteFile(filler, make([]byte, 600<<10), 0o600))
	path := filepath.Join(dir, "a.jsonl")
	c.must(os.WriteFile(path, fixture(c.dir, 20).bytes(), 0o600))
	c.open(path)
	pad := strings.Repeat("8 KB of text ", 8<<10/13)
	for i := range 62 {
		c.appendText(fmt.Sprintf("%s-%d %s", c.id, i, pad))
		if i == 55 {
			if _, err := c.do("flush"); err == nil && c.is("cambium") {
				c.find(Silent, "no error while the disk is full")
			}
			if err := os.Remove(filler); !errors.Is(err, fs.ErrNotExist) {
				c.must(err)
			}
		}
	}
	c.shut()
	data := c.bytes(path)
	c.wantSaved(path)
	if _, bad := lines(data); bad > 0 {
		c.find(Silent, "%d damaged lines", bad)
	}
	c.reopen(path)
	c.wantContext(82)
}
