//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// Limits of a call, unless a recipe sets others. That of the peers is the one of
// the published table; ours ends a run that would not end, and says nothing of
// speed: however slow the machine is, it does not make a verdict.
const (
	peerLimit   = 20 * time.Second
	ownLimit    = 10 * time.Minute
	memoryLimit = 4 << 30
)

// limitOf is how long a call of a program may take.
func limitOf(who string) time.Duration {
	if who == "cambium" {
		return ownLimit
	}
	return peerLimit
}

// A Case is one recipe carried out on one program: a private folder, the
// processes that were started, and what was found.
type Case struct {
	id, who string
	agent   string // the dialect that cambium is to use, "" for the file's own
	dir     string // private: home, sessions
	a       *watched
	limit   time.Duration
	memory  int64
	env     []string

	actors  []*watched
	found   []finding
	undo    []func()
	saved   []string // texts whose append was acknowledged
	refused []string // texts whose append was refused
	errs    []string // what was said, in turn
	stopped bool
}

// stop ends the recipe; what was found counts.
func (c *Case) stop() {
	c.stopped = true
	runtime.Goexit()
}

// find notes a finding.
func (c *Case) find(v Verdict, format string, args ...any) {
	c.found = append(c.found, finding{v, fmt.Sprintf(format, args...)})
}

// note says something about a cell without judging.
func (c *Case) note(format string, args ...any) { c.find(OK, format, args...) }

// must ends a recipe that cannot be carried out here.
func (c *Case) must(err error) {
	if err != nil {
		c.find(NotRun, "%v", err)
		c.stop()
	}
}

func (c *Case) is(who string) bool { return c.who == who }

// path is a path in the sessions folder.
func (c *Case) path(name string) string { return filepath.Join(c.dir, "sessions", name) }

// write makes a file in the sessions folder.
func (c *Case) write(name string, data []byte) string {
	path := c.path(name)
	c.must(os.MkdirAll(filepath.Dir(path), 0o700))
	c.must(os.WriteFile(path, data, 0o600))
	return path
}

func (c *Case) bytes(path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.must(err)
	}
	return data
}

// start begins a process of the program; it becomes the one that is called.
func (c *Case) start() *watched {
	a, err := startActor(c)
	c.must(err)
	w := &watched{actor: a, limit: c.limit, memory: c.memory}
	c.actors = append(c.actors, w)
	c.a = w
	return w
}

// ask calls, and ends the recipe when the process is gone.
func (c *Case) ask(w *watched, op string, args ...any) ([]byte, error) {
	v, err := w.call(op, args...)
	var e *ended
	if errors.As(err, &e) {
		c.find(e.verdict, "%s", e.why)
		c.stop()
	}
	return v, err
}

// do asks the current process.
func (c *Case) do(op string, args ...any) ([]byte, error) { return c.ask(c.a, op, args...) }

// open opens a session to go on with it. A refusal ends the recipe: it is judged
// by its words and by what became of the file.
func (c *Case) open(path string) {
	before := c.bytes(path)
	if c.a == nil {
		c.start()
	}
	if _, err := c.do("open", path); err != nil {
		c.refusedBy(err, path, before)
		c.stop()
	}
}

// refusedBy judges a refusal.
func (c *Case) refusedBy(err error, path string, before []byte) {
	if !bytes.Equal(c.bytes(path), before) {
		c.find(Lost, "refused, and the file is changed: %s", firstLine(err.Error()))
		return
	}
	if clear(err.Error(), path) {
		c.find(Ref, "%s", c.strip(err.Error()))
	} else {
		c.find(Opaque, "%s", c.strip(err.Error()))
	}
}

// clear reports whether an error names the file it is about.
func clear(text, path string) bool { return strings.Contains(text, filepath.Base(path)) }

// strip takes the private folder out of a text.
func (c *Case) strip(text string) string {
	for _, a := range c.actors {
		text = strings.ReplaceAll(text, a.home()+"/", "~/")
	}
	return firstLine(strings.ReplaceAll(text, c.dir+"/", ""))
}

// reopen begins another process and opens the session there.
func (c *Case) reopen(path string) {
	if c.a != nil {
		c.shut()
	}
	c.a = nil
	before := c.bytes(path)
	c.start()
	if _, err := c.do("open", path); err != nil {
		if !bytes.Equal(before, c.bytes(path)) {
			c.find(Lost, "changed by opening again")
		}
		c.find(Lost, "cannot be opened again: %s", c.strip(err.Error()))
		c.stop()
	}
}

// shut saves and ends the current process. What it says is kept in errs.
func (c *Case) shut() {
	for _, op := range []string{"flush", "close"} {
		if _, err := c.do(op); err != nil {
			c.errs = append(c.errs, c.strip(err.Error()))
		}
	}
	if err := c.a.close(); err != nil {
		c.errs = append(c.errs, c.strip(err.Error()))
	}
	c.a = nil
}

// append appends n messages; what is refused is kept in errs.
func (c *Case) append(n int, prefix string) {
	for i := range n {
		text := fmt.Sprintf("%s-%s-%d", c.id, prefix, i)
		c.appendText(text)
	}
}

func (c *Case) appendText(text string) bool {
	_, err := c.do("append", text, "user")
	if err != nil {
		c.errs = append(c.errs, c.strip(err.Error()))
		c.refused = append(c.refused, text)
		return false
	}
	c.saved = append(c.saved, text)
	return true
}

// title names the session.
func (c *Case) title(name string) {
	if _, err := c.do("title", name); err != nil {
		c.errs = append(c.errs, c.strip(err.Error()))
	}
}

// flush saves what waits.
func (c *Case) flush() {
	if _, err := c.do("flush"); err != nil {
		c.errs = append(c.errs, c.strip(err.Error()))
	}
}

// lines are the whole lines of a file that are JSON objects.
func lines(data []byte) (good [][]byte, bad int) {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		trimmed := bytes.Trim(line, " \t\r")
		if len(trimmed) == 0 {
			continue
		}
		if trimmed[0] == '{' && jsonl.Valid(trimmed) == nil {
			good = append(good, line)
		} else {
			bad++
		}
	}
	return good, bad
}

// wantSaved checks that every text that was appended stands in a line of its own.
func (c *Case) wantSaved(path string) {
	good, _ := lines(c.bytes(path))
	all := bytes.Join(good, []byte("\n"))
	missing, last := 0, false // last: the last of all is missing
	texts := append(slices.Clone(c.refused), c.saved...)
	for _, text := range texts {
		if last = !bytes.Contains(all, []byte(`"`+text+`"`)); last {
			missing++
		}
	}
	switch {
	case missing == 0:
		c.note("%d/%d saved", len(texts), len(texts))
	case len(c.errs) > 0 && last:
		c.find(Dead, "%d/%d saved: %s", len(texts)-missing, len(texts), c.errs[0])
	case len(c.errs) > 0:
		c.find(Lost, "%d of %d gone, later ones saved: %s", missing, len(texts), c.errs[0])
	default:
		c.find(Lost, "%d of %d gone, no error", missing, len(texts))
	}
}

// wantLines checks that these bytes are still somewhere in the file.
func (c *Case) wantLines(path string, want ...[]byte) {
	data := c.bytes(path)
	gone := 0
	for _, line := range want {
		if !bytes.Contains(data, bytes.TrimRight(line, "\n")) {
			gone++
		}
	}
	if gone > 0 {
		c.find(Lost, "%d of %d lines gone or altered", gone, len(want))
	}
}

// wantBytes checks that a file is as it was.
func (c *Case) wantBytes(path string, before []byte) {
	if now := c.bytes(path); !bytes.Equal(now, before) {
		c.find(Lost, "file changed: %d bytes, were %d", len(now), len(before))
	}
}

// wantContext checks how many messages are in the context.
func (c *Case) wantContext(n int) {
	v, err := c.do("size")
	if err != nil {
		c.find(Opaque, "context: %s", c.strip(err.Error()))
		return
	}
	if got := number(v); got != n {
		c.find(Silent, "context %d of %d", got, n)
		return
	}
	c.note("context %d of %d", n, n)
}

// wantTree checks how many entries the tree has.
func (c *Case) wantTree(n int) {
	v, err := c.do("tree")
	if err != nil {
		c.find(Opaque, "tree: %s", c.strip(err.Error()))
		return
	}
	if got := number(v); got != n {
		c.find(Silent, "tree has %d of %d", got, n)
	}
}

// wantTold checks that cambium says what is wrong; the peers have no such word.
func (c *Case) wantTold(words ...string) {
	if !c.is("cambium") {
		return
	}
	v, err := c.do("told")
	c.must(err)
	told, _ := splitText(v)
	for _, word := range words {
		if !strings.Contains(told, word) {
			c.find(Silent, "not told of %q, but %q", word, told)
			return
		}
	}
	if told == "" {
		c.find(Silent, "nothing is said of it")
		return
	}
	c.note("told: %s", c.strip(told))
}

// wantListed checks that a session is in the list, and flagged when it should.
func (c *Case) wantListed(path string, flagged bool) {
	if c.a == nil {
		c.start()
	}
	v, err := c.do("list", filepath.Dir(path))
	if err != nil {
		c.find(Opaque, "list: %s", c.strip(err.Error()))
		return
	}
	all := texts(v)
	switch {
	case slices.Contains(all, path):
		if flagged && c.is("cambium") {
			c.find(Silent, "listed without a flag")
		}
	case slices.Contains(all, "!"+path):
	default:
		c.find(Silent, "not listed")
	}
}

// finish ends all that runs and takes back what was set up.
func (c *Case) finish() {
	for _, a := range c.actors {
		a.kill()
		_ = a.close() // killed
	}
	for _, f := range slices.Backward(c.undo) {
		f()
	}
}

// deferred is done when the recipe ends.
func (c *Case) deferred(f func()) { c.undo = append(c.undo, f) }
